"""What time words turn into, and the calendar arithmetic that the rules share.

Owns `Window`, `Direction`, and the `Moment` a sentence is read at. Owns no words.

>>> add_months(date(2026, 1, 31), 1)
datetime.date(2026, 2, 28)
"""

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum

ONE_DAY = timedelta(days=1)
FIRST_YEAR, LAST_YEAR = 1901, 2099


class Direction(Enum):
    """Which way a bare date points: queries look back, messages look both ways."""

    PAST = "past"
    BOTH = "both"


@dataclass(frozen=True)
class Window:
    """A stretch of time named by some words; `end` is exclusive.

    `granularity` is the size of the unit named: hour, day, week, month, year or span.
    """

    start: datetime
    end: datetime
    words: str
    granularity: str


@dataclass(frozen=True)
class Span:
    """Whole days, `end` exclusive; `step` is the period after which they recur."""

    start: date
    end: date
    granularity: str = "day"
    step: str = ""


@dataclass(frozen=True)
class Moment:
    """When a sentence is read and where it points: -1 back, +1 ahead, 0 unsaid."""

    now: datetime
    direction: Direction
    lean: int = 0

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def looks_back(self) -> bool:
        return self.direction is Direction.PAST or self.lean < 0

    def at(self, day: date, *, hour: int = 0, minute: int = 0) -> datetime:
        """Give a local time of a day; hours from 24 on fall on the days after."""
        days, hour = divmod(hour, 24)
        clock = time(hour, minute, tzinfo=self.now.tzinfo)
        return datetime.combine(day + days * ONE_DAY, clock)

    def shifted(self, amount: timedelta) -> datetime:
        """Give the moment that much real time away, across clock changes too."""
        there = self.now.astimezone(UTC) + amount
        return there.astimezone(self.now.tzinfo)

    def choose(self, spans: Iterable[Span]) -> Span | None:
        """Pick the occurrence meant: latest begun, next to come, or the nearest."""
        found = list(spans)
        begun = [span for span in found if span.start <= self.today]
        if self.looks_back:
            return max(begun, key=lambda span: span.start, default=None)
        nearest = min(found, key=self._distance, default=None)
        if self.lean > 0:
            coming = [span for span in found if span.end > self.today]
            return min(coming, key=lambda span: span.start, default=None)
        return nearest

    def _distance(self, span: Span) -> tuple[int, bool]:
        if span.start <= self.today < span.end:
            return (0, False)
        edge = span.start if span.start > self.today else span.end - ONE_DAY
        return (abs((edge - self.today).days), span.start <= self.today)


def day_span(day: date, *, step: str = "") -> Span:
    """Give the span of one day."""
    return Span(day, day + ONE_DAY, "day", step)


def month_span(year: int, month: int, *, step: str = "") -> Span:
    """Give the span of one month."""
    start = date(year, month, 1)
    return Span(start, add_months(start, 1), "month", step)


def year_span(year: int) -> Span:
    """Give the span of one year."""
    return Span(date(year, 1, 1), date(year + 1, 1, 1), "year")


def monday_of(day: date) -> date:
    """Give the Monday of the week that holds a day."""
    return day - day.weekday() * ONE_DAY


def add_months(day: date, months: int) -> date:
    """Move by whole months; a day that the month lacks becomes its last."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    last = monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def find_date(year: int, month: int, day: int) -> date | None:
    """Give that date, or None where the calendar has none."""
    try:
        return date(year, month, day)
    except ValueError:
        return None
