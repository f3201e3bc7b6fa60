"""Festivals: when each falls in a year, by the solar and the lunar calendar.

Owns the table of names. Lunar dates and solar terms come from lunar-python (MIT),
which computes them offline.

>>> festival_span("中秋", 2026).start
datetime.date(2026, 9, 25)
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from lunar_python import Lunar, LunarMonth, Solar

from memsys.kernel.text.timewords.window import ONE_DAY, Span

DayOf = Callable[[int], date]


@dataclass(frozen=True)
class Festival:
    """A festival's first day in a year, and for how many days it is meant."""

    day_of: DayOf
    days: int = 1


def _solar(month: int, day: int) -> DayOf:
    return lambda year: date(year, month, day)


def _lunar(month: int, day: int, *, shift: int = 0) -> DayOf:
    return lambda year: lunar_date(year, month, day) + shift * ONE_DAY


def _sunday(month: int, nth: int) -> DayOf:
    return lambda year: _nth_weekday(year, month, 6, nth)


def _term(name: str) -> DayOf:
    return lambda year: _solar_term(year, name)


# New Year's Eve to the seventh: the public holiday, and what people call 过年.
_SPRING_FESTIVAL = Festival(_lunar(1, 1, shift=-1), days=8)
_LABOUR_DAY = Festival(_solar(5, 1), days=5)
_NATIONAL_DAY = Festival(_solar(10, 1), days=7)

FESTIVALS: dict[str, Festival] = {
    "春节": _SPRING_FESTIVAL,
    "过年": _SPRING_FESTIVAL,
    "国庆": _NATIONAL_DAY,
    "五一": _LABOUR_DAY,
    "劳动节": _LABOUR_DAY,
    "除夕": Festival(_lunar(1, 1, shift=-1)),
    "大年三十": Festival(_lunar(1, 1, shift=-1)),
    "年三十": Festival(_lunar(1, 1, shift=-1)),
    "元宵": Festival(_lunar(1, 15)),
    "端午": Festival(_lunar(5, 5)),
    "七夕": Festival(_lunar(7, 7)),
    "中元": Festival(_lunar(7, 15)),
    "中秋": Festival(_lunar(8, 15)),
    "八月十五": Festival(_lunar(8, 15)),
    "七月七": Festival(_lunar(7, 7)),
    "七月半": Festival(_lunar(7, 15)),
    "二月二": Festival(_lunar(2, 2)),
    "三月三": Festival(_lunar(3, 3)),
    "九月九": Festival(_lunar(9, 9)),
    "大年夜": Festival(_lunar(1, 1, shift=-1)),
    # The north sweeps the hearth on the 23rd, the south a day later.
    "小年": Festival(_lunar(12, 23), days=2),
    "重阳": Festival(_lunar(9, 9)),
    "腊八": Festival(_lunar(12, 8)),
    "清明": Festival(_term("清明")),
    "冬至": Festival(_term("冬至")),
    "夏至": Festival(_term("夏至")),
    "立春": Festival(_term("立春")),
    "立秋": Festival(_term("立秋")),
    "立冬": Festival(_term("立冬")),
    "惊蛰": Festival(_term("惊蛰")),
    "春分": Festival(_term("春分")),
    "立夏": Festival(_term("立夏")),
    "芒种": Festival(_term("芒种")),
    "小暑": Festival(_term("小暑")),
    "大暑": Festival(_term("大暑")),
    "处暑": Festival(_term("处暑")),
    "秋分": Festival(_term("秋分")),
    "寒露": Festival(_term("寒露")),
    "霜降": Festival(_term("霜降")),
    "小寒": Festival(_term("小寒")),
    "大寒": Festival(_term("大寒")),
    "元旦": Festival(_solar(1, 1)),
    "情人节": Festival(_solar(2, 14)),
    "白色情人节": Festival(_solar(3, 14)),
    "植树节": Festival(_solar(3, 12)),
    "护士节": Festival(_solar(5, 12)),
    "建党节": Festival(_solar(7, 1)),
    "光棍节": Festival(_solar(11, 11)),
    "妇女节": Festival(_solar(3, 8)),
    "三八节": Festival(_solar(3, 8)),
    "愚人节": Festival(_solar(4, 1)),
    "青年节": Festival(_solar(5, 4)),
    "五四": Festival(_solar(5, 4)),
    "儿童节": Festival(_solar(6, 1)),
    "六一": Festival(_solar(6, 1)),
    "建军节": Festival(_solar(8, 1)),
    "教师节": Festival(_solar(9, 10)),
    "万圣": Festival(_solar(10, 31)),
    "平安夜": Festival(_solar(12, 24)),
    "圣诞": Festival(_solar(12, 25)),
    "跨年": Festival(_solar(12, 31)),
    "母亲节": Festival(_sunday(5, 2)),
    "父亲节": Festival(_sunday(6, 3)),
    "感恩节": Festival(lambda year: _nth_weekday(year, 11, 3, 4)),
}

# Names that are weather, people or sales as well: with a cue only (那天, 节气, a year).
SHY_FESTIVALS: dict[str, Festival] = {
    "雨水": Festival(_term("雨水")),
    "谷雨": Festival(_term("谷雨")),
    "小满": Festival(_term("小满")),
    "白露": Festival(_term("白露")),
    "小雪": Festival(_term("小雪")),
    "大雪": Festival(_term("大雪")),
    "520": Festival(_solar(5, 20)),
    "618": Festival(_solar(6, 18)),
    "双十一": Festival(_solar(11, 11)),
    "双11": Festival(_solar(11, 11)),
    "双十二": Festival(_solar(12, 12)),
    "双12": Festival(_solar(12, 12)),
    "十一": _NATIONAL_DAY,
    "初一": Festival(_lunar(1, 1)),
    "初二": Festival(_lunar(1, 2)),
    "初三": Festival(_lunar(1, 3)),
    "初四": Festival(_lunar(1, 4)),
    "初五": Festival(_lunar(1, 5)),
    "初六": Festival(_lunar(1, 6)),
    "初七": Festival(_lunar(1, 7)),
    "初八": Festival(_lunar(1, 8)),
}


@lru_cache(maxsize=512)
def festival_span(name: str, year: int) -> Span:
    """Give the days of a festival that begins in, or belongs to, a year."""
    festival = FESTIVALS.get(name) or SHY_FESTIVALS[name]
    start = festival.day_of(year)
    return Span(start, start + festival.days * ONE_DAY, "day", "year")


@lru_cache(maxsize=512)
def lunar_date(year: int, month: int, day: int) -> date:
    """Give the solar date of a day of a lunar year.

    Raises:
        ValueError: that lunar month has no such day.
    """
    if day > LunarMonth.fromYm(year, month).getDayCount():
        raise ValueError("no such day in that lunar month")
    solar = Lunar.fromYmd(year, month, day).getSolar()
    return date(solar.getYear(), solar.getMonth(), solar.getDay())


def _solar_term(year: int, name: str) -> date:
    # The table of a year begins with the winter solstice of the year before; its own
    # stands under the name in Latin letters.
    table = Solar.fromYmd(year, 7, 1).getLunar().getJieQiTable()
    solar = table["DONG_ZHI" if name == "冬至" else name]
    return date(solar.getYear(), solar.getMonth(), solar.getDay())


def _nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    first = date(year, month, 1)
    return first + ((weekday - first.weekday()) % 7 + 7 * (nth - 1)) * ONE_DAY
