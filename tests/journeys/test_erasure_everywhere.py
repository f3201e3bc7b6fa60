"""What was erased is found nowhere: no route, no table, no key."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections

from identity.types import RelationshipRef
from memories.models import ChatSession
from memories.tasks import process
from memsys.kernel.valkey import get_valkey
from tests.factories.api import Bot
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


def places_of(text: str) -> Iterator[str]:
    """Yield each table and key that holds the text; read past row-level security."""
    with connections["maintenance"].cursor() as cursor:
        cursor.execute(
            "SELECT format('%I', relname) FROM pg_class "
            "WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        )
        tables = [name for (name,) in cursor.fetchall()]
        for table in tables:
            cursor.execute(
                f"SELECT count(*) FROM {table} AS r WHERE r::text LIKE %s",  # noqa: S608 - quoted by the database
                [f"%{text}%"],
            )
            if cursor.fetchone()[0]:
                yield table
    for key in get_valkey().scan_iter():
        if text.encode() in _value_of(key):
            yield key.decode()


def _value_of(key: bytes) -> bytes:
    """Return all that a key of Valkey holds."""
    match get_valkey().type(key):
        case b"string":
            return get_valkey().get(key) or b""
        case b"hash":
            return b"".join(get_valkey().hvals(key))
        case b"list":
            return b"".join(get_valkey().lrange(key, 0, -1))
        case kind:
            assert kind in (b"none", b"set", b"zset"), kind
            return b""


@pytest.mark.parametrize("erased", ["memory", "relationship"])
def test_it_is_found_nowhere_afterwards(service: Bot, erased: str) -> None:
    """Acceptance rows 16, 21 and C6."""
    ann = make_relationship()
    tell(service, ann)
    here = f"/relationships/{ann.id}/memories"
    assert CANARY in answers(service, ann)
    planted = sorted(places_of(CANARY))
    (memory,) = service.get(here).json()["items"]

    if erased == "memory":
        answer = service.delete(f"{here}/{memory['id']}")
    else:
        answer = service.delete(here, {"confirm": str(ann.id)})

    assert answer.status_code == 200
    assert "memories_memory" in planted
    assert "memories_message" in planted
    assert any(place.startswith("memsys:pack") for place in planted)
    assert any(place.startswith("memsys:working") for place in planted)
    assert CANARY not in answers(service, ann)
    assert list(places_of(CANARY)) == []
