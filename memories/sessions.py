"""The life of a session: joined by messages, ended, claimed by one worker, done.

Owns the session row, which is the queue of its own work: a claim is one UPDATE by
id with a lease, so two deliveries make one run and a lost broker loses nothing.

>>> end_sessions(relationship_id, now=now, reason=EndReason.CALLER)  # doctest: +SKIP
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Q, Sum

from identity.types import RelationshipRef
from memories.enqueue import enqueue_session
from memories.models import ChatSession
from memories.querysets import ChatSessionQuerySet
from memories.types import EndReason, SessionStatus
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.sql import load_sql

SWEEP_LIMIT = 500
RETRY_SECONDS = 15
GRACE = timedelta(seconds=20)
Arrival = tuple[UUID, datetime]


@dataclass(frozen=True)
class Claim:
    """A session that this worker has until `lease_until`."""

    session_id: UUID
    relationship_id: UUID
    lease_until: datetime
    attempts: int


def idle_time() -> timedelta:
    """Return the silence after which a session is over."""
    return timedelta(minutes=settings.SESSION_IDLE_MINUTES)


def join(
    relationship: RelationshipRef, arrivals: Sequence[Arrival], *, now: datetime
) -> dict[UUID, UUID]:
    """Return the session of each arriving message; one statement when none is split.

    Messages that follow on the open session join it. Later ones end it and open a
    new one; earlier ones, imported late, get an ended session of their own.
    """
    require_scope(relationship=relationship.id)
    session_of: dict[UUID, UUID] = {}
    for run in _split(arrivals):
        session_id = _join_open(relationship, run, now=now) or _place(
            relationship, run, now=now
        )
        session_of |= dict.fromkeys((message for message, _ in run), session_id)
    return session_of


def _split(arrivals: Sequence[Arrival]) -> Iterator[list[Arrival]]:
    """Yield the arrivals in runs without an idle gap, oldest first."""
    run: list[Arrival] = []
    for message, sent_at in sorted(arrivals, key=lambda one: one[1]):
        if run and sent_at > run[-1][1] + idle_time():
            yield run
            run = []
        run.append((message, sent_at))
    if run:
        yield run


def _join_open(
    relationship: RelationshipRef, run: Sequence[Arrival], *, now: datetime
) -> UUID | None:
    parameters: dict[str, Any] = {
        "id": new_id(bucket=bucket_of(relationship.id)),
        "shard": bucket_of(relationship.id),
        "user": relationship.user_id,
        "relationship": relationship.id,
        "first": run[0][1],
        "last": run[-1][1],
        "count": len(run),
        "now": now,
        "idle": idle_time(),
    }
    with connection.cursor() as cursor:
        cursor.execute(load_sql("memories", "join_session"), parameters)
        row = cursor.fetchone()
    joined: UUID | None = row[0] if row else None
    return joined


def _place(
    relationship: RelationshipRef, run: Sequence[Arrival], *, now: datetime
) -> UUID:
    """Place a run that is not near the open session: after it, or before."""
    current = ChatSession.objects.of(relationship.id).open().select_for_update().first()
    if current is None or run[0][1] > current.last_message_at:
        if current is not None:
            _end(current, now=now, reason=EndReason.NEWER)
        joined = _join_open(relationship, run, now=now)
        if joined is not None:
            return joined
    late = ChatSession.objects.create(
        global_user_id=relationship.user_id,
        relationship_id=relationship.id,
        status=SessionStatus.PENDING,
        first_message_at=run[0][1],
        last_message_at=run[-1][1],
        last_received_at=now,
        message_count=len(run),
        ended_at=now,
        end_reason=EndReason.BACKFILL,
    )
    late_id: UUID = late.id
    enqueue_session(late_id)
    return late_id


def _end(session: ChatSession, *, now: datetime, reason: str) -> None:
    ChatSession.objects.filter(pk=session.pk, status=SessionStatus.OPEN).update(
        status=SessionStatus.PENDING, ended_at=now, end_reason=reason
    )
    enqueue_session(session.pk)


def end_sessions(relationship_id: UUID, *, now: datetime, reason: str) -> list[UUID]:
    """End the open session of a relationship and queue its work; return its id."""
    rows = ChatSession.objects.of(relationship_id).open()
    return _end_all(relationship_id, rows, now=now, reason=reason)


def end_idle(relationship_id: UUID, *, now: datetime) -> list[UUID]:
    """End the open session if nothing came for the idle time; return its id."""
    rows = ChatSession.objects.of(relationship_id).idle_since(now - idle_time())
    return _end_all(relationship_id, rows, now=now, reason=EndReason.IDLE)


def _end_all(
    relationship_id: UUID, rows: ChatSessionQuerySet, *, now: datetime, reason: str
) -> list[UUID]:
    require_scope(relationship=relationship_id)
    ended = list(rows.select_for_update().order_by("id"))
    for session in ended:
        _end(session, now=now, reason=reason)
    return [session.pk for session in ended]


def list_sessions(
    relationship_id: UUID,
    *,
    limit: int = 50,
    before: tuple[datetime, UUID] | None = None,
) -> list[ChatSession]:
    """Return the sessions of a relationship, newest first. One query.

    `before` is the last row of the page before: its last message's time and its id.
    """
    rows = ChatSession.objects.of(relationship_id)
    if before is not None:
        last_message_at, session_id = before
        rows = rows.filter(
            Q(last_message_at__lt=last_message_at)
            | Q(last_message_at=last_message_at, id__lt=session_id)
        )
    return list(rows.order_by("-last_message_at", "-id")[:limit])


def list_pending(relationship_id: UUID) -> list[UUID]:
    """Return the ended sessions of a relationship that wait for their work."""
    rows = ChatSession.objects.of(relationship_id).filter(status=SessionStatus.PENDING)
    return list(rows.order_by("ended_at", "id").values_list("id", flat=True))


def count_made(session_ids: Collection[UUID]) -> int:
    """Return how many memories some sessions made. One query."""
    rows = ChatSession.objects.filter(pk__in=sorted(session_ids))
    made: int | None = rows.aggregate(made=Sum("memories_made"))["made"]
    return made or 0


def count_unfinished(session_ids: Collection[UUID]) -> int:
    """Return how many of some sessions still wait for their work. One query."""
    rows = ChatSession.objects.filter(
        pk__in=sorted(session_ids),
        status__in=[SessionStatus.OPEN, SessionStatus.PENDING],
    )
    return rows.count()


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
    return Claim(session_id, row[0], lease_until, row[1]) if row else None


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


def finish(
    held: Claim, *, memories_made: int, now: datetime, error_code: str = ""
) -> None:
    """Mark a claimed session as processed; `error_code` says why nothing was made."""
    ChatSession.objects.filter(pk=held.session_id).update(
        status=SessionStatus.DONE,
        lease_until=None,
        error_code=error_code,
        memories_made=memories_made,
        processed_at=now,
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


def list_idle(*, now: datetime) -> list[UUID]:
    """Return the relationships whose open session fell silent; bounded."""
    rows = ChatSession.objects.idle_since(now - idle_time())
    ordered = rows.order_by("last_received_at", "id")
    return list(ordered.values_list("relationship_id", flat=True)[:SWEEP_LIMIT])


def list_waiting(*, now: datetime) -> list[UUID]:
    """Return pending sessions that no worker has; bounded, oldest first."""
    # Younger ones were queued when they ended; this finds what the broker lost.
    rows = ChatSession.objects.waiting(now=now).filter(ended_at__lte=now - GRACE)
    ordered = rows.order_by("ended_at", "id")
    return list(ordered.values_list("id", flat=True)[:SWEEP_LIMIT])
