"""The work on one ended session: rules, the model, slots, vectors, rows.

Owns the order and the scopes of it: read in one scope, think and embed outside of
any, write in another, in which the claim is checked again. Safe to run twice.

>>> process_session(session_id, now=now)  # doctest: +SKIP
'done'
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from consent.gate import find_closing, lock_grants
from identity.errors import RelationshipNotFound
from identity.resolution import get_relationship
from identity.scopes import job_scope
from identity.types import RelationshipRef
from memories import claims, sessions
from memories.claims import Claim, Outcome
from memories.consulting import Consulted, consult
from memories.errors import LeaseLost, RelationshipMissing
from memories.evidence import mask_session_before
from memories.extraction.rules import read_session
from memories.extraction.types import CandidateFact, SessionMessage
from memories.locks import lock_memories
from memories.models import Message
from memories.provisional import take_back
from memories.statements import PreparedStatement, prepare_statements
from memories.tombstones import load_tombstones
from memories.versions import NewMemory
from memories.writing import Written, write_memories
from memsys.kernel.scope import Purpose, access_scope

logger = logging.getLogger("memsys.sessions")


@dataclass(frozen=True)
class Thought:
    """What was found in a session, and the memories that it makes."""

    consulted: Consulted
    news: Sequence[NewMemory]


def process_session(session_id: UUID, *, now: datetime) -> str:
    """Claim an ended session and turn it into memories; return what became of it.

    `not_waiting`: done, leased to another, or still open. For the rest, and for what
    it raises, see `process_claimed`; the claim then ends with its lease.
    """
    held = claims.claim(session_id, now=now)
    return process_claimed(held, now=now) if held is not None else "not_waiting"


def process_claimed(held: Claim, *, now: datetime) -> str:
    """Turn a claimed session into memories; return what became of it.

    `done`: processed. `closed`: the gate allows no writing any more, nothing was read.
    `waiting`: the rules' facts are stored, the model is asked again later. `lost`:
    erased or taken over meanwhile; nothing was written.

    Raises:
        RelationshipMissing: the session's relationship is gone.
    """
    try:
        relationship = get_relationship(held.relationship_id)
    except RelationshipNotFound as exc:
        raise RelationshipMissing("The session has no relationship.") from exc
    if (closed := find_closing(relationship)) is not None:
        claims.finish(held, Outcome(error_code=closed), now=now)
        return "closed"
    try:
        consulted = _think(relationship, held, now=now)
        return _write(relationship, held, consulted, now=now)
    except LeaseLost:
        logger.info("session.lost", extra={"session": str(held.session_id)})
        return "lost"


def _think(relationship: RelationshipRef, held: Claim, *, now: datetime) -> Thought:
    messages = _read(relationship, held.session_id)
    found = read_session(messages, time_zone=relationship.time_zone)
    consulted = consult(relationship, held, messages, found.facts, now=now)
    facts = [*found.endings, *consulted.facts]
    news = prepare(relationship, messages, facts, session_id=held.session_id)
    return Thought(consulted, news)


def _read(relationship: RelationshipRef, session_id: UUID) -> list[SessionMessage]:
    with job_scope(relationship):
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
    facts: Sequence[CandidateFact],
    *,
    session_id: UUID,
) -> list[NewMemory]:
    """Embed the facts of a session. No query; calls the embedder once."""
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
        due_until=fact.due_until,
        author=fact.author,
        only_ends=fact.only_ends,
    )


def _write(
    relationship: RelationshipRef, held: Claim, thought: Thought, *, now: datetime
) -> str:
    with job_scope(relationship):
        # Before the session's row, in the order in which an erasure locks them.
        lock_memories(relationship.id, now=now)
        if not claims.is_held(held):
            raise LeaseLost("Another worker or an erasure took the session.")
        # A withdrawal waits until this is written, and deletes it.
        lock_grants(relationship)
        if (closed := find_closing(relationship, now=now)) is not None:
            claims.finish(held, Outcome(error_code=closed), now=now)
            return "closed"
        _mask_erased(relationship.id, held.session_id)
        if held.is_provisional:
            take_back(relationship, held.session_id, thought.news, now=now)
        written = write_memories(relationship, thought.news, now=now)
        status = _settle(held, thought.consulted, written, now=now)
    logger.info(
        "session.processed",
        extra={
            "session": str(held.session_id),
            "status": status,
            "made": len(written.made),
        },
    )
    return status


def _settle(
    held: Claim, consulted: Consulted, written: Written, *, now: datetime
) -> str:
    """Note what became of the session in its row; return it in a word."""
    outcome = Outcome(
        memories_made=len(written.made),
        extraction=consulted.extraction,
        messages_cut=consulted.messages_cut,
        sensitive_dropped=written.dropped,
        error_code=consulted.error_code,
    )
    if consulted.ask_again_at is None:
        claims.finish(held, outcome, now=now)
        return "done"
    claims.postpone(held, outcome, until=consulted.ask_again_at)
    return "waiting"


def _mask_erased(relationship_id: UUID, session_id: UUID) -> None:
    """Mask what was sent again from before an erasure of everything."""
    until = load_tombstones(relationship_id).everything_until
    if until is not None:
        mask_session_before(relationship_id, session_id, until)


def give_back(held: Claim, *, error_code: str, now: datetime) -> None:
    """Give a session that failed back for a later try, or up after the last one."""
    status = claims.fail(held, error_code=error_code, now=now)
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
