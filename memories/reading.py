"""Reads the memories of one relationship, inside an access scope.

Owns what callers see of a memory, and lists of what is true, was true or was known.
The id of a memory is its lineage: it stays the same over all versions.

>>> list_memories(relationship.id, Slice(), now=now)  # doctest: +SKIP
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from consent.gate import may_keep_sensitive
from identity.types import Custody, RelationshipRef
from memories.errors import MemoryNotFound
from memories.models import Memory
from memories.querysets import MemoryQuerySet
from memories.sensitive.table import load_table
from memories.types import MemoryStatus, Visibility
from memsys.kernel.scope import require_scope

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
    due_until: datetime | None
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
class Rights:
    """What a reader may see: the visibilities, and which sensitive categories.

    A creator's private note that is sensitive needs both.
    """

    visibilities: tuple[str, ...]
    categories: frozenset[str] = frozenset()

    def allow(self, row: Memory) -> bool:
        """Say whether a memory may be seen; `MemoryQuerySet.seen_with` for one row."""
        if not row.sensitive_category:
            return row.visibility in self.visibilities
        seen = (*self.visibilities, Visibility.SENSITIVE)
        return row.visibility in seen and row.sensitive_category in self.categories


@dataclass(frozen=True)
class Slice:
    """Which memories to list: true at, known at, of which kind, after which row.

    `rights` None is for whoever may see all: the job, staff, the user.
    """

    valid_at: datetime | None = None
    known_at: datetime | None = None
    kind: str | None = None
    after: Position | None = None
    limit: int = 50
    rights: Rights | None = None


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
    if wanted.kind is not None:
        known = known.filter(kind=wanted.kind)
    if wanted.rights is not None:
        known = known.seen_with(
            visibilities=wanted.rights.visibilities,
            categories=wanted.rights.categories,
        )
    return known


def _light(rows: MemoryQuerySet) -> MemoryQuerySet:
    """Leave out what no caller sees: vectors are never loaded through the ORM."""
    return rows.defer("embedding", "tokens")


def visible_to_service(relationship: RelationshipRef) -> Rights:
    """Return what a chat service may read now.

    A creator's private notes show while the creator's own pool has custody. Sensitive
    memories show while the user's grant holds, whoever has custody.
    """
    seen: tuple[str, ...] = (Visibility.NORMAL,)
    if relationship.custody == Custody.CREATOR_POOL:
        seen = (*seen, Visibility.CREATOR_PRIVATE)
    return Rights(seen, list_granted(relationship))


def list_granted(relationship: RelationshipRef) -> frozenset[str]:
    """Return the sensitive categories that the user allows now. Asks the gate."""
    codes = load_table().codes
    return frozenset(code for code in codes if may_keep_sensitive(relationship, code))


def get_memory(
    relationship_id: UUID,
    memory_id: UUID,
    *,
    rights: Rights | None = None,
) -> MemoryView:
    """Return the current version of a memory. One query.

    Raises:
        MemoryNotFound: there is none in this relationship that may be seen.
    """
    row = get_row(relationship_id, memory_id)
    if rights is not None and not rights.allow(row):
        raise MemoryNotFound("There is no such memory.")
    return to_view(row)


def get_row(relationship_id: UUID, memory_id: UUID) -> Memory:
    """Return the current row of a memory, without its search data.

    Raises:
        MemoryNotFound: there is none in this relationship.
    """
    require_scope()
    rows = Memory.objects.of(relationship_id).current().filter(lineage=memory_id)
    row = _light(rows).first()
    if row is None:
        raise MemoryNotFound("There is no such memory.")
    return row


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
        due_until=row.due_until,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        recorded_at=row.recorded_at,
        recorded_to=row.recorded_to,
        superseded_by=row.superseded_by,
        status=_status(row),
        visibility=row.visibility,
        author=row.author,
        is_flagged=row.is_flagged,
    )


def _status(row: Memory) -> str:
    """Return a row's status; that it is archived is a matter of storage alone."""
    if row.status != MemoryStatus.ARCHIVED:
        return row.status
    return MemoryStatus.ACTIVE if row.valid_to is None else MemoryStatus.SUPERSEDED
