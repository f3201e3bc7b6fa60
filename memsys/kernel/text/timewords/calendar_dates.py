"""Dates that stand on their own: 11月3号, 2026年3月, 3号到5号, 11/03.

Owns solar dates. Without a year the direction decides: the past one for queries, the
nearest sensible one for messages. Festivals and lunar dates are in `festival_dates`.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> _month_day(MONTH_DAY.match("12月3号"), Moment(now, Direction.PAST)).start
datetime.date(2025, 12, 3)
"""

import re
from re import Match

from memsys.kernel.text.timewords.numerals import SMALL_NUMBER, read_number
from memsys.kernel.text.timewords.rule import (
    MONTH_PART,
    SEASON_TAIL,
    YEAR_PART,
    Rule,
    month_part,
    season_span,
    year_part,
)
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Moment,
    Span,
    add_months,
    day_span,
    find_date,
    month_span,
    year_span,
)
from memsys.kernel.text.timewords.years import (
    ANY_YEAR,
    BARE_YEAR,
    FULL_YEAR,
    SHORT_YEAR,
    year_of,
    yearly,
)

_MONTH = r"(?<![\d一二三四五六七八九十个几每半多满.])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
_NOT_COUNTED = r"(?![\d天个次点块元岁度斤公千米万人场])"
# 3号线, 二号楼, 三号选手: numbers of things, not days.
_NUMBERED_THING = r"(?![线楼院门桌房车机位选球种馆厅店台仓文染字码元床铺仓井嫌服电首难主令包]|[男女]?(?:嘉宾|选手|队员|球员)|技师|病人)"

ISO = re.compile(
    r"(?<![\d.-])(?P<y>(?:19"
    r"|20)\d\d)(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?![\d.])"
)
MONTH_DAY = re.compile(
    rf"(?:{ANY_YEAR}|(?<![年\d])){_MONTH}(?P<mday>{SMALL_NUMBER})(?:[号日]|{_NOT_COUNTED})"
)
MONTH = re.compile(
    rf"(?:{ANY_YEAR}|(?<![年\d])){_MONTH}(?!不见|没见|未见|[租薪供饼亮光色嫂])份?"
    rf"(?:的?{MONTH_PART})?"
)
YEAR = re.compile(
    rf"(?P<year>{FULL_YEAR}|{SHORT_YEAR}(?=[初底末中春夏秋冬上下暑寒]|那年|那会|那时|的时候)"
    rf"|{BARE_YEAR}(?=那年|那会))(?:的?(?:{YEAR_PART}|{SEASON_TAIL})|(?P<then>那年|那会|那时|的时候))?"
)
DAY_OF_MONTH = re.compile(
    rf"(?<![\d月第一二三四五六七八九十零穿尾座单工学编牌道路街巷弄栋幢室层])"
    rf"(?:(?P<mday>{SMALL_NUMBER})号{_NUMBERED_THING}"
    r"|(?P<day>\d{1,2})日(?![本元游内常子期记语夜化均报圆后前]))"
)
# 3-5号, 10月1至7日: the first day goes without its own 号.
DAYS_OF_MONTH = re.compile(
    rf"(?:{ANY_YEAR}?{_MONTH}|(?<![\d月第一二三四五六七八九十.:-]))(?P<first>{SMALL_NUMBER})"
    rf"(?:-|~|到|至)(?P<last>{SMALL_NUMBER})(?:号|日(?!内)){_NUMBERED_THING}"
)
_MONTH_NUMBER, _DAY_NUMBER = r"(?:1[0-2]|0?[1-9])", r"(?:3[01]|[12]\d|0?[1-9])"
_SAID_AS_DAY = (
    r"(?=[号日我咱你去在放出旅晚]|那|期间|当天|早上|上午|中午|下午|国庆|五一)"
)
# 11/03 and 10.24那天; a lone 3/4 or 10.1 is a fraction, a version or a mark.
SLASHED = re.compile(
    r"(?<![\d/.:-])(?P<m>1[0-2]|0?[1-9])"
    rf"(?:/(?P<d>3[01]|[12]\d|0[1-9])(?![\d/%分个的人次份])|\.(?P<dotted>{_DAY_NUMBER}){_SAID_AS_DAY})[号日]?"
)
DOTTED_RANGE = re.compile(
    rf"(?<![\d/.:-])(?P<m>{_MONTH_NUMBER})\.(?P<d>{_DAY_NUMBER})[-~到至]"
    rf"(?P<m2>{_MONTH_NUMBER})\.(?P<d2>{_DAY_NUMBER})(?:{_SAID_AS_DAY}|$|(?=[,，。!?的]))"
)


def _iso(match: Match[str], moment: Moment) -> Span | None:
    day = find_date(int(match["y"]), int(match["m"]), int(match["d"]))
    return day_span(day) if day else None


def _month_day(match: Match[str], moment: Moment) -> Span | None:
    month, number = read_number(match["month"]), read_number(match["mday"])

    def build(year: int) -> Span | None:
        day = find_date(year, month, number)
        return day_span(day, step="year") if day else None

    return yearly(match, moment, build)


def _month(match: Match[str], moment: Moment) -> Span | None:
    month = read_number(match["month"])

    def build(year: int) -> Span:
        if match["part"]:
            return month_part(year, month, match["part"])
        return month_span(year, month, step="year")

    return yearly(match, moment, build)


def _year(match: Match[str], moment: Moment) -> Span | None:
    year = year_of(match["year"], moment)
    if not year:
        return None
    if match["year_part"]:
        return year_part(year, match["year_part"])
    if match["season"]:
        return season_span(year, match["season"])
    if len(match["year"]) < 4 and not match["then"]:
        return None
    return year_span(year)


def _day_of_month(match: Match[str], moment: Moment) -> Span | None:
    number = read_number(match["mday"] or match["day"])
    this = moment.today.replace(day=1)
    firsts = [add_months(this, months) for months in range(-2, 3)]
    days = [find_date(first.year, first.month, number) for first in firsts]
    return moment.choose(day_span(day, step="month") for day in days if day)


def _days_of_month(match: Match[str], moment: Moment) -> Span | None:
    first, last = read_number(match["first"]), read_number(match["last"])
    if match["month"]:
        month = read_number(match["month"])
        return yearly(match, moment, lambda year: _from_to(year, month, first, last))
    this = moment.today.replace(day=1)
    firsts = [add_months(this, months) for months in range(-2, 3)]
    spans = (_from_to(day.year, day.month, first, last) for day in firsts)
    return moment.choose(span for span in spans if span)


def _from_to(year: int, month: int, first: int, last: int) -> Span | None:
    start, end = find_date(year, month, first), find_date(year, month, last)
    return Span(start, end + ONE_DAY, "span") if start and end and start < end else None


def _slashed(match: Match[str], moment: Moment) -> Span | None:
    month, number = int(match["m"]), int(match["d"] or match["dotted"])
    days = (find_date(moment.today.year + n, month, number) for n in range(-4, 5))
    return moment.choose(day_span(day, step="year") for day in days if day)


def _dotted_range(match: Match[str], moment: Moment) -> Span | None:
    m, d, m2, d2 = (int(match[name]) for name in ("m", "d", "m2", "d2"))
    ends = (
        (find_date(year, m, d), find_date(year + ((m2, d2) < (m, d)), m2, d2))
        for year in range(moment.today.year - 4, moment.today.year + 5)
    )
    return moment.choose(Span(a, b + ONE_DAY, "span") for a, b in ends if a and b)


RULES = (
    Rule(ISO, _iso, frozenset("-/.")),
    Rule(DOTTED_RANGE, _dotted_range, frozenset(".")),
    Rule(SLASHED, _slashed, frozenset("/.")),
    Rule(DAYS_OF_MONTH, _days_of_month, frozenset("号日")),
    Rule(MONTH_DAY, _month_day, frozenset("月")),
    Rule(MONTH, _month, frozenset("月")),
    Rule(YEAR, _year, frozenset("年那")),
    Rule(DAY_OF_MONTH, _day_of_month, frozenset("号日")),
)
