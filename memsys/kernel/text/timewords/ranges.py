"""Joins windows that stand together: 3号到5号, 上周三到现在, 周一周二.

Owns the joining and the moving of a range's end behind its start. Owns no rules.

>>> _TOGETHER.fullmatch("和") is not None
True
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Direction,
    Moment,
    Window,
    add_months,
    find_date,
)

_JOINER = re.compile(r"\s?(?:(?:一直|直)?到|至|~|[—–-]+)\s?")
_TOGETHER = re.compile(r"[和跟与、,]?")
_LONGEST_JOINER = 6
_UNTIL_NOW = re.compile(
    r"(?:那天|那会儿?)?(?:的?时候)?(?:开始)?"
    r"(?:(?:一直|直)?到(?:现在|如今|目前|这会儿)|至今|以来)"
)


@dataclass(frozen=True)
class Found:
    """A window with its place in the text, and how its date may be moved."""

    begin: int
    finish: int
    window: Window
    step: str = ""


def join_ranges(chosen: list[Found], text: str, moment: Moment) -> list[Found]:
    """Join the windows that one phrase names, in order."""
    joined: list[Found] = []
    for found in chosen:
        last = joined[-1] if joined else None
        range_ = _joined(last, found, text, moment) if last else None
        if range_:
            joined[-1] = range_
        else:
            joined.append(found)
    return [_until_now(found, text, moment) for found in joined]


def _joined(last: Found, found: Found, text: str, moment: Moment) -> Found | None:
    if found.begin - last.finish > _LONGEST_JOINER:
        return None
    if _JOINER.fullmatch(text, last.finish, found.begin):
        end = _after(found, last.window.start).end
        if end <= last.window.start:
            return None
    elif _is_next_day(last, found, text, moment):
        end = found.window.end
    else:
        return None
    window = replace(last.window, end=end, granularity="span")
    return replace(last, finish=found.finish, window=window)


def _is_next_day(last: Found, found: Found, text: str, moment: Moment) -> bool:
    """Tell whether a query names two days in a row; other days stay apart."""
    days = {last.window.granularity, found.window.granularity} == {"day"}
    follows = last.window.end == found.window.start
    is_asked = moment.direction is Direction.PAST
    together = _TOGETHER.fullmatch(text, last.finish, found.begin)
    return is_asked and days and follows and together is not None


def _until_now(found: Found, text: str, moment: Moment) -> Found:
    match = _UNTIL_NOW.match(text, found.finish)
    if match is None or found.window.start > moment.now:
        return found
    end = moment.at(moment.today + ONE_DAY)
    window = replace(found.window, end=end, granularity="span")
    return replace(found, finish=match.end(), window=window)


def _after(found: Found, start: datetime) -> Window:
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
