"""A day that stands behind its plan: 回老家，14号的高铁，到赣州.

Owns which clause only dates the one before it, and which day it names: a bare 12号
belongs to the month that the plan is set for, or to the next that has it ahead.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> told = read(cut("七月就能回国了，机票买的12号", now=now))
>>> find(told, 0, sent_at=now).due.at.date().isoformat()
'2026-07-12'
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memories.extraction.appointments import Due, content_of, due_of, find_ahead
from memories.extraction.drafts import without_particles
from memories.extraction.intents import is_plan, may_follow
from memories.extraction.lexicon import plans
from memories.extraction.stance import FIRST, Reading
from memsys.kernel.text.timewords import Direction, Window, find_windows

# 国庆 may be told more exactly, 下周一 is exact.
_EXPLICIT = re.compile(
    r"周[一二三四五六日天]|星期|礼拜|[号日]|明天|后天|今天|今晚|明晚"
)
_DAY_OF_MONTH = re.compile(r"\d{1,2}[号日]")


@dataclass(frozen=True)
class Tail:
    """The clauses of a plan and of its day, and that day."""

    spoken: tuple[Reading, ...]
    due: Due
    when: str


def find(readings: Sequence[Reading], place: int, *, sent_at: datetime) -> Tail | None:
    """Find the clause behind a plan that dates it."""
    here = readings[place]
    own = find_ahead(here, sent_at)
    is_dated = own is not None and _EXPLICIT.search(own.words) is not None
    if is_dated or not _may_have_tail(here):
        return None
    for following in readings[place + 1 : place + 2]:
        if not _is_tail(following, here):
            continue
        window = _window(following, here, sent_at)
        if window:
            spoken = (here, following, *_where_to(readings, place + 2))
            return Tail(spoken, due_of(window, sent_at), window.words)
    return None


def _may_have_tail(reading: Reading) -> bool:
    if reading.subject != FIRST or not is_plan(reading, wished=True):
        return False
    folded = reading.clause.folded
    is_over = plans.DONE.search(folded) and not plans.STILL_AHEAD.search(folded)
    return not is_over


def _is_tail(following: Reading, here: Reading) -> bool:
    same = following.clause.sentence == here.clause.sentence
    words = without_particles(content_of(following))
    return same and following.is_plain and plans.DATE_TAIL.fullmatch(words) is not None


def _window(following: Reading, here: Reading, sent_at: datetime) -> Window | None:
    month = find_ahead(here, sent_at)
    for window in following.clause.windows:
        if not _DAY_OF_MONTH.fullmatch(window.words):
            continue
        if month and month.granularity == "month":
            return _day_in(window, month)
        said = f"要{window.words}"
        ahead = find_windows(said, now=sent_at, direction=Direction.BOTH)
        return ahead[0] if ahead and ahead[0].end > sent_at else None
    return find_ahead(following, sent_at)


def _day_in(window: Window, month: Window) -> Window | None:
    said = f"{month.start.year}年{month.start.month}月{window.words}"
    found = find_windows(said, now=month.start, direction=Direction.BOTH)
    return next(iter(found), None)


def _where_to(readings: Sequence[Reading], place: int) -> Sequence[Reading]:
    """Give the clause that says where to: 回，14号的高铁，到赣州."""
    before = readings[place - 1]
    return [
        reading
        for reading in readings[place : place + 1]
        if reading.clause.sentence == before.clause.sentence
        and may_follow(reading)
        and plans.WHERE_TO.match(reading.clause.folded)
    ]
