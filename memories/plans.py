"""Which open plan a statement takes back, so that both stand in one slot.

Owns finding it: by the words that name it and by the day if one is said, never by
likeness alone. A statement that comes before its plan waits in a slot without a day.
What the slot makes of it is `slot_lines`'. Under the lock of the relationship.

>>> Plans(lines, time_zone="Asia/Shanghai").where_it_counts(new).key  # doctest: +SKIP
'北京出差|2026-12-20'
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Q

from memories.lines import Line
from memories.models import Memory
from memories.slots.plans import is_named, is_same_plan
from memories.types import Kind
from memories.versions import NewMemory, Slot

_DAY = timedelta(days=1)


def list_plan_keys(relationship_id: UUID, news: Sequence[NewMemory]) -> set[str]:
    """Return the keys of the plans that may be meant by statements. One query."""
    said = [one.said_at for one in news if one.kind == Kind.COMMITMENT]
    if not said:
        return set()
    plans = Memory.objects.of(relationship_id).current().filter(kind=Kind.COMMITMENT)
    ahead = Q(due_at=None) | Q(due_at__gte=min(said) - _DAY) | Q(polarity=-1)
    return set(plans.filter(ahead).values_list("key", flat=True))


class Plans:
    """The lines of one relationship's plans."""

    def __init__(self, lines: Mapping[Slot, Line], *, time_zone: str) -> None:
        self._lines = lines
        self._zone = ZoneInfo(time_zone)

    def where_it_counts(self, new: NewMemory) -> NewMemory:
        """Return a statement in the slot of the plan that it ends, or as it is.

        A plan that comes late goes where a statement that ends it waits for it.
        """
        slots = self._ended_by(new) if new.polarity < 0 else self._waiting_for(new)
        key = next((slot[2] for slot in slots), new.key)
        return replace(new, key=key)

    def _ended_by(self, new: NewMemory) -> list[Slot]:
        known = [slot for slot, line in self._alike(new) if _has_said(line, new, -1)]
        if known:
            return known
        local = self._local_day(new.said_at)
        moved_to = self._local_day(new.due_at) if new.due_at else None
        said_day = day_of(new.key)
        open_plans = [
            slot
            for slot, line in self._alike(new)
            if (holding := line.find_at(new.said_at))
            and holding.polarity > 0
            and not _has_said(line, new, 1)
            and (day_of(slot[2]) or date.max) >= local
            and (moved_to is None or day_of(slot[2]) != moved_to)
            and said_day in (None, day_of(slot[2]))
        ]
        if len(open_plans) > 1 and not is_named(words_of(new.key)):
            return []
        return sorted(open_plans, key=lambda slot: day_of(slot[2]) or date.max)

    def _waiting_for(self, new: NewMemory) -> list[Slot]:
        """Return where what ends a plan stands since before the plan was known."""
        alike = list(self._alike(new))
        known = [slot for slot, line in alike if _has_said(line, new, 1)]
        own = self._lines.get(new.slot)
        if known or (own and any(one.polarity > 0 for one in own.periods)):
            return known
        return [slot for slot, line in alike if self._waits(slot, line, new)]

    def _waits(self, slot: Slot, line: Line, new: NewMemory) -> bool:
        if any(one.polarity > 0 for one in line.periods):
            return False
        day = day_of(new.key)
        return day_of(slot[2]) in (None, day) and any(
            new.said_at < one.valid_from
            and (day is None or self._local_day(one.valid_from) <= day)
            for one in line.periods
        )

    def _local_day(self, moment: datetime) -> date:
        return moment.astimezone(self._zone).date()

    def _alike(self, new: NewMemory) -> Iterator[tuple[Slot, Line]]:
        words = words_of(new.key)
        for slot, line in self._lines.items():
            subject, dimension, key = slot
            if (subject, dimension) != (new.subject, new.dimension) or not line.periods:
                continue
            is_alike = is_same_plan(words, words_of(key))
            if is_alike or (not is_named(words) and day_of(new.key) == day_of(key)):
                yield slot, line


def words_of(key: str) -> str:
    """Return the words in the slot of a plan."""
    return key.partition("|")[0]


def day_of(key: str) -> date | None:
    """Return the day in the slot of a plan, if it has one."""
    day = key.partition("|")[2]
    return date.fromisoformat(day) if day else None


def _has_said(line: Line, new: NewMemory, polarity: int) -> bool:
    said = {*new.evidence}
    return bool(said) and any(
        one.polarity == polarity and said <= {*one.said} for one in line.periods
    )
