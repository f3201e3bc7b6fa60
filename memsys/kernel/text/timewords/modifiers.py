"""What follows a date and moves it: 中秋前一天, 10月第二个周末, 去年这个时候.

Owns words that stand behind another date. Owns no date of its own.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction, day_span
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> feast, moment = day_span(date(2026, 9, 25), step="year"), Moment(now, Direction.PAST)
>>> span, end = modify("前一天", 0, feast, moment)
>>> span.start
datetime.date(2026, 9, 24)
"""

import re
from datetime import date
from re import Match

from memsys.kernel.text.timewords.phrases import WEEK, WEEKDAYS
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Moment,
    Span,
    add_months,
    day_span,
    find_date,
    monday_of,
)

_COUNTS = {"一": 1, "1": 1, "两": 2, "二": 2, "2": 2, "三": 3, "3": 3, "四": 4, "4": 4,
           "五": 5, "5": 5}  # fmt: skip
_COUNT = "[一二两三四五1-5]"
_WEEKDAY = "[一二三四五六日天]"
_NEAR_DAY = re.compile(
    rf"的?(?:(?P<eve>前夕|前夜|头一?天|前一(?=晚))|前(?P<before>{_COUNT})天|(?P<few>前几天)"
    rf"|第(?P<nth>{_COUNT})天|(?P<next>次日|隔天|转天)|(?P<last>最后一天)"
    rf"|之?后的?第?(?P<after>{_COUNT})天)(?!内)"
)
_NTH = re.compile(
    rf"的?(?:第(?P<nth>{_COUNT})|(?P<last>最后)一?)个?"
    rf"(?:(?P<unit>天|周末|{WEEK}(?!{_WEEKDAY}))|{WEEK}(?P<weekday>{_WEEKDAY}))"
)
_SAME_TIME = re.compile(
    r"的?(?:(?P<day>今天|今日|这(?:一|个)?天)|这个?(?:时候|时间|点)|此时|这时|同期|这会儿?)"
)
MARGINS = {"year": 7, "month": 2}


def modify(text: str, at: int, span: Span, moment: Moment) -> tuple[Span, int]:
    """Give the span that the words at a place make of another, and where they end."""
    if span.granularity == "day" and span.step:
        match = _NEAR_DAY.match(text, at)
        return (_near(match, span), match.end()) if match else (span, at)
    if span.granularity not in ("week", "month", "year"):
        return span, at
    match = _NTH.match(text, at) if span.start.day == 1 else None
    if match:
        piece = _nth(match, span)
        return (piece, match.end()) if piece else (span, at)
    match = _SAME_TIME.match(text, at)
    return (_same(match, span, moment), match.end()) if match else (span, at)


def find_same_hour(text: str, at: int) -> int | None:
    """Give where 这个时候 ends that stands at a place behind a day."""
    match = _SAME_TIME.match(text, at)
    return match.end() if match and not match["day"] else None


def _near(match: Match[str], span: Span) -> Span:
    """Count days from a festival or a date; 国庆前三天 are the first three of it."""
    is_long = span.end - span.start > ONE_DAY
    before = _COUNTS[match["before"]] if match["before"] else 1
    if match["few"]:
        return Span(span.start - 5 * ONE_DAY, span.start, "span")
    if match["after"]:
        return day_span(span.end + (_COUNTS[match["after"]] - 1) * ONE_DAY)
    if match["last"]:
        return day_span(span.end - ONE_DAY)
    if match["nth"] or match["next"]:
        nth = _COUNTS[match["nth"]] if match["nth"] else 2
        return day_span(span.start + (nth - 1) * ONE_DAY)
    if is_long and before > 1:
        return Span(span.start, span.start + before * ONE_DAY, "span")
    is_first = is_long and match["eve"] in ("头天", "头一天")
    return day_span(span.start if is_first else span.start - before * ONE_DAY)


def _nth(match: Match[str], span: Span) -> Span | None:
    """Count days, weeks, weekends or weekdays inside a month or a year."""
    nth = _COUNTS[match["nth"]] if match["nth"] else 0
    if match["unit"] == "天":
        day = span.start + (nth - 1) * ONE_DAY if nth else span.end - ONE_DAY
        return day_span(day)
    if span.granularity == "year":
        return None
    length = {"周末": 2, None: 1}.get(match["unit"], 7)
    weekday = WEEKDAYS[match["weekday"]] if match["weekday"] else 5
    if length == 7:
        first = span.start if nth else span.end - 7 * ONE_DAY
    else:
        first = _first(span.start if nth else span.end - 7 * ONE_DAY, weekday)
    start = first + max(nth - 1, 0) * 7 * ONE_DAY
    return Span(start, start + length * ONE_DAY, "day" if length == 1 else "span")


def _first(day: date, weekday: int) -> date:
    return day + (weekday - day.weekday()) % 7 * ONE_DAY


def _same(match: Match[str], span: Span, moment: Moment) -> Span:
    """Give today's place in another week, month or year; a time lies around it."""
    if span.granularity == "week":
        return day_span(monday_of(span.start) + moment.today.weekday() * ONE_DAY)
    day = _placed(span, moment.today)
    if match["day"]:
        return day_span(day)
    margin = MARGINS[span.granularity] * ONE_DAY
    return Span(day - margin, day + margin + ONE_DAY, "span")


def _placed(span: Span, today: date) -> date:
    month = span.start.month if span.granularity == "month" else today.month
    last = add_months(span.start.replace(month=month), 1) - ONE_DAY
    return find_date(span.start.year, month, today.day) or last
