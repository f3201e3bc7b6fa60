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
    "重阳": Festival(_lunar(9, 9)),
    "腊八": Festival(_lunar(12, 8)),
    "清明": Festival(_term("清明")),
    "冬至": Festival(_term("冬至")),
    "夏至": Festival(_term("夏至")),
    "立春": Festival(_term("立春")),
    "立秋": Festival(_term("立秋")),
    "立冬": Festival(_term("立冬")),
    "元旦": Festival(_solar(1, 1)),
    "情人节": Festival(_solar(2, 14)),
    "白色情人节": Festival(_solar(3, 14)),
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


@lru_cache(maxsize=512)
def festival_span(name: str, year: int) -> Span:
    """Give the days of a festival that begins in, or belongs to, a year."""
    festival = FESTIVALS[name]
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
