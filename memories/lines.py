"""The lines of slots as rows: read from the database, changed in versions.

Owns how a row is read as a period, and the rows that a placement makes and closes.
What a placement is stands in `slot_lines`. Under the lock of the relationship.

>>> lines = load_lines(relationship.id, keys={"city"})  # doctest: +SKIP
>>> lines["user", "identity", "city"].apply(placement, now=now)  # doctest: +SKIP
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime
from uuid import UUID

from memories.models import Memory
from memories.querysets import MemoryQuerySet
from memories.slot_lines import Period, Placement, Said
from memories.slots.senses import own_key, sense
from memories.types import SLOTTED_KINDS
from memories.versions import NewMemory, Slot, close_version, record_version

Meaning = tuple[Slot, str, int]


class Line:
    """The current version of each memory of one slot, and its row."""

    def __init__(self) -> None:
        self._rows: dict[UUID, tuple[UUID, Period]] = {}

    @property
    def periods(self) -> list[Period]:
        """Return the periods, in no order."""
        return [period for _, period in self._rows.values()]

    def find(self, lineage: UUID) -> Period | None:
        """Return the period of a memory, or None when it is not of this line."""
        return self._rows[lineage][1] if lineage in self._rows else None

    def find_at(self, moment: datetime) -> Period | None:
        """Return what holds at a moment, or None."""
        return next((one for one in self.periods if one.holds_at(moment)), None)

    def set(self, row_id: UUID, period: Period) -> None:
        """Take the row of a memory, in place of an older one."""
        self._rows[period.lineage] = (row_id, period)

    def reinforce(self, period: Period) -> None:
        """Take the messages that a memory has now; its row is the same."""
        self.set(self._rows[period.lineage][0], period)

    def knows(self, said: Collection[Said]) -> bool:
        """Say whether the line has something from these messages."""
        return bool(said) and any({*said} <= {*one.said} for one in self.periods)

    def apply(self, placement: Placement, *, now: datetime) -> None:
        """Close each version that changes or ends, then record the changed ones.

        The new one is the caller's: its row is not made from another.
        """
        closed = [self._rows[one.lineage][0] for one in placement.changed]
        for row_id in closed:
            close_version(row_id, now=now)
        for ended in placement.ended:
            row_id, _ = self._rows.pop(ended.lineage)
            close_version(row_id, now=now, into=ended.into)
        for row_id, period in zip(closed, placement.changed, strict=True):
            self.set(record_version(row_id, period, now=now), period)
        if placement.resumed is not None:
            resumed = placement.resumed
            self.set(record_version(closed[0], resumed, now=now), resumed)


def load_lines(
    relationship_id: UUID, *, keys: Collection[str] | None = None
) -> defaultdict[Slot, Line]:
    """Return the line of each slot with one of the keys; of all, without. One query."""
    lines: defaultdict[Slot, Line] = defaultdict(Line)
    if keys is not None and not keys:
        return lines
    rows = Memory.objects.of(relationship_id).current().filter(kind__in=SLOTTED_KINDS)
    if keys is not None:
        rows = rows.filter(key__in=sorted(keys))
    for row in _light(rows):
        lines[slot_of(row)].set(row.pk, to_period(row))
    return lines


def _light(rows: MemoryQuerySet) -> Iterator[Memory]:
    return rows.defer("embedding", "tokens", "text").iterator()


def slot_of(row: Memory) -> Slot:
    """Return the slot of a row."""
    return row.subject, row.dimension, row.key


def meaning_of(one: Memory | NewMemory) -> Meaning:
    """Return what is equal for two memories of a slot that say the same."""
    key = own_key(kind=one.kind, key=one.key, value=one.value)
    said = sense(kind=one.kind, key=key, value=one.value)
    return (one.subject, one.dimension, key), said, one.polarity


def to_period(row: Memory) -> Period:
    """Return when the memory of a row is true, and what it says."""
    return Period(
        lineage=row.lineage,
        value=sense(kind=row.kind, key=row.key, value=row.value),
        polarity=row.polarity,
        valid_from=row.valid_from,
        valid_to=row.valid_to,
        superseded_by=row.superseded_by,
        said=tuple(zip(row.evidence_at, row.evidence, strict=True)),
        settled_until=row.corrected_at,
    )
