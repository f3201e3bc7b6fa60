"""Days, weeks, months and years told from today: 昨天, 上周三, 下个月3号, 去年夏天.

Owns the rules for words that count from the moment of speaking. Dates that stand on
their own are in `calendar_dates`, ages ("three days ago") in `ages`.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> _weekday(WEEKDAY.match("上周三"), Moment(now, Direction.PAST)).start
datetime.date(2026, 11, 25)
"""

import re
from datetime import date
from re import Match

from memsys.kernel.text.timewords.numerals import SMALL_NUMBER, read_number
from memsys.kernel.text.timewords.phrases import (
    DAY_PAIRS,
    DAY_WORDS,
    NOT_INSIDE,
    PART,
    SHORT_DAYS,
    STEP,
    STEPS,
    WEEK,
    WEEKDAYS,
    YEAR_WORDS,
)
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
    Direction,
    Moment,
    Span,
    add_months,
    day_span,
    find_date,
    monday_of,
    month_span,
    year_span,
)
from memsys.kernel.text.timewords.years import YEAR_WORD

ONE_WEEK = 7 * ONE_DAY
_DAY_WORD = "|".join(sorted(DAY_WORDS, key=len, reverse=True))
DAY = re.compile(
    rf"(?P<day>{_DAY_WORD})个?(?:是?{WEEK}(?:末|[一二三四五六日天](?![一二三四五六日天])))?"
)
SHORT_DAY = re.compile(
    rf"(?<![之以提当目从期班饭睡眼说证聪])(?P<day>大?前|[昨寻㖊琴今明听])"
    rf"(?=[晚早晨夜朝](?![恋期熟])|(?:{PART}))"
)
DAY_PAIR = re.compile(rf"(?P<day>{'|'.join(DAY_PAIRS)})(?:两|二)?[天日]")
WEEKDAY = re.compile(
    rf"(?:{NOT_INSIDE}{STEP}(?:{WEEK}的?)?)?(?<!每)(?<!每个)(?<!逢){WEEK}"
    r"(?:(?P<weekend>末|六(?:日(?![本语剧料文])"
    rf"|[和跟、]?{WEEK}[日天]))"
    r"|(?P<weekday>[一二三四五六日天])(?![一二三四五六]?[个次年月本]))"
)
WHOLE_WEEK = re.compile(
    rf"{NOT_INSIDE}{STEP}{WEEK}(?![围边期转杰刊折身一二三四五六日天末])"
)
MONTH = re.compile(
    rf"{NOT_INSIDE}{STEP}月(?![亮光色球饼子经租供票嫂老牙影])份?的?"
    rf"(?:月?{MONTH_PART}|(?P<mday>{SMALL_NUMBER})[号日])?"
)
BARE_MONTH_PART = re.compile(
    r"(?<![\d一二三四五六七八九十个上下这本岁])月(?P<part>[初底末]|中(?=旬|那|的|我|你|,|$))"
)
YEAR = re.compile(
    rf"(?<![以之从目])(?P<year>{YEAR_WORD})的?"
    rf"(?:{YEAR_PART}|{SEASON_TAIL})?"
)
BARE_YEAR_PART = re.compile(
    r"(?<![\d零一二三四五六七八九十个上下今去前后明来本])年(?P<year_part>[初底末尾]|中(?=旬|时|那|的|我|你|,|$))"
)
NEAR_SEASON = re.compile(rf"(?P<step>上|这|下)个?{SEASON_TAIL}")
BARE_SEASON = re.compile(
    rf"(?<![年上这下个放过一二三四度暖暑立入初深\d]){SEASON_TAIL}(?![那里服装])"
)


def _day(match: Match[str], moment: Moment) -> Span | None:
    words = match["day"]
    offset = DAY_WORDS[words] if words in DAY_WORDS else SHORT_DAYS[words]
    return day_span(moment.today + offset * ONE_DAY)


def _day_pair(match: Match[str], moment: Moment) -> Span | None:
    start = moment.today + DAY_PAIRS[match["day"]] * ONE_DAY
    return Span(start, start + 2 * ONE_DAY, "span")


def _weekday(match: Match[str], moment: Moment) -> Span | None:
    monday = monday_of(moment.today)
    if match["step"]:
        span = _in_week(match, monday + STEPS[match["step"]] * ONE_WEEK)
        is_told_as_past = moment.direction is Direction.PAST and moment.lean < 0
        if match["weekend"] and span.start > moment.today and is_told_as_past:
            return _in_week(match, monday - ONE_WEEK)
        return span
    days = [_in_week(match, monday + weeks * ONE_WEEK) for weeks in (-1, 0, 1)]
    if moment.looks_back:
        # On a Monday nobody calls today 周一 when asking about what was.
        last = moment.today if match["weekend"] else moment.today - ONE_DAY
        return max(
            (day for day in days if day.start <= last), key=lambda day: day.start
        )
    return min((day for day in days if day.end > moment.today), key=lambda d: d.start)


def _in_week(match: Match[str], monday: date) -> Span:
    if match["weekend"]:
        return Span(monday + 5 * ONE_DAY, monday + ONE_WEEK, "span", "week")
    return day_span(monday + WEEKDAYS[match["weekday"]] * ONE_DAY, step="week")


def _week(match: Match[str], moment: Moment) -> Span | None:
    monday = monday_of(moment.today) + STEPS[match["step"]] * ONE_WEEK
    return Span(monday, monday + ONE_WEEK, "week")


def _month(match: Match[str], moment: Moment) -> Span | None:
    first = add_months(moment.today.replace(day=1), STEPS[match["step"]])
    if match["part"]:
        return month_part(first.year, first.month, match["part"])
    if match["mday"]:
        day = find_date(first.year, first.month, read_number(match["mday"]))
        return day_span(day) if day else None
    return month_span(first.year, first.month)


def _bare_month_part(match: Match[str], moment: Moment) -> Span | None:
    this = moment.today.replace(day=1)
    months = [add_months(this, steps) for steps in (-1, 0, 1)]
    return moment.choose(month_part(m.year, m.month, match["part"]) for m in months)


def _year(match: Match[str], moment: Moment) -> Span | None:
    year = moment.today.year + YEAR_WORDS[match["year"]]
    if match["year_part"]:
        return year_part(year, match["year_part"])
    if match["season"]:
        return season_span(year, match["season"])
    return year_span(year)


def _bare_year_part(match: Match[str], moment: Moment) -> Span | None:
    this = moment.today.year
    years = (this - 1, this, this + 1)
    return moment.choose(year_part(year, match["year_part"]) for year in years)


def _near_season(match: Match[str], moment: Moment) -> Span | None:
    this = moment.today.year
    seasons = [season_span(this + years, match["season"]) for years in (-2, -1, 0, 1)]
    if match["step"] == "上":
        done = [season for season in seasons if season.end <= moment.today]
        return done[-1]
    if match["step"] == "下":
        return next(season for season in seasons if season.start > moment.today)
    return min(
        seasons,
        key=lambda s: min(abs(s.start - moment.today), abs(s.end - moment.today)),
    )


def _bare_season(match: Match[str], moment: Moment) -> Span | None:
    """Read a season without a year; liking summer names none, so the tense must."""
    is_holiday = match["season"] in ("暑假", "寒假")
    if match["season"] in ("上半年", "下半年"):
        is_meant = True
    elif is_holiday:
        is_meant = moment.direction is Direction.PAST or moment.lean != 0
    else:
        is_meant = moment.lean < 0
    this = moment.today.year
    seasons = (season_span(this + years, match["season"]) for years in (-2, -1, 0, 1))
    return moment.choose(seasons) if is_meant else None


RULES = (
    Rule(DAY, _day, frozenset("天日儿")),
    Rule(SHORT_DAY, _day, frozenset("前昨寻㖊琴今明听")),
    Rule(DAY_PAIR, _day_pair, frozenset("昨明")),
    Rule(WEEKDAY, _weekday, frozenset("周期拜")),
    Rule(WHOLE_WEEK, _week, frozenset("周期拜")),
    Rule(MONTH, _month, frozenset("月")),
    Rule(BARE_MONTH_PART, _bare_month_part, frozenset("月")),
    Rule(YEAR, _year, frozenset("年")),
    Rule(BARE_YEAR_PART, _bare_year_part, frozenset("年")),
    Rule(NEAR_SEASON, _near_season, frozenset("春夏秋冬假半")),
    Rule(BARE_SEASON, _bare_season, frozenset("春夏秋冬假半")),
)
