"""Rows of memories for tests: sessions, messages, memories.

Each opens the access scope of its relationship, unless a scope is open already.

>>> make_memory(make_relationship(), "我对芒果过敏").text  # doctest: +SKIP
'我对芒果过敏'
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db.models import F
from django.utils import timezone
from pgvector import HalfVector

from identity.scopes import job_scope
from identity.types import RelationshipRef
from memories.decay import stability_days
from memories.embedding import get_embedder
from memories.models import ChatSession, Memory, Message
from memories.types import Dimension, Kind, MemoryAuthor, SessionStatus
from memsys.kernel.scope import find_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.text.tokens import tokenize


@contextmanager
def content_of(relationship: RelationshipRef) -> Iterator[None]:
    """Open the relationship's scope, or use the one that is open."""
    if find_scope() is not None:
        yield
        return
    with job_scope(relationship):
        yield


def make_session(
    relationship: RelationshipRef, at: datetime | None = None, **fields: Any
) -> ChatSession:
    """Make a session whose only moment is `at`; an ended one needs `status` too."""
    at = at or timezone.now()
    return ChatSession.objects.create(
        **{
            "global_user_id": relationship.user_id,
            "relationship_id": relationship.id,
            "first_message_at": at,
            "last_message_at": at,
            "last_received_at": at,
        }
        | fields
    )


def settle_sessions() -> None:
    """Have no session wait or be given up, of those that other tests committed."""
    ended = ChatSession.objects.filter(
        status__in=(SessionStatus.PENDING, SessionStatus.DEAD)
    )
    ended.update(status=SessionStatus.DONE)


def make_message(
    relationship: RelationshipRef,
    text: str = "今天好累",
    session: ChatSession | None = None,
    **fields: Any,
) -> Message:
    """Make a message of the user; without `session` in the open one, made if none."""
    sent_at = fields.pop("sent_at", None) or timezone.now()
    with content_of(relationship):
        if session is None:
            open_one = ChatSession.objects.of(relationship.id).open().first()
            session = open_one or make_session(relationship, at=sent_at)
        ChatSession.objects.filter(pk=session.pk).update(
            message_count=F("message_count") + 1
        )
        return Message.objects.create(
            **{
                "global_user_id": relationship.user_id,
                "relationship_id": relationship.id,
                "session": session,
                "author_kind": "user",
                "text": text,
                "sent_at": sent_at,
            }
            | fields
        )


def make_memory(relationship: RelationshipRef, text: str, **fields: Any) -> Memory:
    """Make a memory with one version, open and current, embedded, from now on.

    `occurred_at` alone dates all of it. A kind with slots gets the text as its key.
    """
    at = fields.get("occurred_at") or timezone.now()
    embedder = get_embedder()
    kind = fields.get("kind", Kind.NOTE)
    with content_of(relationship):
        return Memory.objects.create(
            **{
                "global_user_id": relationship.user_id,
                "relationship_id": relationship.id,
                "lineage": new_id(bucket=bucket_of(relationship.user_id)),
                "kind": kind,
                "dimension": Dimension.OTHER,
                "key": "" if kind == Kind.NOTE else text[:200],
                "text": text,
                "author": MemoryAuthor.RULES,
                "occurred_at": at,
                "valid_from": at,
                "recorded_at": at,
                "stability_days": stability_days(importance=0.5, uses=0),
                "tokens": tokenize(text),
                "embedding": HalfVector(embedder.embed_passages([text])[0]),
                "embedding_model": embedder.name,
            }
            | fields
        )
