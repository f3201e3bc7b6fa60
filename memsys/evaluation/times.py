"""Measures time words: which windows of a labelled sentence are read right.

Owns the labelled format and what counts as right. A sentence is read as a question,
so that bare dates lie in the past.

>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> line = TimeLine(text="给我三点建议", now=now, start=None, end=None)
>>> measure_times([line]).false_hits
0
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import AwareDatetime, model_validator

from memsys.evaluation.files import CleanText, Record, fault
from memsys.kernel.text.timewords import Direction, Window, find_windows

HOUR = timedelta(hours=1)
_MOMENT = timedelta(microseconds=1)


class TimeLine(Record):
    """One labelled sentence; `end` is the last moment, None where there is no window."""

    text: CleanText
    now: AwareDatetime
    start: AwareDatetime | None
    end: AwareDatetime | None
    granularity: str = "day"

    @model_validator(mode="after")
    def _check_window(self) -> "TimeLine":
        if (self.start is None) != (self.end is None):
            raise fault("end: start and end are given both or not at all")
        if self.start and self.end and self.end < self.start:
            raise fault("end: it lies before start")
        return self


@dataclass(frozen=True, kw_only=True)
class TimeResult:
    """How many sentences have a window, are read right, and are read falsely."""

    total: int
    right: int
    no_window: int
    false_hits: int


def measure_times(lines: Iterable[TimeLine]) -> TimeResult:
    """Read each line and count; of several windows the first one is judged."""
    timed: list[bool] = []
    untimed: list[bool] = []
    for line in lines:
        found = find_windows(line.text, now=line.now, direction=Direction.PAST)
        if line.start is None:
            untimed.append(bool(found))
        else:
            timed.append(bool(found) and is_right(line, found[0]))
    return TimeResult(
        total=len(timed),
        right=sum(timed),
        no_window=len(untimed),
        false_hits=sum(untimed),
    )


def is_right(line: TimeLine, found: Window) -> bool:
    """Tell whether a window is the one that a line means.

    Hours: it begins within an hour of the expected window and ends two hours after it
    at the latest. Else its first and its last day are the expected ones; where these
    are several, each may be a day off.
    """
    if line.start is None or line.end is None:
        return False
    if line.granularity == "hour":
        begins = line.start - HOUR <= found.start <= line.end + HOUR
        return begins and found.end <= line.end + 2 * HOUR
    zone = line.now.tzinfo
    first, last = line.start.astimezone(zone), line.end.astimezone(zone)
    slack = 1 if last - first > timedelta(days=1) else 0
    return (
        _days_apart(found.start, first) <= slack
        and _days_apart(found.end - _MOMENT, last) <= slack
    )


def _days_apart(one: datetime, other: datetime) -> int:
    return abs((one.date() - other.date()).days)
