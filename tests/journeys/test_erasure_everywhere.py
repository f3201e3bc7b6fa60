"""What was erased is found nowhere: no route, no table, no key."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from consent.tasks import run_erasure
from identity.types import RelationshipRef
from memories.models import ChatSession
from memories.tasks import process
from memsys.api.models import IdempotencyRecord
from memsys.scanning import scan
from tests.factories.api import Bot
from tests.factories.erasing import fill_user, make_filled
from tests.factories.identity import make_relationship

SENT_AT = datetime.now(UTC) - timedelta(minutes=5)
CANARY = "花生暗号7731"


def tell(service: Bot, ann: RelationshipRef) -> None:
    """Say it, end the session, and let the job make it a memory."""
    message = {
        "author_kind": "user",
        "text": f"我对{CANARY}过敏",
        "sent_at": SENT_AT.isoformat(),
        "id": "m-1",
    }
    service.post("/messages", {"relationship": str(ann.id), "messages": [message]})
    service.post("/sessions/end", {"relationship": str(ann.id)})
    (session,) = ChatSession.objects.of(ann.id)
    process(session_id=str(session.pk))


def answers(service: Bot, ann: RelationshipRef) -> str:
    """Return all that the read routes say when asked for it."""
    here = f"/relationships/{ann.id}"
    question = {"query": "我对花生暗号过敏"}
    return "".join(
        answer.content.decode()
        for answer in (
            service.post("/context", {"relationship": str(ann.id)} | question),
            service.post(f"{here}/search", question),
            service.get(f"{here}/memories"),
            service.get(f"{here}/timeline"),
        )
    )


def places_of(text: str) -> list[str]:
    """Return each table, key and file that holds the text."""
    return [one.place for one in scan(text).found]


def erase(service: Bot, ann: RelationshipRef, wanted: str) -> dict[str, Any]:
    """Erase as the API lets one, and return what it answers."""
    here = f"/relationships/{ann.id}/memories"
    (memory,) = service.get(here).json()["items"]
    if wanted == "memory":
        answer = service.delete(f"{here}/{memory['id']}")
    elif wanted == "relationship":
        answer = service.delete(here, {"confirm": str(ann.id)})
    else:
        user = ann.user_external_id
        body = {"user": user, "confirm": user, "at_once": True}
        answer = service.post("/erasures", body)
        run_erasure(run_id=answer.json()["id"])
    assert answer.status_code in (200, 202)
    return dict(answer.json())


@pytest.mark.parametrize("erased", ["memory", "relationship", "user"])
def test_it_is_found_nowhere_afterwards(service: Bot, erased: str) -> None:
    """Acceptance rows 16, 21 and C6."""
    ann = make_relationship()
    tell(service, ann)
    assert CANARY in answers(service, ann)
    planted = places_of(CANARY)

    erase(service, ann, erased)

    assert "memories_memory.text" in planted
    assert "memories_message.text" in planted
    assert any(place.startswith("valkey: memsys:pack") for place in planted)
    assert any(place.startswith("valkey: memsys:working") for place in planted)
    assert CANARY not in answers(service, ann)
    assert places_of(CANARY) == []


def test_a_user_with_something_in_every_table_is_found_nowhere_afterwards(
    service: Bot,
) -> None:
    """Acceptance rows 21 and C6, in every store that there is."""
    ann = make_filled(CANARY)
    fill_user(ann, CANARY)
    planted = {place.split(".")[0] for place in places_of(CANARY)}

    erase(service, ann, "user")

    assert planted == {
        "memories_memory",
        "memories_message",
        "identity_userfacet",
        "consent_profilevalue",
        "consent_subjectrequestnote",
        "consent_exportchunk",
    }
    assert places_of(CANARY) == []


def test_what_was_sent_is_not_known_by_its_digest_any_more(service: Bot) -> None:
    """A retry of an old write is refused, and brings nothing back."""
    ann = make_relationship()
    body = {"text": f"我对{CANARY}过敏"}
    here = f"/relationships/{ann.id}/memories"
    service.post(here, body, idempotency_key="k-1")
    service.delete(here, {"confirm": str(ann.id)})

    again = service.post(here, body, idempotency_key="k-1")

    assert again.status_code == 422
    assert places_of(CANARY) == []


def test_what_was_told_of_a_user_is_not_known_by_its_digest_any_more(
    service: Bot,
) -> None:
    """What belongs to the user and to no relationship alone is found all the same."""
    ann = make_relationship()
    user = ann.user_external_id
    put = {
        "/users/profile": {"user": user, "fields": {"region": CANARY}},
        f"/relationships/{ann.id}/user": {"nickname": CANARY},
    }
    for number, (path, body) in enumerate(put.items()):
        answer = service.put(path, body, idempotency_key=f"k-{number}")
        assert answer.status_code == 200, answer.content
    body = {"user": user, "confirm": user, "at_once": True}
    run_erasure(run_id=service.post("/erasures", body).json()["id"])

    again = [
        service.put(path, body, idempotency_key=f"k-{number}")
        for number, (path, body) in enumerate(put.items())
    ]

    assert [one.status_code for one in again] == [422, 422]
    kept = IdempotencyRecord.objects.filter(user_id=ann.user_id)
    assert [bytes(one.request_digest) for one in kept] == [b"", b""]
    assert places_of(CANARY) == []


def test_whoever_comes_back_is_remembered_from_then_on_and_not_from_before(
    service: Bot,
) -> None:
    """Acceptance row 19, for a whole user: what was sent before stays gone."""
    ann = make_relationship()
    tell(service, ann)
    erase(service, ann, "user")
    old = {"text": f"我对{CANARY}过敏", "sent_at": SENT_AT, "id": "m-1-again"}
    new = {"text": "我养了一只猫", "sent_at": datetime.now(UTC), "id": "m-2"}
    say(service, ann, old, new)
    told = answers(service, ann)
    found = places_of(CANARY)

    say(service, ann, {**old, "sent_at": datetime.now(UTC), "id": "m-3"})

    assert "猫" in told
    assert CANARY not in told
    assert found == []
    assert CANARY in answers(service, ann)


def say(service: Bot, ann: RelationshipRef, *messages: dict[str, Any]) -> None:
    """Post messages of the user, end the session, and do its job."""
    here = {"relationship": str(ann.id)}
    posted = [
        {**one, "author_kind": "user", "sent_at": one["sent_at"].isoformat()}
        for one in messages
    ]
    answer = service.post("/messages", here | {"messages": posted})
    assert answer.status_code == 202, answer.content
    service.post("/sessions/end", here)
    for session in ChatSession.objects.of(ann.id).filter(status="pending"):
        process(session_id=str(session.pk))
