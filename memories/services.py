"""What can be done with the memories of one relationship, inside an access scope.

Owns reading, correcting, noting and erasing single memories, each with its audit
row. The id of a memory is its lineage: it stays the same over all versions.

>>> list_memories(relationship.id, now=now)  # doctest: +SKIP
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q
from pgvector import HalfVector

from identity.types import RelationshipRef
from identity.versions import bump_memory_version
from memories.erasure import erase_lineage
from memories.errors import MemoryConflict, MemoryNotFound
from memories.locks import lock_memories
from memories.models import Memory
from memories.querysets import MemoryQuerySet
from memories.statements import PreparedStatement
from memories.types import Dimension, Kind, Tier
from memories.writing import NewMemory, write_memories
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of, new_id

Position = tuple[datetime, UUID]


@dataclass(frozen=True)
class MemoryView:
    """One memory as callers see it; `id` is its lineage, `version_id` its row."""

    id: UUID
    version_id: UUID
    tier: str
    kind: str
    subject: str
    dimension: str
    key: str
    value: str
    polarity: int
    text: str
    evidence: tuple[UUID, ...]
    importance: float
    occurred_at: datetime
    due_at: datetime | None
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    recorded_to: datetime | None
    superseded_by: UUID | None
    status: str
    visibility: str
    author: str
    is_flagged: bool


@dataclass(frozen=True)
class Slice:
    """Which memories to list: true at, known at, of which kind, after which row."""

    valid_at: datetime | None = None
    known_at: datetime | None = None
    kind: str | None = None
    after: Position | None = None
    limit: int = 50


def list_memories(
    relationship_id: UUID, wanted: Slice, *, now: datetime
) -> list[MemoryView]:
    """Return what is true at a moment as it was known at one, oldest record first.

    Without `valid_at` and `known_at` the moment is `now`. One query.
    """
    require_scope()
    rows = _known(relationship_id, wanted).valid(at=wanted.valid_at or now)
    if wanted.after is not None:
        recorded_at, version_id = wanted.after
        rows = rows.filter(
            Q(recorded_at__gt=recorded_at)
            | Q(recorded_at=recorded_at, id__gt=version_id)
        )
    ordered = rows.order_by("recorded_at", "id")
    return [to_view(row) for row in _light(ordered)[: wanted.limit]]


def list_timeline(relationship_id: UUID, wanted: Slice) -> list[MemoryView]:
    """Return all that was ever true, superseded values included, oldest first."""
    require_scope()
    rows = _known(relationship_id, wanted)
    if wanted.after is not None:
        valid_from, version_id = wanted.after
        rows = rows.filter(
            Q(valid_from__gt=valid_from) | Q(valid_from=valid_from, id__gt=version_id)
        )
    ordered = rows.order_by("valid_from", "id")
    return [to_view(row) for row in _light(ordered)[: wanted.limit]]


def _known(relationship_id: UUID, wanted: Slice) -> MemoryQuerySet:
    rows = Memory.objects.of(relationship_id)
    known = rows.known(at=wanted.known_at) if wanted.known_at else rows.current()
    return known.filter(kind=wanted.kind) if wanted.kind is not None else known


def _light(rows: MemoryQuerySet) -> MemoryQuerySet:
    """Leave out what no caller sees: vectors are never loaded through the ORM."""
    return rows.defer("embedding", "tokens")


def get_memory(relationship_id: UUID, memory_id: UUID) -> MemoryView:
    """Return the current version of a memory. One query.

    Raises:
        MemoryNotFound: there is none in this relationship.
    """
    return to_view(_get(relationship_id, memory_id))


def _get(relationship_id: UUID, memory_id: UUID) -> Memory:
    require_scope()
    rows = Memory.objects.of(relationship_id).current().filter(lineage=memory_id)
    row = _light(rows).first()
    if row is None:
        raise MemoryNotFound("There is no such memory.")
    return row


def correct_memory(
    relationship: RelationshipRef,
    memory_id: UUID,
    statement: PreparedStatement,
    *,
    by: str,
    author: str,
    now: datetime,
) -> MemoryView:
    """Record what a memory should say; what it said before stays on the timeline.

    Raises:
        MemoryNotFound: there is none in this relationship.
    """
    now = lock_memories(relationship.id, now=now)
    row = _get(relationship.id, memory_id)
    Memory.objects.filter(pk=row.pk).update(recorded_to=now)
    row.pk = new_id(bucket=bucket_of(relationship.id))
    row._state.adding = True
    row.text = statement.text
    row.value = statement.text[:500]
    row.recorded_at, row.recorded_to = now, None
    row.author = author
    row.embedding = HalfVector(statement.embedding)
    row.embedding_model = statement.embedding_model
    row.tokens = list(statement.tokens)
    row.save(force_insert=True)
    bump_memory_version(relationship.id)
    _record(relationship, "memory.corrected", memory_id, by, ("text", "value"))
    return to_view(row)


def add_note(
    relationship: RelationshipRef,
    statement: PreparedStatement,
    *,
    by: str,
    author: str,
    now: datetime,
    occurred_at: datetime | None = None,
) -> MemoryView:
    """Write a note of a person or a service, true from `occurred_at`; it has no slot.

    Raises:
        MemoryConflict: it was erased after `occurred_at`.
    """
    moment = occurred_at or now
    note = NewMemory(
        kind=Kind.NOTE,
        subject="user",
        dimension=Dimension.OTHER,
        key="",
        value="",
        polarity=0,
        statement=statement,
        evidence=(),
        source_session=None,
        importance=0.5,
        said_at=moment,
        occurred_at=moment,
        due_at=None,
        author=author,
        tier=Tier.SEMANTIC,
    )
    # Dated before an erasure, it counts as a replay of what was erased.
    written = write_memories(relationship, [note], now=now)
    if not written.made:
        raise MemoryConflict("This was erased, and it was said before that.")
    _record(relationship, "memory.noted", written.made[0], by, ("text",))
    return get_memory(relationship.id, written.made[0])


def erase_memory(
    relationship: RelationshipRef,
    memory_id: UUID,
    *,
    by: str,
    reason_code: str,
    now: datetime,
) -> dict[str, int]:
    """Erase all versions of a memory and its evidence; return counts per store.

    Raises:
        MemoryNotFound: there is none in this relationship.
    """
    require_scope(relationship=relationship.id)
    lock_memories(relationship.id, now=now)
    counts = erase_lineage(relationship, memory_id, now=now)
    if not counts["memories"]:
        raise MemoryNotFound("There is no such memory.")
    bump_memory_version(relationship.id)
    _record(relationship, "memory.erased", memory_id, by, (), reason_code)
    return counts


def _record(
    relationship: RelationshipRef,
    action: str,
    memory_id: UUID,
    by: str,
    field_names: tuple[str, ...],
    reason_code: str = "",
) -> None:
    record(
        Deed(
            chain=deed_chain(relationship.user_id),
            action=action,
            actor=by,
            object_ref=f"memory:{memory_id}",
            field_names=field_names,
            reason_code=reason_code,
        )
    )


def to_view(row: Memory) -> MemoryView:
    """Return what callers may see of a row read inside a scope."""
    return MemoryView(
        id=row.lineage,
        version_id=row.pk,
        tier=row.tier,
        kind=row.kind,
        subject=row.subject,
        dimension=row.dimension,
        key=row.key,
        value=row.value,
        polarity=row.polarity,
        text=row.text,
        evidence=tuple(row.evidence),
        importance=row.importance,
        occurred_at=row.occurred_at,
        due_at=row.due_at,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        recorded_at=row.recorded_at,
        recorded_to=row.recorded_to,
        superseded_by=row.superseded_by,
        status=row.status,
        visibility=row.visibility,
        author=row.author,
        is_flagged=row.is_flagged,
    )
