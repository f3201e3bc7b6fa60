"""Quarters, school terms, and months in a row: 上季度, 下学期, 三四月份.

Owns the parts of a year that are neither one month nor a season of the weather.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> _quarter(QUARTER.match("上季度"), Moment(now, Direction.PAST)).start
datetime.date(2026, 7, 1)
"""

import re
from datetime import date
from re import Match

from memsys.kernel.text.timewords.numerals import ROUGH_NUMBER, read_range
from memsys.kernel.text.timewords.phrases import NOT_INSIDE, STEP, STEPS
from memsys.kernel.text.timewords.rule import Rule
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Moment,
    Span,
    add_months,
)
from memsys.kernel.text.timewords.years import ANY_YEAR, yearly

_QUARTERS = {"一": 1, "二": 2, "三": 3, "四": 4}
QUARTER = re.compile(
    rf"{ANY_YEAR}?(?:(?<![\d第一二三四五六七八九十])第?(?P<quarter>[一二三四1-4])个?季度(?!假)"
    r"|q(?P<q>[1-4])季?度?)"
    rf"|{NOT_INSIDE}{STEP}季度"
)
_NOT_A_CAR = re.compile(r"季度|的?(?:业绩|kpi|okr|财报|奖金|总结|绩效|目标|报告|营收)")
TERM = re.compile(r"(?<![一二三四五六初高大])(?P<step>[上这本下])个?学期")
MONTHS = re.compile(
    rf"(?:{ANY_YEAR}|(?<![\d一二三四五六七八九十.、年月-]))"
    rf"(?P<months>{ROUGH_NUMBER})月(?![租薪])份?"
)


def _quarter(match: Match[str], moment: Moment) -> Span | None:
    if match["step"]:
        today = moment.today
        month = 3 * ((today.month - 1) // 3) + 1
        start = add_months(date(today.year, month, 1), 3 * STEPS[match["step"]])
        return Span(start, add_months(start, 3), "span")
    if match["q"] and not match["year"] and not _is_business(match):
        return None
    words = match["quarter"] or match["q"]
    month = 3 * (_QUARTERS.get(words) or int(words)) - 2

    def build(year: int) -> Span:
        start = date(year, month, 1)
        return Span(start, add_months(start, 3), "span", "year")

    return yearly(match, moment, build)


def _is_business(match: Match[str]) -> bool:
    rest = match.string[match.end() : match.end() + 6]
    return "季" in match[0] or _NOT_A_CAR.match(rest) is not None


def _term(match: Match[str], moment: Moment) -> Span | None:
    """Read a term as half of a Chinese school year: from September, from February."""
    today = moment.today
    terms = [
        term
        for year in range(today.year - 2, today.year + 3)
        for term in (
            Span(date(year, 2, 16), date(year, 7, 16), "span"),
            Span(date(year, 9, 1), date(year + 1, 2, 1), "span"),
        )
    ]
    if match["step"] == "上":
        current = [term for term in terms if term.start <= today < term.end]
        bound = current[0].start if current else today
        return [term for term in terms if term.end <= bound][-1]
    if match["step"] == "下":
        return next(term for term in terms if term.start > today)
    return next(term for term in terms if term.end > today - 30 * ONE_DAY)


def _months(match: Match[str], moment: Moment) -> Span | None:
    first, last = read_range(match["months"])
    # 一两月 and 两三月 count months; the months themselves are 一二月.
    if "两" in match["months"] or not 1 <= first < last <= 12:
        return None

    def build(year: int) -> Span:
        start = date(year, first, 1)
        return Span(start, add_months(start, last - first + 1), "span", "year")

    return yearly(match, moment, build)


RULES = (
    Rule(QUARTER, _quarter, frozenset("季q")),
    Rule(TERM, _term, frozenset("期")),
    Rule(MONTHS, _months, frozenset("月")),
)
