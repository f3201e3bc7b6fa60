"""Relationships with data of a certain age, and nights that look at them.

>>> ann = make_aged(days=31)  # doctest: +SKIP
>>> sleep(ann).counts  # doctest: +SKIP
{'raw_message': 1}
"""

from datetime import date, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.utils import timezone

from consent import retention
from consent.models import RetentionRun
from consent.retention import Looked
from identity.models import Relationship
from identity.types import RelationshipRef
from memories.models import ChatSession, Message
from tests.factories.identity import make_relationship
from tests.factories.memories import content_of, make_memory, make_message, make_session

NIGHTS = date(1900, 1, 1)


def ago(days: float) -> datetime:
    return timezone.now() - timedelta(days=days)


def make_aged(
    days: float, words: str = "喜欢喝花生露", **fields: Any
) -> RelationshipRef:
    """Make a relationship with a finished session of one message and one memory."""
    status = fields.pop("session_status", "done")
    memory = fields.pop("memory", {})
    ann = make_relationship(created_at=ago(days), **fields)
    session = make_old_session(ann, days, status=status)
    message = make_old_message(ann, words, session, days)
    make_memory(
        ann,
        words,
        **{
            "occurred_at": ago(days),
            "evidence": [message.pk],
            "evidence_at": [message.sent_at],
            "source_session": session,
        }
        | memory,
    )
    return ann


def make_old_session(
    ann: RelationshipRef, days: float, status: str = "done"
) -> ChatSession:
    ended = None if status == "open" else ago(days)
    return make_session(ann, at=ago(days), status=status, ended_at=ended)


def make_old_message(
    ann: RelationshipRef,
    words: str,
    session: ChatSession,
    days: float,
    **fields: Any,
) -> Message:
    return make_message(
        ann, words, session, sent_at=ago(days), received_at=ago(days), **fields
    )


def make_night(at: datetime | None = None) -> RetentionRun:
    """Make a night of its own, that nobody else's looks are counted in."""
    night = NIGHTS + timedelta(days=uuid4().int % 40_000)
    return RetentionRun.objects.create(
        night=night, started_at=at or timezone.now(), days=retention.read_days()
    )


def sleep(
    ann: RelationshipRef, *, at: datetime | None = None, limit: int = 5000
) -> Looked:
    """Let a night look at a relationship, whether it is due or not."""
    at = at or timezone.now()
    Relationship.objects.filter(pk=ann.id).update(retention_at=at)
    looked = retention.look(ann.id, make_night(at), now=at, limit=limit)
    assert looked is not None
    return looked


def texts_of(ann: RelationshipRef) -> list[str]:
    with content_of(ann):
        rows = Message.objects.filter(relationship_id=ann.id)
        return list(rows.order_by("sent_at", "pk").values_list("text", flat=True))
