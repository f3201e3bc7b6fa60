"""When a memory is kept no longer; pure.

Owns which class of data a version belongs to and which moment its time is counted from.
Forgetting (`decay`) is another thing: a memory that is forgotten is not recalled, one
that lapses is deleted.

>>> from datetime import UTC
>>> t = datetime(2026, 1, 1, tzinfo=UTC)
>>> one = Kept(row=UUID(int=1), lineage=UUID(int=2), tier="episodic", kind="event",
...            recorded_at=t, first_recorded_at=t)
>>> find_lapse(one, Clock(days={"episodic_memory": 180}, active_at=t, now=t))
Lapse(data_class='episodic_memory', at=datetime.datetime(2026, 6, 30, 0, 0, \
tzinfo=datetime.timezone.utc))
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from memories.types import Kind, Tier

MINOR, MINOR_INTIMATE = "minor_memory", "minor_intimate_memory"
SENSITIVE, SUPERSEDED = "sensitive_memory", "superseded_value"
EPISODIC, SEMANTIC = "episodic_memory", "semantic_memory"
IDLE = "inactive_relationship"


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What decides about one version of a memory.

    `first_recorded_at` is that of its lineage, `said_at` when it was last said by the
    clock of who said it, `waits_until` the date of an appointment.
    """

    row: UUID
    lineage: UUID
    tier: str
    kind: str
    recorded_at: datetime
    first_recorded_at: datetime
    is_sensitive: bool = False
    recorded_to: datetime | None = None
    valid_to: datetime | None = None
    said_at: datetime | None = None
    corrected_at: datetime | None = None
    used_at: datetime | None = None
    waits_until: datetime | None = None

    @property
    def is_current(self) -> bool:
        """Say whether it is known now and true until further notice."""
        return self.recorded_to is None and self.valid_to is None


@dataclass(frozen=True, kw_only=True)
class Clock:
    """The days of each class, and what the user and the relationship are."""

    days: Mapping[str, int]
    active_at: datetime
    now: datetime
    is_minor: bool = False
    is_intimate: bool = False


@dataclass(frozen=True)
class Lapse:
    """From when on a version is kept no longer, and by which class of data."""

    data_class: str
    at: datetime


def find_lapse(one: Kept, clock: Clock) -> Lapse | None:
    """Return when a version lapses: by the shortest time that holds for it.

    None for what goes with its relationship alone, once that lies idle.
    """
    return min(_lapses(one, clock), key=lambda lapse: lapse.at, default=None)


def _lapses(one: Kept, clock: Clock) -> Iterator[Lapse]:
    told_at = _told_at(one, clock)
    if clock.is_minor:
        code = MINOR_INTIMATE if clock.is_intimate else MINOR
        yield _after(told_at, code, clock)
    if one.is_sensitive:
        yield _after(told_at, SENSITIVE, clock)
    if not one.is_current:
        yield _after(_ended_at(one), SUPERSEDED, clock)
    elif one.tier != Tier.SEMANTIC:
        yield _after(_used_at(one, told_at), EPISODIC, clock)
    elif clock.days[SEMANTIC] < clock.days[IDLE]:
        active_at = max(_used_at(one, told_at), clock.active_at)
        yield _after(active_at, SEMANTIC, clock)


def _after(moment: datetime, code: str, clock: Clock) -> Lapse:
    return Lapse(code, moment + timedelta(days=clock.days[code]))


def _told_at(one: Kept, clock: Clock) -> datetime:
    """Return when it was last told to us: an import of old messages is told today."""
    said_at = min(one.said_at or one.first_recorded_at, clock.now)
    corrected_at = one.corrected_at or one.first_recorded_at
    return max(one.first_recorded_at, said_at, corrected_at)


def _used_at(one: Kept, told_at: datetime) -> datetime:
    """Return when it was last told or used, and not before what it waits for."""
    times = [told_at, one.recorded_at, one.used_at, one.waits_until]
    if one.kind != Kind.COMMITMENT:
        times = times[:-1]
    return max(at for at in times if at is not None)


def _ended_at(one: Kept) -> datetime:
    if one.recorded_to is not None:
        return one.recorded_to
    return max(one.recorded_at, one.valid_to or one.recorded_at)
