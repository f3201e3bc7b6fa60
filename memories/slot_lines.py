"""How a new statement takes its place in the line of a slot; pure.

Owns the rule of supersession: whatever the order in which statements arrive, the
line of one slot has no overlaps, and the newest statement in time is the open one.

>>> late = Period(UUID(int=2), "西安", 1, day_1, None, None)  # doctest: +SKIP
>>> place([first], late).new.valid_to  # doctest: +SKIP
day_9
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

Said = tuple[datetime, UUID]


@dataclass(frozen=True)
class Period:
    """One memory of a slot and when it was true; the end is exclusive.

    `said` holds each message that said it, with its time.
    """

    lineage: UUID
    value: str
    polarity: int
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: UUID | None
    said: tuple[Said, ...] = ()

    def says_same(self, other: "Period") -> bool:
        """Say whether both mean the same."""
        return (self.value, self.polarity) == (other.value, other.polarity)

    def holds_at(self, moment: datetime) -> bool:
        """Say whether this was true at a moment."""
        is_begun = self.valid_from <= moment
        return is_begun and (self.valid_to is None or moment < self.valid_to)

    def with_said(self, other: "Period") -> "Period":
        """Return this with the other's messages added, in order, each once."""
        return replace(self, said=tuple(sorted({*self.said, *other.said})))


@dataclass(frozen=True)
class Placement:
    """What a statement changes: periods that get other bounds, and new ones.

    `reinforced` is the memory that says the same already; then `new` is None.
    `resumed` is the rest of the first changed period, true again after `new`, since it
    was said again by then; it is a memory of its own.
    """

    changed: tuple[Period, ...] = ()
    new: Period | None = None
    reinforced: Period | None = None
    resumed: Period | None = None


def place(line: Sequence[Period], new: Period, *, resumed_as: UUID) -> Placement:
    """Return what changes when `new` is said at its `valid_from`.

    `resumed_as` is the id for a resumed memory, if there is one. Equal times: the one
    recorded later wins.
    """
    moment = new.valid_from
    holding = next((one for one in line if one.holds_at(moment)), None)
    if holding is None:
        return _before(_find_following(line, moment), new)
    if holding.says_same(new):
        return Placement(reinforced=holding.with_said(new))
    again = [one for one in holding.said if one[0] > moment]
    if again:
        return _between(holding, new, again[0][0], resumed_as)
    return _after(holding, _find_following(line, moment), new)


def _find_following(line: Sequence[Period], moment: datetime) -> Period | None:
    later = [one for one in line if one.valid_from > moment]
    return min(later, key=lambda one: one.valid_from, default=None)


def _before(following: Period | None, new: Period) -> Placement:
    """Nothing was known for this time: the statement holds until the next one."""
    if following is None:
        return Placement(new=new)
    if following.says_same(new):
        earlier = replace(following, valid_from=new.valid_from).with_said(new)
        return Placement((earlier,), reinforced=earlier)
    return Placement(new=_until(new, following.valid_from, following.lineage))


def _after(holding: Period, following: Period | None, new: Period) -> Placement:
    """The statement ends what held; what follows on it may say the same already."""
    moment = new.valid_from
    if following is not None and following.says_same(new):
        earlier = replace(following, valid_from=moment).with_said(new)
        closed = _until(holding, moment, following.lineage)
        return Placement((closed, earlier), reinforced=earlier)
    closed = _until(holding, moment, new.lineage)
    return Placement((closed,), _until(new, holding.valid_to, holding.superseded_by))


def _between(
    holding: Period, new: Period, again_at: datetime, resumed_as: UUID
) -> Placement:
    """What held was said again later: it ends for the statement, and resumes."""
    moment = new.valid_from
    resumed = replace(
        holding,
        lineage=resumed_as,
        valid_from=again_at,
        said=tuple(one for one in holding.said if one[0] > moment),
    )
    closed = replace(
        _until(holding, moment, new.lineage),
        said=tuple(one for one in holding.said if one[0] <= moment),
    )
    return Placement((closed,), _until(new, again_at, resumed_as), resumed=resumed)


def _until(
    period: Period, moment: datetime | None, superseded_by: UUID | None
) -> Period:
    return replace(period, valid_to=moment, superseded_by=superseded_by)
