"""What the night changes of a relationship's memories; pure.

Owns which are promoted, which are put away and which come back, and when there is work
again. The decision is of the rows and the moment alone: made twice it changes nothing,
and however often it was made before, the same rows end in the same state.

>>> plan([], cap=20_000, now=datetime(2026, 1, 1))
Plan(promoted=(), archived=(), restored=(), next_at=None)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.decay import fades_at, fades_from, is_faded, is_lasting
from memories.types import Kind, MemoryStatus, Tier

SESSIONS_TO_PROMOTE = 3
# What is said of the day, or of a day to come, never becomes true until further notice.
PROMOTED_KINDS = frozenset({Kind.PREFERENCE, Kind.TABOO, Kind.FACT})


@dataclass(frozen=True, kw_only=True)
class Remembered:
    """What decides about one memory: its version known now, and who says it.

    `sessions` counts those in which it was said, as far as they are told.
    """

    row: UUID
    tier: str
    kind: str
    dimension: str
    status: str
    stability_days: float
    occurred_at: datetime
    waits_until: datetime | None = None
    said_at: datetime | None = None
    sessions: int = 0

    @property
    def is_lasting(self) -> bool:
        """Say whether it is kept however old."""
        return is_lasting(kind=self.kind, dimension=self.dimension)

    @property
    def fades_from(self) -> datetime:
        """Return when it begins to fade."""
        return fades_from(
            kind=self.kind,
            occurred_at=self.occurred_at,
            waits_until=self.waits_until,
            said_at=self.said_at,
        )

    @property
    def fades_at(self) -> datetime | None:
        """Return when it is forgotten; None for never."""
        if self.is_lasting:
            return None
        return fades_at(t0=self.fades_from, stability_days=self.stability_days)

    def is_faded(self, *, now: datetime) -> bool:
        """Say whether it is forgotten."""
        return not self.is_lasting and is_faded(
            now=now, t0=self.fades_from, stability_days=self.stability_days
        )


@dataclass(frozen=True)
class Plan:
    """The rows that change, and the next moment at which one will."""

    promoted: tuple[UUID, ...] = ()
    archived: tuple[UUID, ...] = ()
    restored: tuple[UUID, ...] = ()
    next_at: datetime | None = None


def plan(memories: Sequence[Remembered], *, cap: int, now: datetime) -> Plan:
    """Return what the night changes; the strongest memory stands first.

    At most `cap` stay unarchived, and none that is forgotten. What was archived and is
    neither comes back. Restricted ones stay as they are.
    """
    free = [
        (place, one)
        for place, one in enumerate(memories)
        if one.status != MemoryStatus.RESTRICTED
    ]
    away = {one.row for place, one in free if place >= cap or one.is_faded(now=now)}
    put_away = {one.row for _, one in free if one.status == MemoryStatus.ARCHIVED}
    kept = [one for _, one in free if one.row not in away]
    return Plan(
        promoted=tuple(one.row for one in memories if is_promoted(one)),
        archived=tuple(one.row for _, one in free if one.row in away - put_away),
        restored=tuple(one.row for one in kept if one.row in put_away),
        next_at=min(_fading(kept), default=None),
    )


def is_promoted(one: Remembered) -> bool:
    """Say whether something that happened has become what is true."""
    return (
        one.tier == Tier.EPISODIC
        and one.kind in PROMOTED_KINDS
        and one.sessions >= SESSIONS_TO_PROMOTE
    )


def _fading(memories: Sequence[Remembered]) -> Iterator[datetime]:
    for one in memories:
        if (moment := one.fades_at) is not None:
            yield moment
