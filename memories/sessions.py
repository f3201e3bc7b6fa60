"""The life of a session: joined by messages, ended by a caller or by silence.

Owns which messages belong together. The row is also the queue of the work on it; who
has it and what became of it is the business of `claims`.

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
Arrival = tuple[UUID, datetime]


@dataclass(frozen=True)
class Joined:
    """Messages that joined a session together, and how many it holds with them."""

    session_id: UUID
    message_ids: tuple[UUID, ...]
    message_count: int
    is_open: bool = True


def idle_time() -> timedelta:
    """Return the silence after which a session is over."""
    return timedelta(minutes=settings.SESSION_IDLE_MINUTES)


def join(
    relationship: RelationshipRef, arrivals: Sequence[Arrival], *, now: datetime
) -> list[Joined]:
    """Place arriving messages in sessions; one statement when none is split.

    Messages that follow on the open session join it. Later ones end it and open a
    new one; earlier ones, imported late, get an ended session of their own.
    """
    require_scope(relationship=relationship.id)
    return [
        _join_open(relationship, run, now=now) or _place(relationship, run, now=now)
        for run in _split(arrivals)
    ]


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
) -> Joined | None:
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
    return Joined(row[0], _ids(run), row[1]) if row else None


def _place(
    relationship: RelationshipRef, run: Sequence[Arrival], *, now: datetime
) -> Joined:
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
        in_use_since=run[0][1],
        message_count=len(run),
        ended_at=now,
        end_reason=EndReason.BACKFILL,
    )
    enqueue_session(late.pk)
    return Joined(late.pk, _ids(run), len(run), is_open=False)


def _ids(run: Sequence[Arrival]) -> tuple[UUID, ...]:
    return tuple(message for message, _ in run)


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
    """Return the sessions of a relationship with their cost, newest first. One query.

    `before` is the last row of the page before: its last message's time and its id.
    """
    rows = ChatSession.objects.of(relationship_id).with_cost()
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


def list_idle(*, now: datetime) -> list[UUID]:
    """Return the relationships whose open session fell silent; bounded."""
    rows = ChatSession.objects.idle_since(now - idle_time())
    ordered = rows.order_by("last_received_at", "id")
    return list(ordered.values_list("relationship_id", flat=True)[:SWEEP_LIMIT])
