"""Posting messages in tests, and what became of them."""

from typing import Any

from identity.types import RelationshipRef
from memories.models import Message
from tests.factories.api import Bot
from tests.factories.memories import content_of


def post(bot: Bot, relationship: RelationshipRef, *messages: Any, **meta: str) -> Any:
    body = {"relationship": str(relationship.id), "messages": list(messages)}
    return bot.post("/messages", body, **meta)


def read_texts(relationship: RelationshipRef) -> list[str]:
    with content_of(relationship):
        rows = Message.objects.filter(relationship_id=relationship.id)
        return list(rows.order_by("sent_at", "id").values_list("text", flat=True))


def outcomes(response: Any) -> list[str]:
    return [one["outcome"] for one in response.json()["items"]]
