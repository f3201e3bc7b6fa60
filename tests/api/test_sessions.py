"""POST /sessions/end and GET /relationships/{id}/sessions."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from identity.types import RelationshipRef
from memories.models import ChatSession
from tests.factories.api import Bot, make_message_body


def post(bot: Bot, relationship: RelationshipRef, hours_ago: float = 0) -> str:
    """Send one message and return the session that it joined."""
    sent_at = timezone.now() - timedelta(hours=hours_ago)
    messages = [make_message_body(sent_at=sent_at)]
    body = {"relationship": str(relationship.id), "messages": messages}
    session: str = bot.post("/messages", body).json()["items"][0]["session"]
    return session


def test_ending_a_session_queues_it(bot: Bot, ann: RelationshipRef) -> None:
    session = post(bot, ann)

    response = bot.post("/sessions/end", {"relationship": str(ann.id)})

    assert response.status_code == 200
    assert response.json() == {"relationship": str(ann.id), "ended": [session]}
    assert ChatSession.objects.get(pk=session).status == "pending"


def test_ending_nothing_says_so(bot: Bot, ann: RelationshipRef) -> None:
    response = bot.post("/sessions/end", {"relationship": str(ann.id)})

    assert response.status_code == 200
    assert response.json()["ended"] == []


def test_it_lists_sessions_page_by_page(bot: Bot, ann: RelationshipRef) -> None:
    for hours in (5, 4, 3, 2, 1):
        post(bot, ann, hours_ago=hours)

    seen: list[dict[str, Any]] = []
    query: dict[str, str] = {"limit": "2"}
    while True:
        page = bot.get(f"/relationships/{ann.id}/sessions", **query).json()
        seen += page["items"]
        if page["next_cursor"] is None:
            break
        query["cursor"] = page["next_cursor"]

    assert len(seen) == len({one["id"] for one in seen}) == 5
    ends = [one["last_message_at"] for one in seen]
    assert ends == sorted(ends, reverse=True)
    assert [one["status"] for one in seen] == ["open"] + ["pending"] * 4
