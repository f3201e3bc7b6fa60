"""Makes one memory of neighbours that say the same; for the job of the night.

Owns finding them and their rows. The older memory goes on, with the evidence and the
uses of both; the younger one ends and points to it. Run again it finds nothing.

>>> merge_memories(relationship, now=now)  # doctest: +SKIP
(Merge(merged=UUID('...'), into=UUID('...')),)
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from identity.types import RelationshipRef
from identity.versions import bump_memory_version
from memories.decay import stability_days
from memories.lines import Line, slot_of, to_period
from memories.locks import lock_memories
from memories.models import Memory
from memories.slot_lines import merge
from memories.types import SLOTTED_KINDS, MemoryStatus, Tier
from memsys.kernel.scope import require_scope


@dataclass(frozen=True)
class Merge:
    """One memory that becomes part of another."""

    merged: UUID
    into: UUID


def find_merges(relationship_id: UUID) -> tuple[Merge, ...]:
    """Return what would become one; changes nothing. One query."""
    require_scope(relationship=relationship_id)
    groups = _load_groups(relationship_id)
    return tuple(one for rows in groups for one in _merges(_to_line(rows)))


def merge_memories(
    relationship: RelationshipRef, *, now: datetime
) -> tuple[Merge, ...]:
    """Make neighbours in a slot that say the same one memory; return which they were.

    Raises:
        ScopeMissing: no access scope is open.
    """
    require_scope(relationship=relationship.id)
    now = lock_memories(relationship.id, now=now)
    merges: list[Merge] = []
    for rows in _load_groups(relationship.id):
        line = _to_line(rows)
        found = _merges(line)
        if found:
            line.apply(merge(line.periods), now=now)
            strengthen(relationship.id, rows, found)
            merges += found
    if merges:
        bump_memory_version(relationship.id)
    return tuple(merges)


def _load_groups(relationship_id: UUID) -> Iterator[list[Memory]]:
    """Yield the rows of each slot that the same readers may see. One query."""
    rows = Memory.objects.of(relationship_id).current().filter(kind__in=SLOTTED_KINDS)
    groups: defaultdict[Hashable, list[Memory]] = defaultdict(list)
    for row in (
        rows.exclude(status=MemoryStatus.RESTRICTED)
        .defer("embedding", "tokens", "text")
        .iterator()
    ):
        groups[slot_of(row), row.visibility, row.sensitive_category].append(row)
    yield from (group for group in groups.values() if len(group) > 1)


def _to_line(rows: Sequence[Memory]) -> Line:
    line = Line()
    for row in rows:
        line.set(row.pk, to_period(row))
    return line


def _merges(line: Line) -> list[Merge]:
    ended = merge(line.periods).ended
    return [Merge(one.lineage, one.into) for one in ended if one.into is not None]


def strengthen(
    relationship_id: UUID, rows: Sequence[Memory], merges: Sequence[Merge]
) -> None:
    """Give each memory that goes on the strength of those that it took in."""
    row_of = {row.lineage: row for row in rows}
    for into in {one.into for one in merges}:
        whole = [row_of[into], *(row_of[m.merged] for m in merges if m.into == into)]
        importance = max(row.importance for row in whole)
        uses = sum(row.uses for row in whole)
        is_lasting = any(row.tier == Tier.SEMANTIC for row in whole)
        Memory.objects.of(relationship_id).current().filter(lineage=into).update(
            importance=importance,
            uses=uses,
            stability_days=stability_days(importance=importance, uses=uses),
            tier=Tier.SEMANTIC if is_lasting else row_of[into].tier,
        )
