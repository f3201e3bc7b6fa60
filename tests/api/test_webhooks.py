"""Webhooks: signed, sent at least once, tried again, given up, sent anew."""

import json
import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import ProgrammingError, connection, transaction
from django.utils import timezone
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from identity.types import RelationshipRef
from memsys.api.tasks import spread_events
from memsys.api.webhooks.delivering import deliver, list_due, wait_after
from memsys.api.webhooks.models import (
    DeliveryState,
    WebhookDelivery,
    WebhookEndpoint,
)
from memsys.api.webhooks.signing import show_secret
from memsys.api.webhooks.spreading import spread
from memsys.api.webhooks.upkeep import delete_old, measure_lag
from memsys.kernel.outbox import OutboxEvent, emit
from memsys.kernel.scope.staff import staff_role
from tests.factories.api import Bot, make_bot
from tests.factories.identity import make_relationship
from tests.factories.webhooks import Service, listening, make_endpoint

INSIDE = ["127.0.0.1", "localhost"]


@pytest.fixture
def service(settings: Any) -> Iterator[Service]:
    """A service on this machine that may be called, and has a second to answer."""
    settings.WEBHOOK_INTERNAL_HOSTS = INSIDE
    settings.WEBHOOK_TIMEOUT_SECONDS = 1
    with listening() as running:
        yield running


def happen(relationship: RelationshipRef, name: str = "hold.set", **data: Any) -> UUID:
    """Have something happen; return the event's id."""
    known = list(OutboxEvent.objects.values_list("pk", flat=True))
    with transaction.atomic():
        emit(
            name, user_id=relationship.user_id, relationship_id=relationship.id,
            data=data,
        )  # fmt: skip
    return OutboxEvent.objects.exclude(pk__in=known).get().pk


def send_all() -> list[WebhookDelivery]:
    """Spread what happened and make one attempt at each delivery that is due."""
    now = timezone.now()
    spread(now=now)
    for one in list_due(now=now):
        deliver(one, now=now)
    return list(WebhookDelivery.objects.order_by("pk"))


def test_a_move_of_custody_is_told_and_signed(
    bot: Bot, ann: RelationshipRef, service: Service
) -> None:
    made = bot.post("/webhooks", {"url": service.url(), "events": ["custody.moved"]})
    move = {"to": "proxy_pool", "reason_code": "creator-on-leave"}
    bot.post(f"/relationships/{ann.id}/custody", move)

    (delivery,) = send_all()

    (heard,) = service.heard
    told = Webhook(made.json()["secret"]).verify(heard.body, heard.headers)
    assert (delivery.state, delivery.status_code) == (DeliveryState.DONE, 204)
    assert told["type"] == "custody.moved"
    assert told["id"] == heard.headers["webhook-id"] == str(delivery.event)
    assert told["data"] == {
        "user": ann.user_external_id,
        "relationship": str(ann.id),
        "from": "creator_pool",
        "to": "proxy_pool",
        "reason_code": "creator-on-leave",
    }


def test_a_changed_body_or_another_secret_does_not_verify(
    ann: RelationshipRef, service: Service
) -> None:
    endpoint = make_endpoint(service.url())
    happen(ann)
    send_all()
    (heard,) = service.heard
    secret = show_secret(bytes(endpoint.seed))

    for key, body in ((secret, heard.body + b" "), (show_secret(b"x"), heard.body)):
        with pytest.raises(WebhookVerificationError):
            Webhook(key).verify(body, heard.headers)


def test_nothing_that_was_rolled_back_is_told(
    ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url())
    with transaction.atomic():
        happen(ann)
        transaction.set_rollback(True)

    assert send_all() == []


def test_it_is_asked_for_as_soon_as_the_deed_commits(
    ann: RelationshipRef, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        for _ in range(3):
            happen(ann)

    assert [one.__name__ for one in callbacks] == ["_ask_for_spreading"]


FAILURES = {
    "/500": (500, "server-error"),
    "/400": (400, "refused"),
    "/busy": (503, "server-error"),
    "/moved": (302, "redirected"),
    "/nonsense": (None, "connection-lost"),
    "/close": (None, "connection-lost"),
    "/hang": (None, "timeout"),
    "/drip": (None, "timeout"),
}


@pytest.mark.parametrize("path", FAILURES)
def test_what_fails_is_tried_again_later(
    path: str, ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url(path))
    happen(ann)
    before = timezone.now()

    (delivery,) = send_all()

    assert (delivery.status_code, delivery.error_code) == FAILURES[path]
    assert (delivery.state, delivery.attempts) == (DeliveryState.WAITING, 1)
    assert delivery.next_at is not None
    assert delivery.next_at - before > timedelta(seconds=7)
    assert [one.path for one in service.heard] == [path]


def test_it_waits_as_long_as_it_is_asked_to(
    ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url("/busy"))
    happen(ann)
    before = timezone.now()

    (delivery,) = send_all()

    assert delivery.next_at is not None
    assert delivery.next_at - before >= timedelta(hours=2)


def test_a_body_without_end_holds_nothing_up(
    ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url("/slow"))
    happen(ann)

    (delivery,) = send_all()

    assert (delivery.state, delivery.status_code) == (DeliveryState.DONE, 200)


def test_nobody_there_is_told_as_such(ann: RelationshipRef, service: Service) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        make_endpoint(f"http://127.0.0.1:{taken.getsockname()[1]}/")
        happen(ann)

        (delivery,) = send_all()

    assert delivery.error_code == "connect"


def test_it_is_given_up_after_the_last_attempt(
    ann: RelationshipRef, service: Service, settings: Any
) -> None:
    settings.WEBHOOK_MAX_ATTEMPTS = 3
    make_endpoint(service.url("/500"))
    happen(ann)

    for _ in range(5):
        send_all()
        make_all_due()

    (delivery,) = WebhookDelivery.objects.all()
    assert (delivery.state, delivery.attempts) == (DeliveryState.DEAD, 3)
    assert delivery.ended_at is not None
    assert len(service.heard) == 3
    assert len({one.headers["webhook-id"] for one in service.heard}) == 1


def make_all_due() -> None:
    waiting = WebhookDelivery.objects.filter(state=DeliveryState.WAITING)
    waiting.update(next_at=timezone.now() - timedelta(seconds=1))


def test_an_endpoint_that_is_gone_is_not_tried_again(
    ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url("/gone"))
    happen(ann)

    (delivery,) = send_all()

    assert (delivery.state, delivery.status_code) == (DeliveryState.DEAD, 410)


def test_waits_grow_threefold_up_to_six_hours_and_are_spread(settings: Any) -> None:
    settings.WEBHOOK_MAX_ATTEMPTS = 30
    waits = [wait_after(n, asked_seconds=None, share=0.5) for n in range(1, 12)]
    spread_out = [wait_after(1, asked_seconds=None, share=one) for one in (0, 1)]

    seconds = [one.total_seconds() for one in waits if one]
    assert seconds[:4] == [10, 30, 90, 270]
    assert seconds[-1] == 6 * 3600
    assert [one.total_seconds() for one in spread_out if one] == [7.5, 12.5]
    assert wait_after(30, asked_seconds=None, share=0.5) is None


def test_an_attempt_that_another_has_in_hand_is_not_made_twice(
    ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url())
    happen(ann)
    now = timezone.now()
    spread(now=now)
    (due,) = list_due(now=now)

    outcomes = [deliver(due, now=now) for _ in range(3)]

    assert [one is None for one in outcomes] == [False, True, True]
    assert len(service.heard) == 1


def test_an_attempt_whose_worker_died_is_made_again(
    ann: RelationshipRef, service: Service
) -> None:
    """Acceptance row C26."""
    make_endpoint(service.url())
    happen(ann)
    now = timezone.now()
    spread(now=now)
    # What a worker leaves that was killed after its claim.
    WebhookDelivery.objects.update(attempts=1, next_at=now + timedelta(seconds=31))

    later = now + timedelta(seconds=32)
    for one in list_due(now=later):
        deliver(one, now=later)

    (delivery,) = WebhookDelivery.objects.all()
    assert (delivery.state, delivery.attempts) == (DeliveryState.DONE, 2)


def test_an_event_makes_one_delivery_however_often_it_is_spread(
    ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url())
    event = happen(ann)
    now = timezone.now()
    spread(now=now)
    OutboxEvent.objects.filter(pk=event).update(spread_at=None)

    spread(now=now)

    assert WebhookDelivery.objects.count() == 1


def test_one_slow_endpoint_does_not_crowd_out_the_others(
    ann: RelationshipRef, service: Service
) -> None:
    slow, quick = (make_endpoint(service.url(one)) for one in ("/hang", "/ok"))
    for _ in range(60):
        happen(ann)
    now = timezone.now()
    spread(now=now)
    WebhookDelivery.objects.filter(endpoint=quick).exclude(
        pk=WebhookDelivery.objects.filter(endpoint=quick).order_by("-pk")[0].pk
    ).delete()

    due = WebhookDelivery.objects.filter(pk__in=list_due(now=now))

    assert due.filter(endpoint=slow).count() == 50
    assert due.filter(endpoint=quick).count() == 1


def test_an_endpoint_hears_of_its_events_and_creators_alone(
    ann: RelationshipRef, chloe: RelationshipRef, service: Service
) -> None:
    own = make_endpoint(service.url(), creators=[ann.creator_external_id])
    holds = make_endpoint(service.url(), events=("hold.set",))
    happen(ann, "consent.changed")
    happen(chloe, "consent.changed")
    happen(chloe, "hold.set")

    spread(now=timezone.now())

    told = WebhookDelivery.objects.values_list("endpoint", "event_name")
    assert sorted(told) == sorted([(own.pk, "consent.changed"), (holds.pk, "hold.set")])


def test_an_event_about_a_user_is_told_to_the_creators_that_the_user_knows(
    ann: RelationshipRef, service: Service
) -> None:
    other = make_relationship(user=ann.user_external_id)
    for creator in (ann.creator_external_id, other.creator_external_id, "stranger"):
        make_endpoint(service.url(), creators=[creator])
    with transaction.atomic():
        emit("erasure.done", user_id=ann.user_id)

    spread(now=timezone.now())

    assert WebhookDelivery.objects.count() == 2


def test_after_a_turn_both_secrets_sign_for_a_day(
    bot: Bot, creator: str, ann: RelationshipRef, service: Service
) -> None:
    body = {"url": service.url(), "events": ["hold.set"], "creators": [creator]}
    made = bot.post("/webhooks", body).json()
    turned = bot.post(f"/webhooks/{made['id']}/secret").json()
    happen(ann)
    send_all()
    WebhookEndpoint.objects.update(previous_until=timezone.now())
    happen(ann)
    send_all()

    during, after = service.heard

    for secret in (made["secret"], turned["secret"]):
        Webhook(secret).verify(during.body, during.headers)
    Webhook(turned["secret"]).verify(after.body, after.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(made["secret"]).verify(after.body, after.headers)


def test_a_secret_is_shown_once_and_kept_nowhere(bot: Bot, service: Service) -> None:
    body = {"url": service.url(), "events": ["hold.set"]}
    first = bot.post("/webhooks", body, idempotency_key="k-1").json()

    again = bot.post("/webhooks", body, idempotency_key="k-1")

    assert first["secret"].startswith("whsec_")
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json() == first | {"secret": None}
    assert "secret" not in bot.get("/webhooks").json()["items"][0]
    (row,) = WebhookEndpoint.objects.all()
    assert show_secret(bytes(row.seed)) == first["secret"]
    assert first["secret"].encode() not in bytes(row.seed)


def test_the_role_of_the_desk_sees_no_seeds(bot: Bot, service: Service) -> None:
    bot.post("/webhooks", {"url": service.url(), "events": ["hold.set"]})
    with staff_role():
        (url,) = WebhookEndpoint.objects.values_list("url", flat=True)

    with pytest.raises(ProgrammingError, match="permission denied"), staff_role():
        list(WebhookEndpoint.objects.values_list("seed"))

    assert url == service.url()


def test_a_delivery_that_was_given_up_is_made_again_on_request(
    bot: Bot, ann: RelationshipRef, service: Service
) -> None:
    made = bot.post("/webhooks", {"url": service.url("/gone"), "events": ["hold.set"]})
    happen(ann)
    send_all()
    path = f"/webhooks/{made.json()['id']}/deliveries"
    (dead,) = bot.get(path, state="dead").json()["items"]
    service.answers["/gone"] = service.answers["/ok"]

    answer = bot.post(f"/webhooks/deliveries/{dead['id']}/replay")
    (delivery,) = send_all()

    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    assert (delivery.state, delivery.attempts) == (DeliveryState.DONE, 1)
    assert (
        service.heard[0].headers["webhook-id"]
        == (service.heard[1].headers["webhook-id"])
    )


def test_what_is_no_longer_kept_cannot_be_sent_again(
    bot: Bot, ann: RelationshipRef, service: Service
) -> None:
    bot.post("/webhooks", {"url": service.url("/500"), "events": ["hold.set"]})
    happen(ann)
    (delivery,) = send_all()
    delete_old(now=timezone.now() + timedelta(days=8))

    answer = bot.post(f"/webhooks/deliveries/{delivery.pk}/replay")
    make_all_due()
    (ended,) = send_all()

    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:memsys:problem:webhook-body-gone"
    assert (ended.state, ended.error_code) == (DeliveryState.DEAD, "body-gone")


def test_events_are_kept_for_seven_days_and_deliveries_for_ninety(
    ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url())
    happen(ann)
    send_all()
    now = timezone.now()

    kept = []
    for days in (6, 8, 89, 91):
        delete_old(now=now + timedelta(days=days))
        kept.append((OutboxEvent.objects.count(), WebhookDelivery.objects.count()))

    assert kept == [(1, 1), (0, 1), (0, 1), (0, 0)]


def test_an_erased_user_is_sent_without_a_name(
    ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url())
    with transaction.atomic():
        # The bucket is in the id; nobody has this one.
        emit("erasure.done", user_id=UUID(int=ann.user_id.int ^ (1 << 40)))

    send_all()

    (heard,) = service.heard
    assert json.loads(heard.body)["data"]["user"] is None


def test_deliveries_are_listed_page_by_page(
    bot: Bot, creator: str, ann: RelationshipRef, service: Service
) -> None:
    body = {"url": service.url(), "events": ["hold.set"]}
    made = bot.post("/webhooks", body).json()
    events = [str(happen(ann)) for _ in range(5)]
    spread(now=timezone.now())
    path, seen, query = f"/webhooks/{made['id']}/deliveries", [], {"limit": "2"}

    while True:
        page = bot.get(path, **query).json()
        seen += [one["event"] for one in page["items"]]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]

    assert sorted(seen) == sorted(events)
    assert len(seen) == 5


def test_removing_an_endpoint_ends_its_deliveries(
    bot: Bot, ann: RelationshipRef, service: Service
) -> None:
    made = bot.post("/webhooks", {"url": service.url(), "events": ["hold.set"]}).json()
    happen(ann)
    spread(now=timezone.now())

    answer = bot.delete(f"/webhooks/{made['id']}")

    assert answer.json() == {"webhook": made["id"], "deliveries": 1}
    assert bot.get("/webhooks").json() == {"items": []}
    assert send_all() == []


def test_a_key_for_some_creators_makes_and_sees_webhooks_of_these_alone(
    bot: Bot, creator: str, chloe: RelationshipRef, service: Service
) -> None:
    everywhere = make_bot()
    body = {"url": service.url(), "events": ["hold.set"]}
    wide = everywhere.post("/webhooks", body).json()

    own = bot.post("/webhooks", body).json()
    foreign = bot.post("/webhooks", body | {"creators": [chloe.creator_external_id]})

    assert (wide["creators"], own["creators"]) == ([], [creator])
    assert foreign.status_code == 404
    assert [one["id"] for one in bot.get("/webhooks").json()["items"]] == [own["id"]]
    assert bot.delete(f"/webhooks/{wide['id']}").status_code == 404
    assert len(everywhere.get("/webhooks").json()["items"]) == 2


def test_there_are_not_endlessly_many(bot: Bot, service: Service) -> None:
    WebhookEndpoint.objects.bulk_create(
        WebhookEndpoint(url="x", seed=b"x", made_by="x") for _ in range(100)
    )

    answer = bot.post("/webhooks", {"url": service.url(), "events": ["hold.set"]})

    assert answer.json()["type"] == "urn:memsys:problem:too-many-webhooks"


def test_the_probe_tells_what_waits_and_what_was_given_up(
    client: Any, ann: RelationshipRef, service: Service
) -> None:
    make_endpoint(service.url("/gone"))
    happen(ann)
    unspread = measure_lag(now=timezone.now() + timedelta(seconds=40))
    send_all()

    body = client.get("/readyz").json()

    assert (unspread.waiting_seconds, unspread.dead) == (40, 0)
    assert (body["webhooks_waiting_seconds"], body["webhooks_dead"]) == (0, 1)
    assert "memsys_webhooks_dead 1.0" in client.get("/metrics").text


def test_what_happens_is_sent_by_the_jobs(
    real_commits: None, settings: Any, service: Service
) -> None:
    endpoint = make_endpoint(service.url())
    relationship = make_relationship()
    event = happen(relationship)
    try:
        spread_events()
        (delivery,) = WebhookDelivery.objects.filter(endpoint=endpoint, event=event)
        both = [
            threading.Thread(target=_deliver_apart, args=(delivery.pk,))
            for _ in range(4)
        ]
        for one in both:
            one.start()
        for one in both:
            one.join()
    finally:
        state = WebhookDelivery.objects.get(event=event).state
        endpoint.delete()

    assert state == DeliveryState.DONE
    assert len(service.heard) == 1


def _deliver_apart(delivery_id: UUID) -> None:
    deliver(delivery_id, now=timezone.now())
    connection.close()
