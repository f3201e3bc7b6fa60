"""Distances from now: 三天前, 半个月后, 最近一周, 一个小时前, 刚才.

Owns the rules that measure from the moment of speaking by an exact number; the rough
ones are in `vague`. Hours and minutes give windows of the clock, days and longer give
whole days.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> _age(AGE.match("三天前"), Moment(now, Direction.PAST)).start
datetime.date(2026, 11, 27)
"""

import re
from datetime import datetime, timedelta
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
    day_span,
    monday_of,
    year_span,
)


def _amount(prefix: str = "") -> str:
    """Give the pattern of an amount, its groups named with a prefix."""
    return (
        rf"(?<![第\d.])(?:半|大半|小半"
        rf"|(?P<{prefix}count>{ROUGH_NUMBER}|{NUMBER})(?=[个天日周星礼年月多]))"
        rf"多?个?(?P<{prefix}extra>半)?多?(?P<{prefix}unit>天|日|周|星期|礼拜|月|年)"
        rf"(?P<{prefix}more>半)?"
    )


AGE = re.compile(
    rf"{_amount()}多?(?:以|之)?(?P<side>前(?![后任夕排端台面])|后(?![悔代天半]))"
    r"(?P<same>的?(?:今天|今日|这(?:一|个)?天))?"
)
COUNTDOWN = re.compile(
    rf"(?:还有|还剩|只剩|仅剩|再过|(?:^|(?<=[,，。!?\s\0等要得们]))过(?![了去])){_amount()}(?!前|没|时间)"
)
# 前两周 is the last two weeks; 面试前两周 and 提前一周 are told from elsewhere.
_BEFORE = (
    r"(?:(?<![\u4e00-\u9fff])|(?<=[我你他她们说那]))前"
    r"(?=[一两二三四五六半\d]个?多?(?:周|星期|礼拜|月))"
)
STRETCH = re.compile(
    rf"(?P<past>最近|过去|近|这|之前|{_BEFORE})(?:的|这)?{_amount()}(?![前后个])"
    rf"|(?P<ahead>未来|接下来|今后|往后|以后)的?{_amount('a_')}"
)
CLOCK_AGE = re.compile(
    rf"(?<![第\d.])(?P<half>半|(?P<count>{NUMBER})(?=个|小|钟|分|刻))个?(?P<extra>半)?"
    r"(?P<unit>小时|钟头|分钟|刻钟)(?P<more>半)?多?(?:以|之)?(?P<side>前|后(?!悔))"
)
JUST_NOW = re.compile(r"刚才|刚刚(?!好|巧|够)|方才|适才|啱啱|头先")

_HALVES = {"日": 0, "天": 0, "周": 3, "星期": 3, "礼拜": 3, "月": 15, "年": 6}
_WEEKS = ("周", "星期", "礼拜")


def _days_or_months(match: Match[str], prefix: str = "") -> tuple[int, int]:
    """Read an amount as days and months, one of them zero but for 一个半月."""
    count, unit = match[prefix + "count"], match[prefix + "unit"]
    halves = bool(match[prefix + "extra"]) + bool(match[prefix + "more"]) + (not count)
    number = read_range(count)[1] if count else 0
    days = months = 0
    if unit == "年":
        months = 12 * number + halves * _HALVES[unit]
    elif unit == "月":
        months, days = number, halves * _HALVES[unit]
    else:
        days = number * (7 if unit in _WEEKS else 1) + halves * _HALVES[unit]
    return days, months


def _age(match: Match[str], moment: Moment) -> Span | None:
    days, months = _days_or_months(match)
    sign = -1 if match["side"] == "前" else 1
    if months > 1200 or days > 36500 or not (days or months):
        return None
    day = add_months(moment.today, sign * months) + sign * days * ONE_DAY
    unit = match["unit"]
    if match["same"]:
        return day_span(day)
    if unit in _WEEKS and match["count"] and not match["extra"]:
        monday = monday_of(day)
        return Span(monday, monday + 7 * ONE_DAY, "week")
    if unit == "年" and months >= 24 and months % 12 == 0:
        return year_span(day.year)
    if months or days == _HALVES["月"]:
        # Months are told roughly: the day itself and the one after.
        return Span(day, day + 2 * ONE_DAY, "month")
    return day_span(day)


def _countdown(match: Match[str], moment: Moment) -> Span | None:
    if moment.direction is Direction.PAST:
        return None
    days, months = _days_or_months(match)
    if months > 1200 or days > 36500 or not (days or months):
        return None
    return day_span(add_months(moment.today, months) + days * ONE_DAY)


def _stretch(match: Match[str], moment: Moment) -> Span | None:
    prefix = "" if match["past"] else "a_"
    days, months = _days_or_months(match, prefix)
    if months > 1200 or days > 36500 or not (days or months):
        return None
    tomorrow = moment.today + ONE_DAY
    if match["ahead"]:
        end = add_months(tomorrow, months) + days * ONE_DAY
        return Span(moment.today, end, "span")
    start = add_months(moment.today, -months) - days * ONE_DAY
    return Span(start, tomorrow, "span")


def clock_age(match: Match[str], moment: Moment) -> tuple[datetime, datetime] | None:
    """Give the window around an hour or minute told by its distance."""
    unit = {"分钟": 1, "刻钟": 15}.get(match["unit"], 60)
    number = read_number(match["count"]) if match["count"] else 0
    halves = bool(match["extra"]) + bool(match["more"]) + (not match["count"])
    minutes = number * unit + halves * unit // 2
    if not 0 < minutes <= 60 * 24 * 60:
        return None
    middle = moment.shifted(
        timedelta(minutes=minutes) * (-1 if match["side"] == "前" else 1)
    )
    margin = timedelta(minutes=30 if minutes >= 60 else 10)
    return middle - margin, middle + margin


def just_now(moment: Moment) -> tuple[datetime, datetime]:
    """Give the hour that ends now."""
    return moment.shifted(-timedelta(hours=1)), moment.now


RULES = (
    Rule(AGE, _age, frozenset("前后")),
    Rule(COUNTDOWN, _countdown, frozenset("有剩过")),
    Rule(STRETCH, _stretch, frozenset("近去这前来后")),
)
