"""Festivals and lunar dates as they stand in a text: 去年中秋, 国庆假期, 正月初五.

Owns their rules. When each festival falls is in `festivals`.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> _festival(FESTIVAL.match("中秋"), Moment(now, Direction.PAST)).start
datetime.date(2026, 9, 25)
"""

import re
from datetime import date
from re import Match

from memsys.kernel.text.timewords.festivals import (
    FESTIVALS,
    festival_span,
    lunar_date,
)
from memsys.kernel.text.timewords.numerals import read_number
from memsys.kernel.text.timewords.rule import Rule
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Moment,
    Span,
    day_span,
)
from memsys.kernel.text.timewords.years import (
    ANY_YEAR,
    BARE_YEAR,
    FULL_YEAR,
    SHORT_YEAR,
    YEAR_WORD,
    year_of,
    yearly,
)

_NAMES = "|".join(sorted(FESTIVALS, key=len, reverse=True))
_NOT_NUMBERED = r"(?![一二三四五六七八九十百千万点块个号日月])"
FESTIVAL = re.compile(
    rf"(?:(?P<year>{YEAR_WORD}|{FULL_YEAR}|{SHORT_YEAR}|{BARE_YEAR})的?"
    r"|(?P<step>上一?个|刚过去?的|下一?个)"
    r"|(?<![一二三四五六七八九十\d第星周期再不超度]))"
    rf"(?P<name>{_NAMES}){_NOT_NUMBERED}(?:节(?!气)|夜)?"
    r"(?P<off>小?长?假期?|期间|黄金周)?(?P<about>(?:那|这)?几天)?"
)
_THAT_DAY = r"(?=那天|那晚|当天|当晚|这天|节气)"
_SALE = r"(?=那|当天|当晚|期间|的时候|前后|凌晨|零点|[我你咱])"
SHY_FESTIVAL = re.compile(
    rf"{ANY_YEAR}(?P<named>520|618|双(?:十[一二]|1[12])|十一)(?![\d月岁点块个天年元斤号万的])"
    rf"|(?P<name>(?:谷雨|小满|白露){_THAT_DAY}|(?:雨水|[大小]雪)(?=节气)"
    rf"|(?<![\d.])(?:520|618){_THAT_DAY}|双(?:十[一二]|1[12]){_SALE}"
    r"|(?<![一二三四五六七八九十双])十一(?=小?长?假|期间|黄金周|那几天|放假|[我咱]们?去|去哪)"
    rf"|(?<![大年月])初[一二三四五六七八](?=那天|那晚|当天|拜年|回娘家))"
    r"(?P<off>小?长?假期?|期间|黄金周)?(?P<about>那几天)?"
)
_LUNAR_MONTHS = {"正": 1, "冬": 11, "腊": 12}
LUNAR = re.compile(
    rf"{ANY_YEAR}?(?:(?:(?:农历|阴历|旧历)(?P<month>[正冬腊]|十[一二]?|[一二三四五六七八九])月"
    r"|(?P<named>[正冬腊])月)|(?:大年|(?P<any>十[一二]?|[一二三四五六七八九])月|(?<![今去前后明两\d一二三四五六七八九十])年)(?=初))"
    r"初?(?P<mday>廿[一二三四五六七八九]?|三十|二?十[一二三四五六七八九]?|[一二三四五六七八九])(?:号|日)?"
)
LUNAR_MONTH = re.compile(
    rf"{ANY_YEAR}?(?:(?:农历|阴历|旧历)(?P<month>[正冬腊]|十[一二]?|[一二三四五六七八九])月"
    r"|(?P<named>[正腊]月)(?=里|的时候|那|期间))(?![一二三四五六七八九十初廿])"
)


def _festival(match: Match[str], moment: Moment) -> Span | None:
    name = match["name"]
    if match["step"]:
        spans = [festival_span(name, moment.today.year + n) for n in (-2, -1, 0, 1, 2)]
        if match["step"].startswith("下"):
            return next(span for span in spans if span.start > moment.today)
        return [span for span in spans if span.start <= moment.today][-1]
    span = yearly(match, moment, lambda year: festival_span(name, year))
    if span and match["year"] and moment.looks_back and span.start > moment.today:
        # 今年腊八, asked in autumn: the one of this year on the wall, not of the moon.
        earlier = festival_span(name, span.start.year - 2)
        span = earlier if earlier.start.year == span.start.year - 1 else span
    return _with_days_off(span, match)


def _with_days_off(span: Span | None, match: Match[str]) -> Span | None:
    """Give a festival of one day the three of its holiday, when those are meant."""
    is_long = match["off"] or match["about"]
    if span and is_long and span.end - span.start == ONE_DAY:
        return Span(span.start, span.start + 3 * ONE_DAY, "span", span.step)
    return span


def _shy_festival(match: Match[str], moment: Moment) -> Span | None:
    if match["named"]:
        year = year_of(match["year"], moment)
        return festival_span(match["named"], year) if year else None
    this = moment.today.year
    spans = (festival_span(match["name"], this + n) for n in range(-2, 3))
    return _with_days_off(moment.choose(spans), match)


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

    return yearly(match, moment, build)


def _lunar_month(match: Match[str], moment: Moment) -> Span | None:
    words = match["month"] or match["named"][0]
    month = _LUNAR_MONTHS.get(words) or read_number(words)

    def build(year: int) -> Span:
        start, middle = lunar_date(year, month, 1), lunar_date(year, month, 29)
        return Span(start, middle + ONE_DAY, "month", "year")

    return yearly(match, moment, build)


_FESTIVE_CHARS = frozenset("".join(name[-1] for name in FESTIVALS))
RULES = (
    Rule(LUNAR, _lunar, frozenset("月初")),
    Rule(LUNAR_MONTH, _lunar_month, frozenset("月")),
    Rule(FESTIVAL, _festival, _FESTIVE_CHARS),
    Rule(SHY_FESTIVAL, _shy_festival, frozenset("01雨满露水雪双一二三四五六七八")),
)
