"""What is kept no longer of a relationship's messages and memories.

Owns the deletion that time brings. It is no erasure: no tombstone is left, so what the
user says again is remembered again. A message keeps its id, its date and the caller's
own id, by which a retry is known for ever; its words, its fingerprint and what the model
answered about its session go. A session that still waits for its work is left alone.

>>> expire_content(keeping).counts  # doctest: +SKIP
{'raw_message': 40, 'episodic_memory': 2}
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import Max

from consent.gate import is_minor, list_held_memories
from identity.resolution import get_relationship
from identity.types import RelationshipKind, RelationshipRef
from identity.versions import note_consolidation
from memories.caches import forget_caches
from memories.evidence import MARKERS, expire_messages
from memories.lapsing import (
    EPISODIC,
    MINOR,
    MINOR_INTIMATE,
    SEMANTIC,
    SENSITIVE,
    SUPERSEDED,
    Clock,
    Kept,
    find_lapse,
)
from memories.locks import lock_memories
from memories.models import ChatSession, Memory, Message, ModelAnswer
from memories.querysets import ChatSessionQuerySet
from memories.types import SessionStatus
from memsys.kernel.expiring import Keeping, Lapsed
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql

RAW = "raw_message"
CLASSES = (RAW, SUPERSEDED, SENSITIVE, MINOR, MINOR_INTIMATE, EPISODIC, SEMANTIC)
FINISHED = (SessionStatus.DONE, SessionStatus.DEAD, SessionStatus.CANCELLED_ERASED)
FIELDS = (
    "row", "lineage", "tier", "kind", "recorded_at", "first_recorded_at",
    "is_sensitive", "recorded_to", "valid_to", "said_at", "corrected_at", "used_at",
    "waits_until",
)  # fmt: skip


@dataclass
class _Found:
    """What lapsed of the memories: rows by class, those held, and what lapses next."""

    gone: dict[UUID, str] = field(default_factory=dict)
    whole: dict[UUID, str] = field(default_factory=dict)
    held: Counter[str] = field(default_factory=Counter)
    next_at: datetime | None = None

    def take(self, limit: int) -> dict[UUID, str]:
        """Return at most so many rows that go, with their classes, the oldest first.

        The ids are in order of time: no older version is left behind by a newer one.
        """
        return {row: self.gone[row] for row in sorted(self.gone)[:limit]}


def expire_content(keeping: Keeping) -> Lapsed:
    """Delete what lapsed of a relationship's messages and memories.

    What a hold keeps one by one stays, with the messages that it was made from.

    Raises:
        ScopeMissing, ScopeConflict: no scope of the relationship is open.
    """
    require_scope(relationship=keeping.relationship_id)
    relationship = get_relationship(keeping.relationship_id)
    if not keeping.is_dry:
        lock_memories(relationship.id, now=keeping.now)
    held = list_held_memories(relationship)
    active_at = _find_active(relationship)
    rows = _read(relationship.id)
    found = _sort(rows, held, _clock(relationship, keeping, active_at))
    messages = _expire_messages(keeping, held)
    gone = found.gone if keeping.is_dry else found.take(keeping.limit)
    if not keeping.is_dry:
        _delete(relationship, gone, keeping)
    return Lapsed(
        counts=_add(Counter(gone.values()), messages.counts),
        kept=_add(found.held, messages.kept),
        next_at=_first(found.next_at, messages.next_at),
        active_at=active_at if rows or _has_messages(relationship.id) else None,
        has_more=messages.has_more or len(gone) < len(found.gone),
    )


def _clock(
    relationship: RelationshipRef, keeping: Keeping, active_at: datetime
) -> Clock:
    return Clock(
        days=keeping.days,
        active_at=active_at,
        now=keeping.now,
        is_minor=is_minor(relationship),
        is_intimate=relationship.relationship_kind == RelationshipKind.INTIMATE,
    )


def _find_active(relationship: RelationshipRef) -> datetime:
    """Return when a message last came, or else when the relationship began."""
    sessions = ChatSession.objects.of(relationship.id)
    last: datetime | None = sessions.aggregate(at=Max("last_received_at"))["at"]
    return last or relationship.created_at


def _has_messages(relationship_id: UUID) -> bool:
    """Say whether words of messages are left."""
    rows = Message.objects.filter(relationship_id=relationship_id)
    return rows.exclude(text__in=MARKERS).exists()


def _read(relationship_id: UUID) -> list[Kept]:
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("memories", "list_kept"),
            {"relationship": relationship_id, "shard": bucket_of(relationship_id)},
        )
        return [Kept(**dict(zip(FIELDS, row, strict=True))) for row in cursor]


def _sort(rows: Sequence[Kept], held: Collection[UUID], clock: Clock) -> _Found:
    found = _Found()
    for one in rows:
        lapse = find_lapse(one, clock)
        if lapse is None:
            continue
        if lapse.at > clock.now:
            found.next_at = _first(found.next_at, lapse.at)
        elif one.lineage in held:
            found.held[lapse.data_class] += 1
        else:
            found.gone[one.row] = lapse.data_class
            if one.is_current:
                found.whole[one.lineage] = lapse.data_class
    # With what is true go the older versions of it.
    for one in rows:
        if one.lineage in found.whole and one.row not in found.gone:
            found.gone[one.row] = found.whole[one.lineage]
    return found


def _delete(
    relationship: RelationshipRef, rows: Collection[UUID], keeping: Keeping
) -> None:
    if not rows:
        return
    ids = sorted(rows)
    of_it = Memory.objects.of(relationship.id)
    lineages = set(of_it.filter(pk__in=ids).values_list("lineage", flat=True))
    of_it.filter(pk__in=ids).delete()
    still = of_it.filter(lineage__in=lineages).values_list("lineage", flat=True)
    gone = sorted(lineages - set(still))
    of_it.filter(superseded_by__in=gone).update(superseded_by=None)
    note_consolidation(relationship.id, at=keeping.now)
    forget_caches(relationship.id)


def _expire_messages(keeping: Keeping, held: Mapping[UUID, UUID]) -> Lapsed:
    """Empty the messages of finished sessions that lapsed, some sessions at once."""
    days = timedelta(days=keeping.days[RAW])
    needed = _list_evidence(keeping.relationship_id, held)
    messages = Message.objects.filter(relationship_id=keeping.relationship_id)
    busy = list(messages.filter(pk__in=needed).values_list("session_id", flat=True))
    waiting = _waiting(keeping.relationship_id)
    due = waiting.filter(last_received_at__lte=keeping.now - days)
    free = due.exclude(pk__in=busy)
    taken = _take(free, keeping.most)
    sessions = [*taken, *due.filter(pk__in=busy).values_list("pk", flat=True)]
    rows = messages.filter(session_id__in=sessions).exclude(text__in=MARKERS)
    ids = list(rows.exclude(pk__in=needed).values_list("pk", flat=True))
    kept = rows.filter(pk__in=needed).count() if needed else 0
    if sessions and not keeping.is_dry:
        _empty(keeping, sessions, ids)
        ChatSession.objects.filter(pk__in=taken).update(words_gone_at=keeping.now)
    later = waiting.filter(last_received_at__gt=keeping.now - days)
    first = later.order_by("last_received_at").values_list(
        "last_received_at", flat=True
    )
    return Lapsed(
        counts={RAW: len(ids)},
        kept={RAW: kept},
        next_at=first[0] + days if first[:1] else None,
        has_more=free.count() > (len(taken) if keeping.is_dry else 0),
    )


def _waiting(relationship_id: UUID) -> ChatSessionQuerySet:
    """Return the finished sessions whose words are still there."""
    rows = ChatSession.objects.of(relationship_id)
    return rows.filter(status__in=FINISHED, words_gone_at=None)


def _take(due: ChatSessionQuerySet, limit: int | None) -> list[UUID]:
    """Return sessions with about so many messages, at least one; all without a limit."""
    taken: list[UUID] = []
    messages = 0
    ordered = due.order_by("last_received_at", "id")
    for key, count in ordered.values_list("id", "message_count")[:limit]:
        if limit is not None and taken and messages + count > limit:
            break
        taken.append(key)
        messages += count
    return taken


def _empty(keeping: Keeping, sessions: Sequence[UUID], ids: Sequence[UUID]) -> None:
    expire_messages(keeping.relationship_id, ids)
    answers = ModelAnswer.objects.filter(
        relationship_id=keeping.relationship_id, session_id__in=sessions
    )
    answers.exclude(text="").update(text="")


def _list_evidence(relationship_id: UUID, held: Mapping[UUID, UUID]) -> set[UUID]:
    """Return the messages that held memories were made from."""
    if not held:
        return set()
    rows = Memory.objects.of(relationship_id).filter(lineage__in=sorted(held))
    return {one for said in rows.values_list("evidence", flat=True) for one in said}


def _add(first: Mapping[str, int], second: Mapping[str, int]) -> dict[str, int]:
    total = Counter(first)
    total.update(second)
    return dict(total)


def _first(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((at for at in (one, other) if at is not None), default=None)
