"""English time words as they stand in Chinese chat: yesterday, last Friday, tonight.

Owns a short list for mixed sentences. Owns no English text at large.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> _day(DAY.match("yesterday"), Moment(now, Direction.PAST)).start
datetime.date(2026, 11, 29)
"""

import re
from datetime import date, timedelta
from re import Match

from memsys.kernel.text.timewords.hours import Hours
from memsys.kernel.text.timewords.rule import Rule
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Moment,
    Span,
    add_months,
    day_span,
    monday_of,
    month_span,
    year_span,
)

_DAYS = {
    "the day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1,
    "the day after tomorrow": 2,
}  # fmt: skip
_WEEKDAYS = (
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
)  # fmt: skip
_STEPS = {"last": -1, "this": 0, "next": 1}
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_APART = r"(?<![a-z'-])"
_END = r"(?![a-z'-]|\s*(?:once more|show))"
NIGHT = re.compile(rf"{_APART}(?:(?P<last>last night)|tonight){_END}")
DAY = re.compile(rf"{_APART}(?P<day>{'|'.join(sorted(_DAYS, key=len))}){_END}")
STEP = re.compile(
    rf"{_APART}(?P<step>last|this|next) ?"
    rf"(?P<unit>week(?:end)?|month|year|{'|'.join(_WEEKDAYS)}){_END}"
)
AGO = re.compile(
    rf"{_APART}(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)}) (?P<unit>day|week|month|year)s? ago"
    rf"{_END}"
)
CHRISTMAS = re.compile(
    rf"{_APART}(?:(?P<eve>christmas eve)|christmas){_END}(?!\s*tree)"
)
NIGHT_HOURS = Hours((18, 0), (30, 0))


def night_day(match: Match[str], moment: Moment) -> Span:
    """Give the day on which the night begins."""
    return day_span(moment.today - (ONE_DAY if match["last"] else timedelta()))


def _day(match: Match[str], moment: Moment) -> Span | None:
    return day_span(moment.today + _DAYS[match["day"]] * ONE_DAY)


def _step(match: Match[str], moment: Moment) -> Span | None:
    step, unit, today = _STEPS[match["step"]], match["unit"], moment.today
    monday = monday_of(today) + 7 * step * ONE_DAY
    if unit == "week":
        return Span(monday, monday + 7 * ONE_DAY, "week")
    if unit == "weekend":
        return Span(monday + 5 * ONE_DAY, monday + 7 * ONE_DAY, "span", "week")
    if unit == "month":
        first = add_months(today.replace(day=1), step)
        return month_span(first.year, first.month)
    if unit == "year":
        return year_span(today.year + step)
    return day_span(monday + _WEEKDAYS.index(unit) * ONE_DAY, step="week")


def _ago(match: Match[str], moment: Moment) -> Span | None:
    words, unit, today = match["count"], match["unit"], moment.today
    count = _COUNTS.get(words) or int(words)
    if count == 0:
        return None
    if unit == "year":
        return year_span(today.year - count)
    if unit == "month":
        day = add_months(today, -count)
        return Span(day, day + 2 * ONE_DAY, "month")
    if unit == "week":
        monday = monday_of(today) - 7 * count * ONE_DAY
        return Span(monday, monday + 7 * ONE_DAY, "week")
    return day_span(today - count * ONE_DAY)


def _christmas(match: Match[str], moment: Moment) -> Span | None:
    day = 24 if match["eve"] else 25
    years = range(moment.today.year - 1, moment.today.year + 2)
    return moment.choose(day_span(date(year, 12, day), step="year") for year in years)


_LETTERS = frozenset("dknt")
RULES = (
    Rule(DAY, _day, _LETTERS),
    Rule(STEP, _step, _LETTERS),
    Rule(AGO, _ago, frozenset("g")),
    Rule(CHRISTMAS, _christmas, frozenset("c")),
)
