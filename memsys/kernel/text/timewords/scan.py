"""Reads a sentence: which time words stand in it, and which windows they mean.

Owns the order of things: false friends out, longest words first, hours joined to
their day, ranges joined. Owns no words; those are in the rule modules, and joining is
in `ranges`.

>>> from datetime import datetime
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [window] = find_windows("上周末", now=now, direction=Direction.PAST)
>>> (window.start.day, window.end.day)
(7, 9)
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from re import Match

from memsys.kernel.text.clean import fold
from memsys.kernel.text.timewords import (
    ages,
    calendar_dates,
    english,
    festival_dates,
    relative,
    seasons,
    vague,
)
from memsys.kernel.text.timewords.hours import (
    ALONE,
    DONE,
    TAIL,
    Hours,
    part_hours,
    read_hours,
)
from memsys.kernel.text.timewords.modifiers import find_same_hour, modify
from memsys.kernel.text.timewords.namesakes import (
    FALSE_FRIENDS,
    FAREWELLS,
    is_namesake,
)
from memsys.kernel.text.timewords.phrases import AHEAD, BEHIND, COMING, PLANNED
from memsys.kernel.text.timewords.ranges import Found, join_ranges
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Direction,
    Moment,
    Span,
    Window,
)

MAX_CHARS = 4000
_AHEAD, _BEHIND = re.compile(AHEAD), re.compile(BEHIND)
# 这周五 is this week's, also on the Friday itself.
_THIS_WEEK = re.compile("[这本今呢]")
_COMING, _PLANNED = re.compile(COMING), re.compile(PLANNED)
# The rough and the lunar come first: of matches of one length the first rule wins.
_RULES = (
    *vague.RULES,
    *ages.RULES,
    *relative.RULES,
    *seasons.RULES,
    *festival_dates.RULES,
    *calendar_dates.RULES,
    *english.RULES,
)
_CLOCK_CHARS = frozenset("点刚才啱头前后早晚午夜晨昏ht")
_TIME_CHARS = _CLOCK_CHARS.union(*(rule.hint for rule in _RULES))
_BLANK = "\0"
_CLAUSE_END = re.compile(r"[。！？!?\n；;,，]")


def find_windows(text: str, *, now: datetime, direction: Direction) -> list[Window]:
    """Find the windows that a text names, in order, in the zone of `now`.

    Linear in the text, of which the first 4,000 characters are read.
    """
    return [found.window for found in _find(text[:MAX_CHARS], now, direction)]


def _find(text: str, now: datetime, direction: Direction) -> list[Found]:
    folded = _fold_each(text)
    if _TIME_CHARS.isdisjoint(folded):
        return []
    bare = FALSE_FRIENDS.sub(_blanked, folded)
    if direction is Direction.PAST:
        bare = FAREWELLS.sub(_blanked, bare)
    moment = Moment(now, direction)
    candidates = sorted(
        (*_day_words(bare, moment), *_clock_words(bare, moment)),
        key=lambda found: (found.begin, -found.finish),
    )
    chosen: list[Found] = []
    for found in candidates:
        if not chosen or found.begin >= chosen[-1].finish:
            chosen.append(found)
    joined = join_ranges(chosen, bare, moment)
    return [_with_words(found, text) for found in joined]


def _blanked(match: Match[str]) -> str:
    return _BLANK * len(match[0])


def _fold_each(text: str) -> str:
    """Fold character by character, so that places in the text stay true."""
    return "".join(map(_fold_char, text))


@lru_cache(maxsize=16384)
def _fold_char(char: str) -> str:
    folded = fold(char)
    return folded if len(folded) == 1 else char


def _day_words(text: str, moment: Moment) -> Iterator[Found]:
    chars = frozenset(text)
    for rule in _RULES:
        if rule.hint.isdisjoint(chars):
            continue
        for match in rule.pattern.finditer(text):
            if is_namesake(text, match.start(), match.end()):
                continue
            there = _leaning(text, match.start(), match.end(), moment)
            span = rule.build(match, there)
            if span:
                yield _with_hours(text, match.start(), match.end(), span, there)


def _leaning(text: str, begin: int, finish: int, moment: Moment) -> Moment:
    """See from the words around a date which way it points."""
    before, after = text[max(0, begin - 6) : begin], text[finish : finish + 24]
    end = _CLAUSE_END.search(after)
    rest = after[: end.end()] if end else after
    is_asked = moment.direction is Direction.PAST
    if is_asked and (_COMING.search(before) or _PLANNED.match(rest)):
        return replace(moment, direction=Direction.BOTH, lean=1)
    around = before + " " + (after[: end.start()] if end else after)
    if _AHEAD.search(around) or _COMING.search(before):
        return replace(moment, lean=1)
    return replace(moment, lean=-1) if _BEHIND.search(around) else moment


def _with_hours(
    text: str, begin: int, finish: int, span: Span, moment: Moment
) -> Found:
    span, finish = modify(text, finish, span, moment)
    hours = None
    if span.end - span.start == ONE_DAY and span.granularity == "day":
        hours, finish = _hours_after(text, finish, moment)
    window = _window(span, hours, moment)
    is_this = _THIS_WEEK.match(text, begin) is not None
    if not is_this and _is_over(span, window, moment):
        window = _window(_moved(span, 7), hours, moment)
    return Found(begin, finish, window, span.step)


def _hours_after(text: str, at: int, moment: Moment) -> tuple[Hours | None, int]:
    """Read the hours behind a day, and give where they end."""
    tail = TAIL.match(text, at)
    hours = read_hours(tail) if tail else None
    if tail and hours:
        return hours, tail.end()
    end = find_same_hour(text, at)
    if end is None:
        return None, at
    hour, minute = moment.now.hour, moment.now.minute
    return Hours((hour - 1, minute), (hour + 1, minute)), end


def _is_over(span: Span, window: Window, moment: Moment) -> bool:
    """Tell whether a bare weekday named today's, though it must mean the next."""
    if span.step != "week" or span.start != moment.today:
        return False
    is_whole_day = window.granularity == "day"
    ahead = moment.direction is Direction.BOTH and moment.lean >= 0
    return ahead and (is_whole_day or window.end <= moment.now)


def _moved(span: Span, days: int) -> Span:
    move = timedelta(days=days)
    return replace(span, start=span.start + move, end=span.end + move)


def _window(span: Span, hours: Hours | None, moment: Moment) -> Window:
    if hours is None:
        return Window(moment.at(span.start), moment.at(span.end), "", span.granularity)
    return Window(
        moment.at(span.start, hour=hours.start[0], minute=hours.start[1]),
        moment.at(span.start, hour=hours.end[0], minute=hours.end[1]),
        "",
        "hour",
    )


def _clock_words(text: str, moment: Moment) -> Iterator[Found]:
    for match in ages.CLOCK_AGE.finditer(text):
        edges = ages.clock_age(match, moment)
        if edges:
            yield Found(match.start(), match.end(), Window(*edges, "", "hour"))
    for match in ages.JUST_NOW.finditer(text):
        edges = ages.just_now(moment)
        yield Found(match.start(), match.end(), Window(*edges, "", "hour"))
    for match in ALONE.finditer(text):
        hours = read_hours(match, "" if match["part"] else "bare_")
        if hours:
            there = _leaning(text, match.start(), match.end(), moment)
            window = _next_or_last(hours, there)
            yield Found(match.start(), match.end(), window)
    for match in english.NIGHT.finditer(text):
        hours, night = english.NIGHT_HOURS, english.night_day(match, moment)
        yield Found(match.start(), match.end(), _window(night, hours, moment))
    if moment.direction is Direction.PAST:
        for match in DONE.finditer(text):
            window = _next_or_last(part_hours(match["part"]), moment)
            yield Found(match.start(), match.end(), window)


def _next_or_last(hours: Hours, moment: Moment) -> Window:
    """Put a time without a day on the nearest day that fits the direction."""
    # The small hours of a night belong to the day before: two days back may be needed.
    days = (-2, -1, 0, 1)
    windows = [
        _window(Span(day, day + ONE_DAY), hours, moment)
        for day in (moment.today + n * ONE_DAY for n in days)
    ]
    if moment.looks_back:
        return [window for window in windows if window.start <= moment.now][-1]
    return next(window for window in windows if window.end > moment.now)


def _with_words(found: Found, text: str) -> Found:
    words = text[found.begin : found.finish]
    return replace(found, window=replace(found.window, words=words))
