"""Reads a sentence: which time words stand in it, and which windows they mean.

Owns the order of things: false friends out, longest words first, hours joined to
their day, ranges joined. Owns no words; those are in the rule modules.

>>> from datetime import datetime
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [window] = find_windows("上周末", now=now, direction=Direction.PAST)
>>> (window.start.day, window.end.day)
(7, 9)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache

from memsys.kernel.text.clean import fold
from memsys.kernel.text.timewords import ages, calendar_dates, relative
from memsys.kernel.text.timewords.hours import ALONE, TAIL, Hours, read_hours
from memsys.kernel.text.timewords.phrases import AHEAD, BEHIND, FALSE_FRIENDS
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Direction,
    Moment,
    Span,
    Window,
    add_months,
    find_date,
)

MAX_CHARS = 4000
_MAY_HOLD_TIME = re.compile(
    r"[天日号周期拜月年早晚时点前后才刚头末节夜\d秋夕旦圣五六宵午阳明至八春夏冬假半十庆元]"
)
_FALSE = re.compile("|".join(FALSE_FRIENDS))
_AHEAD, _BEHIND = re.compile(AHEAD), re.compile(BEHIND)
_RULES = (*ages.RULES, *relative.RULES, *calendar_dates.RULES)
_JOINER = re.compile(r"到|至|~|—+|-")
_BLANK = "\0"
_CLAUSE_END = re.compile(r"[。！？!?\n；;,，]")


@dataclass(frozen=True)
class _Found:
    """A window with its place in the text, and how its date may be moved."""

    begin: int
    finish: int
    window: Window
    step: str = ""


def find_windows(text: str, *, now: datetime, direction: Direction) -> list[Window]:
    """Find the windows that a text names, in order, in the zone of `now`.

    Linear in the text, of which the first 4,000 characters are read.
    """
    return [found.window for found in _find(text[:MAX_CHARS], now, direction)]


def _find(text: str, now: datetime, direction: Direction) -> list[_Found]:
    folded = _fold_each(text)
    if not _MAY_HOLD_TIME.search(folded):
        return []
    bare = _FALSE.sub(lambda match: _BLANK * len(match[0]), folded)
    moment = Moment(now, direction)
    candidates = sorted(
        (*_day_words(bare, moment), *_clock_words(bare, moment)),
        key=lambda found: (found.begin, -found.finish),
    )
    chosen: list[_Found] = []
    for found in candidates:
        if not chosen or found.begin >= chosen[-1].finish:
            chosen.append(found)
    joined = _join_ranges(chosen, bare)
    return [_with_words(found, text) for found in joined]


def _fold_each(text: str) -> str:
    """Fold character by character, so that places in the text stay true."""
    return "".join(map(_fold_char, text))


@lru_cache(maxsize=16384)
def _fold_char(char: str) -> str:
    folded = fold(char)
    return folded if len(folded) == 1 else char


def _day_words(text: str, moment: Moment) -> Iterator[_Found]:
    chars = frozenset(text)
    for rule in _RULES:
        if rule.hint.isdisjoint(chars):
            continue
        for match in rule.pattern.finditer(text):
            there = _leaning(text, match.start(), match.end(), moment)
            span = rule.build(match, there)
            if span:
                yield _with_hours(text, match.start(), match.end(), span, there)


def _leaning(text: str, begin: int, finish: int, moment: Moment) -> Moment:
    """See from the words around a date which way it points."""
    after = text[finish : finish + 24]
    end = _CLAUSE_END.search(after)
    around = (
        text[max(0, begin - 6) : begin] + " " + (after[: end.start()] if end else after)
    )
    if _AHEAD.search(around):
        return replace(moment, lean=1)
    return replace(moment, lean=-1) if _BEHIND.search(around) else moment


def _with_hours(
    text: str, begin: int, finish: int, span: Span, moment: Moment
) -> _Found:
    hours = None
    if span.end - span.start == ONE_DAY and span.granularity == "day":
        tail = TAIL.match(text, finish)
        hours = read_hours(tail) if tail else None
        finish = tail.end() if tail and hours else finish
    window = _window(span, hours, moment)
    if _is_over(span, window, moment):
        window = _window(_moved(span, 7), hours, moment)
    return _Found(begin, finish, window, span.step)


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


def _clock_words(text: str, moment: Moment) -> Iterator[_Found]:
    for match in ages.CLOCK_AGE.finditer(text):
        edges = ages.clock_age(match, moment)
        if edges:
            yield _Found(match.start(), match.end(), Window(*edges, "", "hour"))
    for match in ages.JUST_NOW.finditer(text):
        edges = ages.just_now(moment)
        yield _Found(match.start(), match.end(), Window(*edges, "", "hour"))
    for match in ALONE.finditer(text):
        hours = read_hours(match, "" if match["part"] else "bare_")
        if hours:
            there = _leaning(text, match.start(), match.end(), moment)
            window = _next_or_last(hours, there)
            yield _Found(match.start(), match.end(), window)


def _next_or_last(hours: Hours, moment: Moment) -> Window:
    """Put a time without a day on the nearest day that fits the direction."""
    days = (-1, 0, 1)
    windows = [
        _window(Span(day, day + ONE_DAY), hours, moment)
        for day in (moment.today + n * ONE_DAY for n in days)
    ]
    if moment.looks_back:
        return [window for window in windows if window.start <= moment.now][-1]
    return next(window for window in windows if window.end > moment.now)


def _join_ranges(chosen: list[_Found], text: str) -> list[_Found]:
    joined: list[_Found] = []
    for found in chosen:
        last = joined[-1] if joined else None
        if last and _JOINER.fullmatch(text, last.finish, found.begin):
            later = _after(found, last.window.start)
            if later.end > last.window.start:
                window = replace(last.window, end=later.end, granularity="span")
                joined[-1] = replace(last, finish=found.finish, window=window)
                continue
        joined.append(found)
    return joined


def _after(found: _Found, start: datetime) -> Window:
    """Move the end of a range to its first occurrence from the start on."""
    window = found.window
    if found.step == "week":
        days = (window.start.date() - start.date()).days % 7
        target = start.date() + days * ONE_DAY
    elif found.step in ("month", "year"):
        months = 1 if found.step == "month" else 12
        first = find_date(
            start.year,
            start.month if months == 1 else window.start.month,
            window.start.day,
        )
        target = first or window.start.date()
        if target < start.date():
            target = add_months(target, months)
    else:
        return window
    move = target - window.start.date()
    return replace(window, start=window.start + move, end=window.end + move)


def _with_words(found: _Found, text: str) -> _Found:
    words = text[found.begin : found.finish]
    return replace(found, window=replace(found.window, words=words))
