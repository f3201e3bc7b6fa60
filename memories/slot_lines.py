"""How a statement takes its place in the line of a slot, or leaves it; pure.

Owns the rule of supersession: whatever the order in which statements arrive, the
line of one slot has no overlaps, and the newest statement in time is the open one.
What a person put right stands against all that was said before.

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

    `said` holds each message that said it, with its time. `settled_until` is when a
    person put it right: nothing said by then changes it.
    """

    lineage: UUID
    value: str
    polarity: int
    valid_from: datetime
    valid_to: datetime | None
    superseded_by: UUID | None
    said: tuple[Said, ...] = ()
    settled_until: datetime | None = None

    def says_same(self, other: "Period") -> bool:
        """Say whether both mean the same."""
        return (self.value, self.polarity) == (other.value, other.polarity)

    @property
    def is_empty(self) -> bool:
        """Say whether it was superseded in the moment in which it began."""
        return self.valid_to == self.valid_from

    def holds_at(self, moment: datetime) -> bool:
        """Say whether this was true at a moment."""
        is_begun = self.valid_from <= moment
        return is_begun and (self.valid_to is None or moment < self.valid_to)

    def overlaps(self, other: "Period") -> bool:
        """Say whether both were true at some moment."""
        return not (self.is_empty or other.is_empty) and (
            self.holds_at(other.valid_from) or other.holds_at(self.valid_from)
        )

    def stands_against(self, other: "Period") -> bool:
        """Say whether a person put this right after the other was said."""
        until = self.settled_until
        return until is not None and other.valid_from <= until

    def with_said(self, other: "Period") -> "Period":
        """Return this with the other's messages added, in order, each once."""
        return replace(self, said=tuple(sorted({*self.said, *other.said})))


@dataclass(frozen=True)
class Ended:
    """A memory that is no more; `into` is the one that goes on for it, if any."""

    lineage: UUID
    into: UUID | None = None


@dataclass(frozen=True)
class Placement:
    """What a statement changes: periods that get other bounds, and new ones.

    `reinforced` is the memory that says the same already; then `new` is None. So it is
    with `overruled`, the memory that a person put right since.
    `resumed` is the rest of the first changed period, true again after `new`, since it
    was said again by then; it is a memory of its own. `ended` leave the line.
    """

    changed: tuple[Period, ...] = ()
    new: Period | None = None
    reinforced: Period | None = None
    resumed: Period | None = None
    overruled: Period | None = None
    ended: tuple[Ended, ...] = ()


def place(line: Sequence[Period], new: Period, *, resumed_as: UUID) -> Placement:
    """Return what changes when `new` is said at its `valid_from`.

    `resumed_as` is the id for a resumed memory, if there is one. Equal times: the one
    recorded later wins. What the line has from the same messages changes nothing.
    """
    moment = new.valid_from
    known = next((one for one in line if _is_replay(one, new)), None)
    if known is not None:
        return Placement(reinforced=known)
    holding = next((one for one in line if one.holds_at(moment)), None)
    if holding is None:
        return _before(_find_following(line, moment), new)
    if holding.says_same(new):
        return Placement(reinforced=holding.with_said(new))
    if holding.stands_against(new):
        return Placement(overruled=holding)
    again = [one for one in holding.said if one[0] > moment]
    if again:
        return _between(holding, new, again[0][0], resumed_as)
    return _after(holding, _find_following(line, moment), new)


def withdraw(line: Sequence[Period], lineage: UUID) -> Placement:
    """Return what changes when a memory of the line was never said.

    What it superseded is true until what followed on it. Two neighbours that then say
    the same become one.
    """
    taken = next(one for one in line if one.lineage == lineage)
    ended = Ended(lineage)
    pointing = [one for one in line if one.superseded_by == lineage]
    before = next((p for p in pointing if p.valid_to == taken.valid_from), None)
    if before is None:
        return Placement(ended=(ended,))
    freed = _until(before, taken.valid_to, taken.superseded_by)
    rest = [freed if one is before else one for one in line if one is not taken]
    united = merge(rest)
    changed = {one.lineage: one for one in (freed, *united.changed)}
    for one in united.ended:
        changed.pop(one.lineage, None)
    return Placement(changed=tuple(changed.values()), ended=(ended, *united.ended))


def merge(line: Sequence[Period]) -> Placement:
    """Return what changes when neighbours that say the same become one memory.

    The older one goes on, with the evidence of both. What a person put right stays as
    it is.
    """
    kept: list[Period] = []
    into: dict[UUID, UUID] = {}
    for one in sorted(line, key=lambda period: period.valid_from):
        if one.is_empty or one.settled_until is not None:
            continue
        last = kept[-1] if kept else None
        if last and last.valid_to == one.valid_from and last.says_same(one):
            longer = _until(last, one.valid_to, one.superseded_by)
            kept[-1] = longer.with_said(one)
            into[one.lineage] = last.lineage
        else:
            kept.append(one)
    changed = [one for one in kept if one.lineage in into.values()]
    return Placement(
        changed=tuple(changed),
        ended=tuple(Ended(old, new) for old, new in into.items()),
    )


def join(line: Sequence[Period], moved: Period, *, at: datetime) -> Placement:
    """Return what changes when a person says `at` a moment that `moved` belongs here.

    It was in another line by mistake. If it is still true it supersedes what holds
    here, as said at that moment; what is past takes the time that nothing has here.
    What says the same goes on in it.
    """
    others = [one for one in line if one.overlaps(moved)]
    if not others:
        return Placement(new=moved)
    first = min(others, key=lambda one: one.valid_from)
    if moved.valid_to is not None:
        end = max(moved.valid_from, first.valid_from)
        return Placement(new=_until(moved, end, first.lineage))
    last = max(others, key=lambda one: one.valid_from)
    if last.valid_to is not None:
        begin = max(at, last.valid_to)
        return Placement(new=replace(moved, valid_from=begin))
    if not last.says_same(moved):
        begin = max(at, last.valid_from)
        closed = _until(last, begin, moved.lineage)
        return Placement((closed,), replace(moved, valid_from=begin))
    begin = min(moved.valid_from, last.valid_from) if first is last else last.valid_from
    pointing = [one for one in line if one.superseded_by == last.lineage]
    return Placement(
        changed=tuple(replace(one, superseded_by=moved.lineage) for one in pointing),
        new=replace(moved, valid_from=begin).with_said(last),
        ended=(Ended(last.lineage, moved.lineage),),
    )


def _is_replay(one: Period, new: Period) -> bool:
    is_known = bool(new.said) and {*new.said} <= {*one.said}
    return is_known and one.says_same(new)


def _find_following(line: Sequence[Period], moment: datetime) -> Period | None:
    later = [one for one in line if one.valid_from > moment and not one.is_empty]
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
    is_next = following is not None and following.valid_from == holding.valid_to
    if following is not None and is_next and following.says_same(new):
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
        settled_until=None,
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
