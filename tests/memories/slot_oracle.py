"""What one slot should answer, painted day by day; shares no rule with the code.

A day holds the memory that is true on it. The last day stands for all that follow.

>>> slot = Slot(days=3)
>>> slot.say("西安", 1, "m1")
>>> slot.values()
[None, '西安', '西安']
"""

from dataclasses import dataclass, field

Picture = list[tuple["Told", str] | None]


@dataclass(eq=False)
class Told:
    """One memory: its value, who said it when, and what a person put right in it."""

    value: str
    said: set[tuple[int, str]] = field(default_factory=set)
    mistaken: dict[str, set[tuple[int, str]]] = field(default_factory=dict)
    settled: int = -1


class Slot:
    """One slot of one relationship, by days."""

    def __init__(self, *, days: int) -> None:
        self.days: list[Told | None] = [None] * days
        self.told: list[Told] = []
        self.pictures: dict[int, Picture] = {}
        self.masked: set[str] = set()
        self._erased: list[tuple[str, int]] = []

    def values(self) -> list[str | None]:
        """Give the value of each day."""
        return [one and one.value for one in self.days]

    def say(self, value: str, day: int, message: str) -> None:
        """A message of a day says a value."""
        if any(value == gone and day <= until for gone, until in self._erased):
            self.masked.add(message)
            return
        if any(one.value == value and (day, message) in one.said for one in self.told):
            return
        here = self.days[day]
        if here and here.value == value:
            here.said.add((day, message))
            return
        if here and day <= here.settled:
            return
        end = self._end(day)
        after = self.days[end] if end < len(self.days) else None
        if after and after is not here and after.value == value:
            after.said.add((day, message))
            self._paint(after, day, end)
        elif not self._is_mistaken(value, day):
            self._begin(value, day, end, {(day, message)})

    def _begin(
        self, value: str, day: int, end: int, said: set[tuple[int, str]]
    ) -> None:
        here = self.days[day]
        if here and end < len(self.days) and self.days[end] is here:
            resumed = Told(here.value, {one for one in here.said if one[0] > day})
            here.said -= resumed.said
            rest = [n for n, one in enumerate(self.days) if one is here and n >= end]
            self.told.append(resumed)
            self._paint(resumed, end, rest[-1] + 1)
        new = Told(value, said)
        self.told.append(new)
        self._paint(new, day, end)

    def _end(self, day: int) -> int:
        """Give the first day that is another's, or on which the same was said again."""
        here = self.days[day]
        again = {one[0] for one in here.said} if here else set()
        for later in range(day + 1, len(self.days)):
            if self.days[later] is not here or later in again:
                return later
        return len(self.days)

    def _paint(self, told: Told, begin: int, end: int) -> None:
        self.days[begin:end] = [told] * (end - begin)

    def _is_mistaken(self, value: str, day: int) -> bool:
        return any(
            value in one.mistaken and value != one.value and day <= one.settled
            for one in self.told
        )

    def correct(self, told: Told, value: str, today: int) -> None:
        """A person says what a memory should say."""
        told.mistaken[told.value] = set(told.said)
        told.value = value
        told.settled = max([today, *(day for day, _ in told.said)])

    def erase(self, told: Told, today: int) -> None:
        """A memory goes, with what says the same."""
        values = {told.value, *told.mistaken}
        gone = [one for one in self.told if one.value in values]
        said = {one for told in gone for one in told.said}
        for one in self.told:
            for value in values & set(one.mistaken):
                said |= one.mistaken.pop(value)
        until = max([today, *(day for day, _ in said)])
        self._erased += [(value, until) for value in values]
        self.masked |= {message for _, message in said}
        self.told = [one for one in self.told if one not in gone]
        self.days = [None if one in gone else one for one in self.days]
        for picture in self.pictures.values():
            picture[:] = [
                None if one and (one[0] in gone or one[1] in values) else one
                for one in picture
            ]

    def look(self, step: int) -> None:
        """Keep what is known after a step."""
        self.pictures[step] = [one and (one, one.value) for one in self.days]
