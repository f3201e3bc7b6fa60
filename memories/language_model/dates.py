"""The day of a fact: told by our own rules from the message's time, else by the model.

Owns which day counts. A time that the clauses name is read by the rules, and the model
may only say which of several is meant. Its own day counts where the talk names a time
that the rules cannot read; a day that nobody spoke of is none.

>>> from zoneinfo import ZoneInfo
>>> sent_at = datetime(2026, 3, 15, 20, tzinfo=ZoneInfo("Asia/Shanghai"))
>>> find_due("2026-03-21", readings=[], sent_at=sent_at, talk="开学那天见").at.day
21
>>> find_due("2026-03-21", readings=[], sent_at=sent_at, talk="我要去爬山")
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from memories.extraction.appointments import Due, due_of, find_ahead
from memories.extraction.stance import Reading
from memsys.kernel.text.timewords import Window

MAX_DAYS_BACK = 80 * 366
MAX_DAYS_AHEAD = 10 * 366
_TIME_IS_NAMED = re.compile(
    r"\d|[一二三四五六七八九十两几][个]?(?:年|月|日|号|號|天|周|週|星期|礼拜|禮拜)"
    r"|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天末]|[昨今明][天日晚早年]|[前后後][天年]|聽日|尋日|琴日"
    r"|[去往当當][年]|[年月周週]底|[年月周週]末|[年月]初|节|節|假|开学|開學|毕业|畢業|春|夏|秋|冬|那天|当天"
    r"|上次|上回|小时候|小時候|生日"
)


def find_due(
    named: str | None, *, readings: Sequence[Reading], sent_at: datetime, talk: str
) -> Due | None:
    """Give when something is due, at 00:00 where it is a day, or None.

    `talk` is the message and what came before it; `sent_at` is local.
    """
    windows = [w for r in readings if (w := find_ahead(r, sent_at))]
    day = _day(named, sent_at)
    if windows:
        return due_of(_meant(windows, day), sent_at)
    if day and day >= sent_at.date() and _TIME_IS_NAMED.search(talk):
        return Due(_midnight(day, sent_at))
    return None


def find_happened(
    named: str | None, *, readings: Sequence[Reading], sent_at: datetime, talk: str
) -> datetime:
    """Give when something happened; without a day, when it was told."""
    windows = [w for r in readings for w in r.clause.windows if w.start <= sent_at]
    day = _day(named, sent_at)
    if windows:
        return _meant(windows, day).start
    if day and day < sent_at.date() and _TIME_IS_NAMED.search(talk):
        return _midnight(day, sent_at)
    return sent_at


def is_only_ahead(readings: Sequence[Reading], sent_at: datetime) -> bool:
    """Tell whether clauses name times, and all of them are to come."""
    windows = [window for reading in readings for window in reading.clause.windows]
    return bool(windows) and all(window.start > sent_at for window in windows)


def _day(named: str | None, sent_at: datetime) -> date | None:
    """Read an ISO date that is within some years of the message."""
    try:
        day = date.fromisoformat(named or "")
    except ValueError:
        return None
    days = (day - sent_at.date()).days
    return day if -MAX_DAYS_BACK <= days <= MAX_DAYS_AHEAD else None


def _meant(windows: Sequence[Window], day: date | None) -> Window:
    """Give the window that holds a day, else the first."""
    return next((one for one in windows if day and _holds(one, day)), windows[0])


def _holds(window: Window, day: date) -> bool:
    last = window.end - timedelta(microseconds=1)
    return window.start.date() <= day <= last.date()


def _midnight(day: date, sent_at: datetime) -> datetime:
    return datetime.combine(day, time(), tzinfo=sent_at.tzinfo)
