"""The work on one ended session: rules, slots, vectors, rows.

Owns the order and the scopes of it: read in one scope, think and embed outside of
any, write in another, in which the claim is checked again. Safe to run twice.

>>> process_session(session_id, now=now)  # doctest: +SKIP
'done'
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from consent.gate import find_closing
from identity.errors import RelationshipNotFound
from identity.resolution import get_relationship
from identity.types import RelationshipRef
from memories import sessions
from memories.errors import LeaseLost, RelationshipMissing
from memories.evidence import mask_session_before
from memories.extraction.rules import extract
from memories.extraction.types import CandidateFact, SessionMessage
from memories.locks import lock_memories
from memories.models import Message
from memories.sessions import Claim
from memories.statements import PreparedStatement, prepare_statements
from memories.tombstones import load_tombstones
from memories.versions import NewMemory
from memories.writing import write_memories
from memsys.kernel.scope import Purpose, access_scope

logger = logging.getLogger("memsys.sessions")


def process_session(session_id: UUID, *, now: datetime) -> str:
    """Claim an ended session and turn it into memories; return what became of it.

    `not_waiting`: done, leased to another, or still open. For the rest, and for what
    it raises, see `process_claimed`; the claim then ends with its lease.
    """
    held = sessions.claim(session_id, now=now)
    return process_claimed(held, now=now) if held is not None else "not_waiting"


def process_claimed(held: Claim, *, now: datetime) -> str:
    """Turn a claimed session into memories; return what became of it.

    `done`: processed. `closed`: the gate allows no writing any more, nothing was read.
    `lost`: erased or taken over meanwhile; nothing was written.

    Raises:
        RelationshipMissing: the session's relationship is gone.
    """
    try:
        relationship = get_relationship(held.relationship_id)
    except RelationshipNotFound as exc:
        raise RelationshipMissing("The session has no relationship.") from exc
    if (closed := find_closing(relationship)) is not None:
        sessions.finish(held, memories_made=0, error_code=closed, now=now)
        return "closed"
    messages = _read(relationship, held.session_id)
    news = prepare(relationship, messages, session_id=held.session_id)
    try:
        return _write(relationship, held, news, now=now)
    except LeaseLost:
        logger.info("session.lost", extra={"session": str(held.session_id)})
        return "lost"


def _read(relationship: RelationshipRef, session_id: UUID) -> list[SessionMessage]:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        rows = Message.objects.filter(
            relationship_id=relationship.id, session_id=session_id, no_extract=False
        )
        return [
            SessionMessage(
                id=row.pk,
                author_kind=row.author_kind,
                text=row.text,
                sent_at=row.sent_at,
            )
            for row in rows.order_by("sent_at", "id")
        ]


def prepare(
    relationship: RelationshipRef,
    messages: Sequence[SessionMessage],
    *,
    session_id: UUID,
) -> list[NewMemory]:
    """Extract and embed the facts of a session. No query; calls the embedder once."""
    facts = extract(messages, time_zone=relationship.time_zone)
    statements = prepare_statements(
        [fact.text for fact in facts], names=relationship.names
    )
    sent_at = {message.id: message.sent_at for message in messages}
    return [
        _to_new(fact, statement, sent_at, session_id)
        for fact, statement in zip(facts, statements, strict=True)
    ]


def _to_new(
    fact: CandidateFact,
    statement: PreparedStatement,
    sent_at: dict[UUID, datetime],
    session_id: UUID,
) -> NewMemory:
    return NewMemory(
        kind=fact.kind,
        subject=fact.subject,
        dimension=fact.dimension,
        key=fact.key[:200],
        value=fact.value[:500],
        polarity=fact.polarity,
        statement=statement,
        evidence=tuple((sent_at[message], message) for message in fact.evidence),
        source_session=session_id,
        importance=fact.importance,
        said_at=max(sent_at[message] for message in fact.evidence),
        occurred_at=fact.occurred_at,
        due_at=fact.due_at,
        author=fact.author,
    )


def _write(
    relationship: RelationshipRef,
    held: Claim,
    news: Sequence[NewMemory],
    *,
    now: datetime,
) -> str:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        # Before the session's row, in the order in which an erasure locks them.
        lock_memories(relationship.id, now=now)
        if not sessions.is_held(held):
            raise LeaseLost("Another worker or an erasure took the session.")
        _mask_erased(relationship.id, held.session_id)
        written = write_memories(relationship, news, now=now) if news else None
        made = len(written.made) if written else 0
        sessions.finish(held, memories_made=made, now=now)
    logger.info(
        "session.processed",
        extra={"session": str(held.session_id), "made": made},
    )
    return "done"


def _mask_erased(relationship_id: UUID, session_id: UUID) -> None:
    """Mask what was sent again from before an erasure of everything."""
    until = load_tombstones(relationship_id).everything_until
    if until is not None:
        mask_session_before(relationship_id, session_id, until)


def give_back(held: Claim, *, error_code: str, now: datetime) -> None:
    """Give a session that failed back for a later try, or up after the last one."""
    status = sessions.fail(held, error_code=error_code, now=now)
    logger.warning(
        "session.given_back",
        extra={
            "session": str(held.session_id),
            "status": status,
            "error": error_code,
        },
    )


def end_idle_session(relationship_id: UUID, *, now: datetime) -> int:
    """End the open session of a relationship if it is still idle; return how many."""
    with access_scope(Purpose.JOB, relationship=relationship_id):
        return len(sessions.end_idle(relationship_id, now=now))
