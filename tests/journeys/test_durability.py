"""What was answered stays: over a killed web server, and over a lost broker."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from django.utils import timezone

from identity.resolution import get_relationship
from memories.models import ChatSession, Message
from memories.reading import Slice, list_memories
from memories.tasks import process
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.api import Bot
from tests.factories.identity import make_relationship
from tests.journeys.conftest import WebServer, headers_of

SENT_AT = datetime.now(UTC) - timedelta(minutes=5)


@pytest.mark.slow
def test_it_keeps_a_message_when_killed_right_after_the_answer(
    mortal_web: WebServer, service: Bot
) -> None:
    """Acceptance row 68."""
    ann = make_relationship()
    batch = {
        "relationship": str(ann.id),
        "messages": [
            {
                "author_kind": "user",
                "text": "我对芒果过敏",
                "sent_at": SENT_AT.isoformat(),
                "id": "m-1",
            }
        ],
    }

    answer = httpx.post(
        f"{mortal_web.url}/api/v1/messages", json=batch, headers=headers_of(service)
    )
    mortal_web.kill()

    assert answer.status_code == 202
    with access_scope(Purpose.SERVICE, relationship=ann.id):
        assert Message.objects.get(relationship_id=ann.id).text == "我对芒果过敏"

    mortal_web.start()
    again = httpx.post(
        f"{mortal_web.url}/api/v1/messages", json=batch, headers=headers_of(service)
    )
    ended = httpx.post(
        f"{mortal_web.url}/api/v1/sessions/end",
        json={"relationship": str(ann.id)},
        headers=headers_of(service),
    )

    assert again.json()["items"][0]["outcome"] == "duplicate"
    assert ended.status_code == 200
    (session,) = ChatSession.objects.of(ann.id)
    process(session_id=str(session.pk))
    fresh = get_relationship(ann.id)
    with access_scope(Purpose.SERVICE, relationship=ann.id):
        memories = list_memories(fresh.id, Slice(), now=timezone.now())
    assert [memory.kind for memory in memories] == ["taboo"]


@pytest.mark.slow
def test_it_answers_fifty_first_contacts_with_one_relationship(
    web: WebServer, service: Bot
) -> None:
    known = make_relationship()
    who = {
        "user": "first-contact-" + str(known.id),
        "creator": known.creator_external_id,
        "persona": known.persona_key,
    }

    def resolve(_: int) -> str:
        answer = httpx.post(
            f"{web.url}/api/v1/relationships/resolve",
            json=who,
            headers=headers_of(service),
            timeout=30,
        )
        return str(answer.json()["id"])

    with ThreadPoolExecutor(50) as pool:
        ids = set(pool.map(resolve, range(50)))

    assert len(ids) == 1
