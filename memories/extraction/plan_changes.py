"""Which plan of a session is meant when one is taken back, and the plan on its new day.

Owns finding it by its words, its day or for being told just before, and the bare day
of a correction (不对，是周六). Keeps nothing; the session's facts are the ledger's.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> find_bare_day(read(cut("不对，是周六", now=now)), now).words
'周六'
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from memories.extraction.appointments import draft_of_plan, due_of
from memories.extraction.clauses import BLANK
from memories.extraction.drafts import Draft
from memories.extraction.endings import Ending
from memories.extraction.stance import Reading
from memories.extraction.types import USER, CandidateFact
from memories.slots.plans import is_named, is_same_plan
from memsys.kernel.text.timewords import Window

_AROUND_DAY = re.compile(
    r"[,，。!！~\s]|不对|说错了?|记错了?|应该|才?是|不是|我|改成|改到|啊|哦|了|的"
)
_WEEKDAY = re.compile("周|星期|礼拜")
_PAIR = re.compile(r"(?=([一-龥]{2}))")
_SEEN = re.compile("[医牙影展演剧病房球灯秀]")
_ANY_DEED = ("", "去", "来", "走")


def is_plan_of_user(fact: CandidateFact) -> bool:
    """Tell whether a fact is something that the user means to do."""
    is_plan = fact.kind == "commitment" or fact.due_at is not None
    return fact.subject == USER and (is_plan or fact.key.startswith("aim:"))


def find_meant(
    facts: Sequence[CandidateFact], ending: Ending, *, recent: Collection[UUID]
) -> list[CandidateFact]:
    """Find the plans that an ending takes back; `recent` are the messages just before.

    What names nothing, as 不去了, means the plan that was told last, and only just.
    """
    own = [fact for fact in facts if is_plan_of_user(fact)]
    if is_named(ending.about):
        exact = [f for f in own if is_same_plan(ending.about, f.value)]
        meant = exact or [f for f in own if _shares_pair(ending.about, f.value)]
        return [f for f in meant if _agrees(f, ending)] or meant[-1:]
    if ending.day is not None and ending.moved_to is None:
        return [f for f in own if f.due_at and f.due_at.date() == ending.day]
    last = [f for f in own if f.evidence[-1] in recent][-1:]
    is_any = ending.did in _ANY_DEED
    return [f for f in last if is_any or _is_done(ending.did, f.value)]


def moved(
    known: CandidateFact,
    window: Window,
    *,
    when: str,
    message: UUID,
    sent_at: datetime,
) -> CandidateFact:
    """Give a plan on its new day; `when` are the words that dated it."""
    due = due_of(window, sent_at)
    key = known.key
    if known.kind == "commitment":
        key = f"{key.partition('|')[0]}|{due.at.date().isoformat()}"
    return replace(
        known,
        key=key,
        due_at=due.at,
        due_until=due.until,
        text=known.text.replace(when, window.words) if when else known.text,
        evidence=(*known.evidence, message),
    )


def draft_of_moved(ending: Ending, *, sent_at: datetime) -> Draft | None:
    """Build the plan on its new day where no earlier word of it is known."""
    window = ending.moved_to
    if window is None or not is_named(ending.about):
        return None
    return draft_of_plan(
        [ending.reading],
        place=ending.place,
        due=due_of(window, sent_at),
        when=window.words,
        about=ending.about,
    )


def find_bare_day(
    readings: Sequence[Reading], sent_at: datetime, *, near: datetime | None = None
) -> Window | None:
    """Find the day ahead in a message that holds next to nothing else.

    A weekday is that of the week in which the mistaken day, `near`, stands.
    """
    words = "".join(reading.clause.bare for reading in readings).replace(BLANK, "")
    if len(_AROUND_DAY.sub("", words)) >= 2:
        return None
    windows = [window for reading in readings for window in reading.clause.windows]
    days = [later for window in windows if (later := _ahead(window, sent_at))]
    return _in_week_of(days[-1], near) if days else None


def _in_week_of(window: Window, near: datetime | None) -> Window:
    if near is None or not _WEEKDAY.match(window.words):
        return window
    monday = near.date() - timedelta(days=near.weekday())
    own = window.start.date() - timedelta(days=window.start.weekday())
    weeks = (monday - own).days // 7
    if weeks <= 0:
        return window
    later = timedelta(weeks=weeks)
    return replace(window, start=window.start + later, end=window.end + later)


def _ahead(window: Window, sent_at: datetime) -> Window | None:
    """Give the window, or the same weekday of the next week where it is over."""
    if window.end > sent_at:
        return window
    if not _WEEKDAY.match(window.words):
        return None
    week = timedelta(weeks=1)
    later = replace(window, start=window.start + week, end=window.end + week)
    return later if later.end > sent_at else None


def _is_done(deed: str, plan: str) -> bool:
    """Tell whether a bare verb is what is planned: 不看了 of the dentist."""
    return deed in plan or (deed == "看" and _SEEN.search(plan) is not None)


def _shares_pair(about: str, value: str) -> bool:
    return any(pair in about for pair in _PAIR.findall(value))


def _agrees(fact: CandidateFact, ending: Ending) -> bool:
    if fact.due_at is None or ending.day is None:
        return True
    return fact.due_at.date() == ending.day
