"""Who works on an ended session, and what became of it.

Owns the session row as the queue of its own work: a claim is one UPDATE by id with a
lease, so two deliveries make one run and a lost broker loses nothing.

>>> held = claim(session_id, now=now)  # doctest: +SKIP
>>> finish(held, Outcome(memories_made=2), now=now)  # doctest: +SKIP
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection

from memories.models import ChatSession
from memories.querysets import ChatSessionQuerySet
from memories.types import Extraction, SessionStatus
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql

WAITING_LIMIT = 500
RETRY_SECONDS = 15
GRACE = timedelta(seconds=20)


@dataclass(frozen=True)
class Claim:
    """A session that this worker has until `lease_until`.

    `is_provisional`: the rules' facts are stored already, and the model's awaited.
    """

    session_id: UUID
    relationship_id: UUID
    lease_until: datetime
    attempts: int
    is_provisional: bool = False


@dataclass(frozen=True)
class Outcome:
    """What the work on a session made; `error_code` says why it made nothing."""

    memories_made: int = 0
    extraction: str = ""
    messages_cut: int = 0
    sensitive_dropped: Mapping[str, int] = field(default_factory=dict)
    error_code: str = ""


def claim(session_id: UUID, *, now: datetime) -> Claim | None:
    """Lease a pending session to this worker, or return None. One statement.

    Each claim counts as an attempt, so a job that kills its worker ends too.
    """
    lease_until = now + timedelta(seconds=settings.SESSION_LEASE_SECONDS)
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("memories", "claim_session"),
            {
                "id": session_id,
                "shard": bucket_of(session_id),
                "now": now,
                "lease_until": lease_until,
                "max_attempts": settings.SESSION_MAX_ATTEMPTS,
            },
        )
        row = cursor.fetchone()
    if row is None:
        return None
    relationship_id, attempts, extraction = row
    return Claim(
        session_id,
        relationship_id,
        lease_until,
        attempts,
        is_provisional=extraction == Extraction.PROVISIONAL,
    )


def _held(held: Claim) -> ChatSessionQuerySet:
    rows: ChatSessionQuerySet = ChatSession.objects.filter(
        pk=held.session_id,
        status=SessionStatus.PENDING,
        lease_until=held.lease_until,
    )
    return rows


def is_held(held: Claim) -> bool:
    """Lock the session and say whether the claim still holds. One statement."""
    return _held(held).select_for_update().exists()


def finish(held: Claim, outcome: Outcome, *, now: datetime) -> None:
    """Mark a claimed session as processed. One statement."""
    ChatSession.objects.filter(pk=held.session_id).update(
        status=SessionStatus.DONE,
        lease_until=None,
        error_code=outcome.error_code,
        memories_made=outcome.memories_made,
        extraction=outcome.extraction,
        messages_cut=outcome.messages_cut,
        sensitive_dropped=dict(outcome.sensitive_dropped),
        processed_at=now,
    )


def postpone(held: Claim, outcome: Outcome, *, until: datetime) -> None:
    """Give a session back until the model may be asked; no attempt is used up."""
    _held(held).update(
        lease_until=until,
        attempts=held.attempts - 1,
        error_code=outcome.error_code,
        memories_made=outcome.memories_made,
        extraction=outcome.extraction,
        sensitive_dropped=dict(outcome.sensitive_dropped),
    )


def fail(held: Claim, *, error_code: str, now: datetime) -> str:
    """Give a claimed session back for a later try, or up; return its new status.

    `lost` when another worker or an erasure took it meanwhile: then it is theirs.
    """
    is_last = held.attempts >= settings.SESSION_MAX_ATTEMPTS
    status = SessionStatus.DEAD if is_last else SessionStatus.PENDING
    wait = timedelta(seconds=RETRY_SECONDS * 2**held.attempts)
    changed = _held(held).update(
        status=status,
        error_code=error_code[:60],
        lease_until=None if is_last else now + wait,
    )
    return status.value if changed else "lost"


def give_up_exhausted(*, now: datetime) -> int:
    """Give up sessions whose last attempt died with its worker; return how many."""
    rows = ChatSession.objects.waiting(now=now)
    return rows.filter(attempts__gte=settings.SESSION_MAX_ATTEMPTS).update(
        status=SessionStatus.DEAD, error_code="WorkerLost", lease_until=None
    )


def list_waiting(*, now: datetime) -> list[UUID]:
    """Return pending sessions that no worker has; bounded, oldest first."""
    # Younger ones were queued when they ended; this finds what the broker lost.
    rows = ChatSession.objects.waiting(now=now).filter(ended_at__lte=now - GRACE)
    ordered = rows.order_by("ended_at", "id")
    return list(ordered.values_list("id", flat=True)[:WAITING_LIMIT])
