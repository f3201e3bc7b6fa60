"""From what a chat service posts to stored messages.

Owns the order: privacy filter, duplicates, session, row. No model, no embedding, no
tokenizer. Does not open the transaction; the caller's access scope does.

>>> filtered = filter_messages([IncomingMessage("user", "在吗", now)])  # doctest: +SKIP
>>> receive(relationship, filtered, now=now)  # doctest: +SKIP
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from consent.gate import keep_open
from identity.custody import note_creator_message
from identity.types import RelationshipRef
from memories import dedupe, sessions, working_memory
from memories.errors import IntakeConflict, InvalidMessage
from memories.models import Message
from memories.types import AuthorKind
from memories.working_memory import Standing, Turn
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.text.clean import check_identifier, clean_text
from memsys.kernel.text.privacy import mask


@dataclass(frozen=True)
class IncomingMessage:
    """One message as it was posted; `external_id` is the caller's own id."""

    author_kind: str
    text: str
    sent_at: datetime
    external_id: str | None = None
    payment_signal: bool = False


@dataclass(frozen=True)
class FilteredMessage:
    """A message after cleaning and the privacy filter; `masked` counts by kind."""

    author_kind: str
    text: str
    sent_at: datetime
    external_id: str | None
    payment_signal: bool
    masked: dict[str, int]
    digest: bytes


@dataclass(frozen=True)
class Receipt:
    """What became of one message: `stored`, or `duplicate` of the one named."""

    message_id: UUID
    outcome: str
    external_id: str | None
    session_id: UUID | None


def filter_messages(messages: Sequence[IncomingMessage]) -> list[FilteredMessage]:
    """Clean and mask a batch, before anything is stored or logged. No query.

    Raises:
        InvalidMessage: naming the first message that is not acceptable.
        InvalidIdentifier: a message id is empty, blank, too long or holds NUL.
    """
    return [_filter(message, index) for index, message in enumerate(messages)]


def _filter(message: IncomingMessage, index: int) -> FilteredMessage:
    if message.author_kind not in AuthorKind.values:
        raise InvalidMessage(index, "author_kind", "one of " + ", ".join(AuthorKind))
    if len(message.text) > settings.MESSAGE_MAX_CHARS:
        limit = settings.MESSAGE_MAX_CHARS
        raise InvalidMessage(index, "text", f"at most {limit} characters")
    if message.external_id is not None:
        check_identifier(message.external_id, field="id")
    masked = mask(clean_text(message.text))
    if not masked.text:
        raise InvalidMessage(index, "text", "at least one visible character")
    return FilteredMessage(
        author_kind=message.author_kind,
        text=masked.text,
        sent_at=message.sent_at,
        external_id=message.external_id,
        payment_signal=message.payment_signal,
        masked=dict(masked.counts),
        digest=hashlib.sha256(masked.text.encode("utf-8")).digest(),
    )


def receive(
    relationship: RelationshipRef, messages: Sequence[FilteredMessage], *, now: datetime
) -> list[Receipt]:
    """Store a batch and say per message what became of it; four statements.

    Raises:
        IntakeConflict: a parallel post took one of the ids; nothing was stored,
            open a new scope and call again.
        GateClosed: a child's guardian has withdrawn meanwhile.
        ScopeMissing: no access scope is open.
    """
    require_scope(relationship=relationship.id)
    keep_open(relationship, now=now)
    bucket = bucket_of(relationship.id)
    candidates = [
        dedupe.Candidate(index, new_id(bucket=bucket), message)
        for index, message in enumerate(messages)
    ]
    known = dedupe.find_known(relationship, candidates, now=now)
    fresh = [one for one in candidates if known[one.index] == one.message_id]
    joined = sessions.join(
        relationship, [(one.message_id, one.message.sent_at) for one in fresh], now=now
    )
    session_of = {
        message: one.session_id for one in joined for message in one.message_ids
    }
    _store(relationship, fresh, session_of)
    _follow(relationship, fresh, joined)
    _note_creator(relationship, fresh, now=now)
    return [
        Receipt(
            message_id=known[one.index],
            outcome="stored" if known[one.index] == one.message_id else "duplicate",
            external_id=one.message.external_id,
            session_id=session_of.get(one.message_id),
        )
        for one in candidates
    ]


def _store(
    relationship: RelationshipRef,
    fresh: Sequence[dedupe.Candidate],
    session_of: dict[UUID, UUID],
) -> None:
    rows = [
        Message(
            id=one.message_id,
            global_user_id=relationship.user_id,
            relationship_id=relationship.id,
            session_id=session_of[one.message_id],
            external_id=one.message.external_id,
            author_kind=one.message.author_kind,
            text=one.message.text,
            sent_at=one.message.sent_at,
            payment_signal=one.message.payment_signal,
            masked=one.message.masked,
        )
        for one in fresh
    ]
    try:
        Message.objects.bulk_create(rows)
    except IntegrityError as exc:
        if "message_external_id" in str(exc):
            raise IntakeConflict("A parallel post took the same message id.") from exc
        raise


def _follow(
    relationship: RelationshipRef,
    fresh: Sequence[dedupe.Candidate],
    joined: Sequence[sessions.Joined],
) -> None:
    """Bring the copy of the open session up to date after the commit. One call."""
    last = next((one for one in reversed(joined) if one.is_open), None)
    if last is None:
        return
    sent = {one.message_id: one.message for one in fresh}
    turns = [
        Turn(
            message,
            sent[message].author_kind,
            sent[message].text,
            sent[message].sent_at,
        )
        for one in joined
        if one.session_id == last.session_id
        for message in one.message_ids
    ]
    standing = Standing(
        relationship.memory_version, last.session_id, last.message_count
    )
    # The messages are stored whatever becomes of their copy.
    transaction.on_commit(
        partial(working_memory.append, relationship.id, standing, turns), robust=True
    )


def _note_creator(
    relationship: RelationshipRef, fresh: Sequence[dedupe.Candidate], *, now: datetime
) -> None:
    sent = [
        one.message.sent_at
        for one in fresh
        if one.message.author_kind == AuthorKind.CREATOR
    ]
    if sent:
        note_creator_message(relationship, sent_at=max(sent), now=now)
