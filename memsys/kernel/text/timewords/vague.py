"""Rough distances: 两三天前, 几个月前, 一年多前, 前几天, 前阵子.

Owns ages and stretches that give no exact number; exact ones are in `ages`. Each
becomes the days between the nearest and the farthest that the words can mean.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> span = _rough_age(ROUGH_AGE.match("两三天前"), Moment(now, Direction.PAST))
>>> (span.start.day, span.end.day)
(27, 29)
"""

import re
from datetime import date, timedelta
from re import Match

from memsys.kernel.text.timewords.numerals import (
    NUMBER,
    ROUGH_NUMBER,
    read_number,
    read_range,
)
from memsys.kernel.text.timewords.rule import Rule
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Direction,
    Moment,
    Span,
    add_months,
    monday_of,
    year_span,
)

_UNIT = "天|日|周|星期|礼拜|月|年"
ROUGH_AGE = re.compile(
    rf"(?<![第\d.])(?:(?P<few>好?几)|(?P<pair>{ROUGH_NUMBER})"
    rf"|(?P<ten>[一二三四五六七八九]?十|[1-9]0|一?百)(?P<about>来|多|几)"
    rf"|(?P<count>{NUMBER})(?=个?多?个?(?:{_UNIT}))|(?P<half>大半|小半|半)|(?P<some>个把))"
    rf"个?(?P<more>多)?个?(?P<unit>{_UNIT})(?P<also>多)?(?:以|之)?"
    r"(?P<side>前(?![后任夕排端台面])|后(?![悔代天半]))"
)
FEW = re.compile(
    rf"(?P<which>最近|这|前|过去|近|头)(?P<few>两(?=天|日)|好?几|些)个?(?P<unit>{_UNIT})"
    r"(?!前|后|子)"
)
A_WHILE = re.compile(
    r"前一?阵子?(?!雨)|前一?段(?:时间|日子)|前些(?:时候|日子|时日)|(?P<not_long>前不久|不久前)"
)
_WEEKS = ("周", "星期", "礼拜")
# The nearest and the farthest of "a few", and how long "these few" last.
_FEW = {"天": (1, 7), "周": (2, 5), "月": (2, 6), "年": (2, 6)}
_THESE = {"天": 3, "周": 3, "月": 3, "年": 3}


def _unit_of(words: str) -> str:
    return "周" if words in _WEEKS else words.replace("日", "天")


def _rough_age(match: Match[str], moment: Moment) -> Span | None:
    unit = _unit_of(match["unit"])
    sign = -1 if match["side"] == "前" else 1
    if match["few"] and sign > 0:
        return None
    more = bool(match["more"] or match["also"])
    ends = _ends_in_days(match, unit, is_more=more)
    if ends and ends[1][0] > 1200:
        return None
    if ends is None:
        low, high = _counts(match, unit)
        if not 0 < low < high <= 100:
            return None
        return _between(moment, sign * low, sign * high, unit)
    near, far = (_moved(moment.today, sign, *end) for end in ends)
    first, last = min(near, far), max(near, far)
    return Span(first, last + ONE_DAY, "span")


def _counts(match: Match[str], unit: str) -> tuple[int, int]:
    """Read the ends of a rough number of units; (0, 0) if it is none."""
    if match["few"]:
        return _FEW[unit]
    if match["pair"]:
        return read_range(match["pair"])
    if match["ten"]:
        ten = read_number(match["ten"])
        return (ten - 1, ten + 3) if match["about"] == "来" else (ten + 1, ten + 9)
    return 0, 0


def _ends_in_days(
    match: Match[str], unit: str, *, is_more: bool
) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Read 一年多, 大半年 and 个把月 as two ends, each in months and days."""
    half, months = match["half"], 12 if unit == "年" else 1
    if unit not in ("月", "年"):
        return None
    if match["some"]:
        return (months, 0), (months, 15 * months)
    if half and (half != "半" or is_more):
        low, high = (4, 6) if half == "小半" else (6, 9)
        return ((low, 0), (high, 0)) if unit == "年" else ((0, 3 * low), (0, 3 * high))
    if match["count"] and is_more:
        number = read_number(match["count"]) * months
        return (number, 0), (number + (6 if unit == "年" else 1), 0)
    return None


def _moved(day: date, sign: int, months: int, days: int) -> date:
    return add_months(day, sign * months) + sign * days * ONE_DAY


def _between(moment: Moment, near: int, far: int, unit: str) -> Span:
    """Give the days, weeks, months or years from one distance to another."""
    low, high = min(near, far), max(near, far)
    today = moment.today
    if unit == "天":
        return Span(today + low * ONE_DAY, today + (high + 1) * ONE_DAY, "span")
    if unit == "周":
        week, monday = timedelta(days=7), monday_of(today)
        return Span(monday + low * week, monday + (high + 1) * week, "span")
    if unit == "月":
        return Span(add_months(today, low), add_months(today, high) + ONE_DAY, "span")
    first, last = year_span(today.year + low), year_span(today.year + high)
    return Span(first.start, last.end, "span")


def _few(match: Match[str], moment: Moment) -> Span | None:
    """Read 这几天 as up to today, 前几天 as up to yesterday."""
    unit, is_before = _unit_of(match["unit"]), match["which"] in ("前", "头")
    if match["few"] == "两":
        length = 3 if is_before else 1
    else:
        length = _FEW[unit][1] if is_before else _THESE[unit]
    start = _between(moment, -length, 0, unit).start
    if unit == "周":
        start = moment.today - 7 * length * ONE_DAY
    end = moment.today if is_before else moment.today + ONE_DAY
    return Span(start, end, "span")


def _a_while(match: Match[str], moment: Moment) -> Span | None:
    if moment.direction is not Direction.PAST:
        return None
    days = 21 if match["not_long"] else 60
    return Span(moment.today - days * ONE_DAY, moment.today, "span")


RULES = (
    Rule(ROUGH_AGE, _rough_age, frozenset("前后")),
    Rule(FEW, _few, frozenset("天日周期拜月年")),
    Rule(A_WHILE, _a_while, frozenset("前")),
)
