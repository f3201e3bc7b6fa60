"""/livez, /readyz and /metrics: honest, and without a key.

They count over all users; what other tests left is settled before each test.
"""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from identity.types import RelationshipRef
from memories.types import SessionStatus
from memsys.api.webhooks.models import DeliveryState, WebhookDelivery
from memsys.kernel.outbox import OutboxEvent
from memsys.probes import Health
from tests.factories.identity import make_relationship
from tests.factories.memories import make_session, settle_sessions


def make_ended(relationship: RelationshipRef, status: str, minutes: int) -> None:
    ended_at = timezone.now() - timedelta(minutes=minutes)
    make_session(
        relationship, at=ended_at, status=status, ended_at=ended_at, end_reason="idle"
    )


def test_alive_asks_nobody_else(client: Client) -> None:
    response = client.get("/livez")

    assert (response.status_code, response.json()) == (200, {"status": "alive"})


@pytest.fixture(autouse=True)
def nothing_waits(db: None) -> None:
    """Have nothing wait of what other tests left behind, until this test ends."""
    settle_sessions()
    OutboxEvent.objects.filter(spread_at=None).update(spread_at=timezone.now())
    WebhookDelivery.objects.exclude(state=DeliveryState.DONE).update(
        state=DeliveryState.DONE, next_at=None, ended_at=timezone.now()
    )


def test_it_is_ready_when_all_is_well(client: Client, ann: RelationshipRef) -> None:
    make_ended(ann, SessionStatus.PENDING, minutes=1)

    response = client.get("/readyz")

    body = response.json()
    assert (response.status_code, body["status"]) == (200, "ready")
    assert body["pending_sessions"] == 1
    assert 60 <= body["oldest_pending_seconds"] < 70


def test_a_late_session_is_told(client: Client, ann: RelationshipRef) -> None:
    make_ended(ann, SessionStatus.PENDING, minutes=11)

    response = client.get("/readyz")

    assert (response.status_code, response.json()["status"]) == (200, "degraded")


def test_a_dead_letter_is_told(client: Client, ann: RelationshipRef) -> None:
    make_ended(ann, SessionStatus.DEAD, minutes=1)

    body = client.get("/readyz").json()

    assert (body["status"], body["dead_sessions"]) == ("degraded", 1)


@pytest.mark.parametrize(
    ("health", "status"),
    [
        (Health(database=True, valkey=True), "ready"),
        (Health(database=True, valkey=False), "degraded"),
        (Health(database=False, valkey=True), "unavailable"),
        (Health(database=False, valkey=False), "unavailable"),
    ],
)
def test_it_cannot_serve_without_the_database(health: Health, status: str) -> None:
    assert health.status == status


def test_it_shows_numbers_to_prometheus(client: Client, ann: RelationshipRef) -> None:
    make_ended(ann, SessionStatus.DEAD, minutes=1)

    response = client.get("/metrics")

    text = response.content.decode()
    assert response.headers["Content-Type"].startswith("text/plain")
    assert "memsys_sessions_dead 1.0" in text
    assert "memsys_database_up 1.0" in text


def test_it_counts_reminders_that_nobody_confirmed(
    client: Client, creator: str
) -> None:
    """Order 21, article 18: a missing confirmation is an alarm."""
    now = timezone.now()
    before = client.get("/readyz").json()["reminders_unconfirmed"]
    due = make_relationship(creator=creator, disclosed_at=now - timedelta(hours=5))
    times = {"last_message_at": now, "last_received_at": now}
    make_session(due, first_message_at=now - timedelta(hours=3), **times)

    after = client.get("/readyz").json()["reminders_unconfirmed"]

    assert after == before + 1
    assert f"memsys_reminders_unconfirmed {after}.0" in client.get("/metrics").text


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics"])
def test_probes_are_for_reading_only(db: None, client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
    assert client.head(path).status_code == 200
