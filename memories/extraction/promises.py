"""What the persona promised the user.

Owns when words of the persona bind it: said of a day ahead, as a habit, for later, or
as a vow. Its own life is no promise, and neither is what it does at once.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> told = read(cut("到时候我给你唱生日歌", now=now))
>>> [draft.subject for draft in find(told, sent_at=now)]
['persona']
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from memories.extraction.appointments import (
    Due,
    content_of,
    draft_of_plan,
    due_of,
    find_ahead,
    is_clock_only,
)
from memories.extraction.drafts import Draft
from memories.extraction.lexicon import plans, speech
from memories.extraction.stance import FIRST, SECOND, Reading
from memories.extraction.types import PERSONA

MAX_LEAD_CHARS = 12
# 祝你愉快, 随时为你效劳, 很高兴能给你带来灵感: kind words bind nobody.
_KINDLY = re.compile(
    r"^(?:我|也|那|就|再次)*(?:祝|随时|期待|相信|觉得|认为|感觉|猜|发现|(?:很|非常|真|特别)?(?:高兴|荣幸|开心|乐意))"
    r"|[给为][你您]?带来|(?:明天|下次|改天|以后|回头|有空)(?:我们|咱们)?(?:再|继续|接着)+(?:聊|见|说|谈)"
)


def find(
    readings: Sequence[Reading], *, sent_at: datetime, planned: datetime | None = None
) -> Iterator[Draft]:
    """Find promises; `planned` is the day of the user's plan that is spoken of."""
    told: list[Reading] = []
    for place, reading in enumerate(readings):
        if reading in told or not _may_bind(reading):
            continue
        spoken = _promise(readings, place, sent_at)
        if spoken:
            told += spoken
            yield _draft(spoken, place, sent_at, planned)


def _may_bind(reading: Reading) -> bool:
    if not reading.is_plain or reading.subject != FIRST or reading.is_wished:
        return False
    folded = reading.clause.folded
    unbinding = speech.CANCELLED.search(folded) or _KINDLY.search(folded)
    return not (reading.is_past or unbinding)


def _promise(
    readings: Sequence[Reading], place: int, sent_at: datetime
) -> list[Reading] | None:
    """Give the clauses of a promise that begins with this one."""
    here = readings[place]
    folded = here.clause.folded
    for_you = plans.FOR_YOU.search(folded)
    if plans.AS_A_RULE.search(folded) and not for_you:
        return None
    if for_you:
        rest = _rest(readings, place, sent_at)
        if rest or _is_for_later(readings, place, sent_at):
            return [here, *rest]
        return None
    if not _is_timed(here, sent_at):
        return None
    if plans.PERFORMS.search(folded):
        return [here]
    return _promise_after(readings, place)


def _is_timed(reading: Reading, sent_at: datetime) -> bool:
    is_set = plans.HABIT.search(reading.clause.folded) or plans.LATER.search(
        reading.clause.folded
    )
    return bool(is_set) or find_ahead(reading, sent_at) is not None


def _is_for_later(readings: Sequence[Reading], place: int, sent_at: datetime) -> bool:
    """Tell whether what is done for the user is set for a time, vowed, or sent."""
    here, before = readings[place], readings[max(0, place - 1)]
    if _is_timed(here, sent_at) or plans.SENDS.search(here.clause.folded):
        return True
    if before.clause.sentence != here.clause.sentence:
        return bool(plans.VOWS.search(here.clause.folded))
    both = (before.clause.folded, here.clause.folded)
    waits = before.subject == SECOND and plans.ONCE_DONE.search(before.clause.folded)
    return bool(waits) or any(plans.VOWS.search(words) for words in both)


def _rest(readings: Sequence[Reading], place: int, sent_at: datetime) -> list[Reading]:
    """Give the next clause where it says when: 我帮你催稿，每天问一遍."""
    here = readings[place]
    return [
        reading
        for reading in readings[place + 1 : place + 2]
        if reading.clause.sentence == here.clause.sentence
        and _may_bind(reading)
        and _is_timed(reading, sent_at)
        and plans.GOES_ON_FOR_YOU.search(reading.clause.folded)
    ]


def _promise_after(readings: Sequence[Reading], place: int) -> list[Reading] | None:
    """Join the clause after a date that stands alone: 下周二七点，我叫你起床."""
    if place + 1 == len(readings):
        return None
    here, following = readings[place], readings[place + 1]
    if here.clause.sentence != following.clause.sentence or not following.is_plain:
        return None
    promises = plans.FOR_YOU.search(following.clause.folded)
    is_short = len(content_of(here)) <= MAX_LEAD_CHARS
    if promises and is_short and following.subject == FIRST:
        return [here, following]
    return None


def _draft(
    spoken: Sequence[Reading],
    place: int,
    sent_at: datetime,
    planned: datetime | None,
) -> Draft:
    windows = filter(None, (find_ahead(reading, sent_at) for reading in spoken))
    window = next(windows, None)
    if window and not (planned and is_clock_only(window)):
        due: Due | None = due_of(window, sent_at)
    else:
        due = _day_of_plan(spoken, planned)
    when = window.words if window else ""
    return draft_of_plan(spoken, place=place, due=due, when=when, subject=PERSONA)


def _day_of_plan(spoken: Sequence[Reading], planned: datetime | None) -> Due | None:
    """Read 那天 and 前一天晚上 by the plan that was spoken of."""
    words = "".join(reading.clause.folded for reading in spoken)
    if planned is None or not plans.THAT_DAY.search(words):
        return None
    days = 1 if plans.DAY_BEFORE.search(words) else 0
    midnight = planned.replace(hour=0, minute=0, second=0, microsecond=0)
    return Due(midnight - timedelta(days=days))
