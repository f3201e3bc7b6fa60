"""Dates that stand on their own: 11月3号, 2026年3月, 中秋, 正月初五, 3号.

Owns solar dates, festivals and lunar dates. Without a year the direction decides:
the past one for queries, the nearest sensible one for messages.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> _month_day(MONTH_DAY.match("12月3号"), Moment(now, Direction.PAST)).start
datetime.date(2025, 12, 3)
"""

import re
from collections.abc import Callable
from datetime import date
from re import Match

from memsys.kernel.text.timewords.festivals import (
    FESTIVALS,
    festival_span,
    lunar_date,
)
from memsys.kernel.text.timewords.numerals import SMALL_NUMBER, read_number
from memsys.kernel.text.timewords.phrases import YEAR_WORDS
from memsys.kernel.text.timewords.rule import (
    MONTH_PART,
    SEASON_TAIL,
    YEAR_PART,
    YEAR_WORD,
    Rule,
    month_part,
    season_span,
    year_part,
)
from memsys.kernel.text.timewords.window import (
    FIRST_YEAR,
    LAST_YEAR,
    Moment,
    Span,
    add_months,
    day_span,
    find_date,
    month_span,
    year_span,
)

_FULL_YEAR = (
    r"(?:(?<![\d.])(?:19|20)\d\d|(?:一九|二[零〇])[零〇一二三四五六七八九]{2})年"
)
_SHORT_YEAR = r"(?<![\d.])\d\d年"
_YEAR = rf"(?:(?P<year>{YEAR_WORD}|{_FULL_YEAR}|{_SHORT_YEAR})的?)"
_MONTH = r"(?<![\d一二三四五六七八九十个几每半多满.])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
_NOT_COUNTED = r"(?![\d天个次点块元岁度斤公千米万人场])"
# 3号线, 二号楼, 三号选手: numbers of things, not days.
_NUMBERED_THING = r"(?![线楼院门桌房车机位选球种馆厅店台仓文染字码元床铺仓井嫌服电])"

ISO = re.compile(
    r"(?<![\d.-])(?P<y>(?:19"
    r"|20)\d\d)(?P<sep>[-/.])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?![\d.])"
)
MONTH_DAY = re.compile(
    rf"(?:{_YEAR}|(?<![年\d])){_MONTH}(?P<mday>{SMALL_NUMBER})(?:[号日]|{_NOT_COUNTED})"
)
MONTH = re.compile(
    rf"(?:{_YEAR}|(?<![年\d])){_MONTH}(?!不见|没见|未见|[租薪供饼亮光色嫂])份?"
    rf"(?:的?{MONTH_PART})?"
)
YEAR = re.compile(
    rf"(?P<year>{_FULL_YEAR}|{_SHORT_YEAR}(?=[初底末春夏秋冬上下暑寒]))"
    rf"(?:的?(?:{YEAR_PART}|{SEASON_TAIL}))?"
)
DAY_OF_MONTH = re.compile(
    rf"(?<![\d月第一二三四五六七八九十零穿尾座单工学编牌道路街巷弄栋幢室层])"
    rf"(?:(?P<mday>{SMALL_NUMBER})号{_NUMBERED_THING}"
    r"|(?P<day>\d{1,2})日(?![本元游内常子期记语夜化均报圆后前]))"
)
_NAMES = "|".join(sorted(FESTIVALS, key=len, reverse=True))
FESTIVAL = re.compile(
    rf"(?:{_YEAR}|(?<![一二三四五六七八九十\d第星周期再不超度]))"
    rf"(?P<name>{_NAMES})(?![一二三四五六七八九十百千万点块个号])"
    r"(?:节|夜|前夜)?(?:假期|长假|期间)?(?:(?:那|这)?几天)?"
)
# A sale more than a day: without a year 双十一 names no date.
SHOPPING_DAY = re.compile(rf"{_YEAR}双(?P<name>十一|11|十二|12)")
_LUNAR_MONTHS = {"正": 1, "冬": 11, "腊": 12}
LUNAR = re.compile(
    rf"{_YEAR}?(?:(?:(?:农历|阴历|旧历)(?P<month>[正冬腊]|十[一二]?|[一二三四五六七八九])月"
    r"|(?P<named>[正冬腊])月)|(?:大年|(?P<any>十[一二]?|[一二三四五六七八九])月)(?=初))"
    r"初?(?P<mday>廿[一二三四五六七八九]?|三十|二?十[一二三四五六七八九]?|[一二三四五六七八九])(?:号|日)?"
)


def _year_of(words: str, moment: Moment) -> int | None:
    if words in YEAR_WORDS:
        return moment.today.year + YEAR_WORDS[words]
    year = read_number(words.removesuffix("年"))
    if year < 100:
        year += 2000 if year <= moment.today.year % 100 + 10 else 1900
    return year if FIRST_YEAR <= year <= LAST_YEAR else None


def _yearly(
    match: Match[str], moment: Moment, build: Callable[[int], Span | None]
) -> Span | None:
    """Read a year if one is named, else let the direction choose among those near."""
    if match["year"]:
        year = _year_of(match["year"], moment)
        return build(year) if year else None
    this = moment.today.year
    spans = [build(year) for year in range(this - 4, this + 5)]
    near = [span for span in spans if span]
    return moment.choose(near)


def _iso(match: Match[str], moment: Moment) -> Span | None:
    day = find_date(int(match["y"]), int(match["m"]), int(match["d"]))
    return day_span(day) if day else None


def _month_day(match: Match[str], moment: Moment) -> Span | None:
    month, number = read_number(match["month"]), read_number(match["mday"])

    def build(year: int) -> Span | None:
        day = find_date(year, month, number)
        return day_span(day, step="year") if day else None

    return _yearly(match, moment, build)


def _month(match: Match[str], moment: Moment) -> Span | None:
    month = read_number(match["month"])

    def build(year: int) -> Span:
        if match["part"]:
            return month_part(year, month, match["part"])
        return month_span(year, month, step="year")

    return _yearly(match, moment, build)


def _year(match: Match[str], moment: Moment) -> Span | None:
    year = _year_of(match["year"], moment)
    if not year:
        return None
    if match["year_part"]:
        return year_part(year, match["year_part"])
    if match["season"]:
        return season_span(year, match["season"])
    if len(match["year"]) < 4:
        return None
    return year_span(year)


def _day_of_month(match: Match[str], moment: Moment) -> Span | None:
    number = read_number(match["mday"] or match["day"])
    this = moment.today.replace(day=1)
    firsts = [add_months(this, months) for months in range(-2, 3)]
    days = [find_date(first.year, first.month, number) for first in firsts]
    return moment.choose(day_span(day, step="month") for day in days if day)


def _festival(match: Match[str], moment: Moment) -> Span | None:
    return _yearly(match, moment, lambda year: festival_span(match["name"], year))


def _shopping_day(match: Match[str], moment: Moment) -> Span | None:
    month = 11 if match["name"] in ("十一", "11") else 12
    return _yearly(match, moment, lambda year: day_span(date(year, month, month)))


def _lunar(match: Match[str], moment: Moment) -> Span | None:
    words = match["named"] or match["month"] or match["any"] or "正"
    month = _LUNAR_MONTHS.get(words) or read_number(words)
    number = read_number(match["mday"])

    def build(year: int) -> Span | None:
        try:
            day: date = lunar_date(year, month, number)
        except ValueError:
            return None
        return day_span(day, step="year")

    return _yearly(match, moment, build)


RULES = (
    Rule(ISO, _iso, frozenset("-/.")),
    Rule(LUNAR, _lunar, frozenset("月初")),
    Rule(MONTH_DAY, _month_day, frozenset("月")),
    Rule(MONTH, _month, frozenset("月")),
    Rule(YEAR, _year, frozenset("年")),
    Rule(DAY_OF_MONTH, _day_of_month, frozenset("号日")),
    Rule(
        FESTIVAL, _festival, frozenset("节年庆一夕十宵午七元秋阳八明至春立旦人四圣夜")
    ),
    Rule(SHOPPING_DAY, _shopping_day, frozenset("双")),
)
