"""What the user means to do: wishes, and plans without a date.

Owns aims told plainly as one's own (我打算转行, 下周六我想去看电影). A dated plan is a
commitment and a daydream (好想去冰岛) is nothing.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> told = read(cut("最近我打算去攀登华山", now=now))
>>> [draft.value for draft in find(told, sent_at=now)]
['去攀登华山']
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from memories.extraction.appointments import due_of, find_ahead
from memories.extraction.drafts import Draft, statement
from memories.extraction.facts import Attribute, draft_of
from memories.extraction.lexicon import aims, doings, people, speech
from memories.extraction.narration import is_absurd, what_followed
from memories.extraction.stance import FIRST, Reading

_AIM = Attribute("aim", "", is_many=True)
_TODAY = re.compile(r"今天|今晚|今日|晚上|待会|等下|等会|一会|这就|马上|先")
# 我爸希望我考研: the wish is not the user's.
_NOT_MINE = re.compile(r"[他她]|让|叫|劝|说|希望我|非要|逼|不|没|别|会|[爸妈哥姐弟妹]")


def find(
    readings: Sequence[Reading], *, sent_at: datetime, taken: Collection[int] = ()
) -> Iterator[Draft]:
    """Find aims; sentences of the clauses in `taken` hold a dated plan already."""
    told = {readings[place].clause.sentence for place in taken}
    for place, reading in enumerate(readings):
        if reading.clause.sentence in told or not _is_own(readings, place, sent_at):
            continue
        if _is_dropped(readings, place):
            continue
        span = _aim(reading)
        if span:
            told.add(reading.clause.sentence)
            spoken = [reading, *what_followed(readings, place)]
            draft = draft_of(_AIM, reading, place, span)
            yield replace(draft, text=statement(*spoken), **_when(reading, sent_at))


def _is_dropped(readings: Sequence[Reading], place: int) -> bool:
    """Tell whether the next clause cannot part with it: 想扔了，又舍不得."""
    here = readings[place].clause
    return any(
        reading.clause.sentence == here.sentence and "舍不得" in reading.clause.folded
        for reading in readings[place + 1 : place + 2]
    )


def _when(reading: Reading, sent_at: datetime) -> dict[str, Any]:
    """Give the fields of a draft that date it, none when no day is named."""
    window = find_ahead(reading, sent_at)
    if window is None:
        return {}
    due = due_of(window, sent_at)
    return {"due_at": due.at, "due_until": due.until, "when": window.words}


def _is_own(readings: Sequence[Reading], place: int, sent_at: datetime) -> bool:
    reading = readings[place]
    if reading.subject != FIRST or reading.is_past or reading.is_laughed:
        return False
    folded = reading.clause.folded
    before = _said_before(readings, place)
    window = find_ahead(reading, sent_at)
    is_later = window is not None and window.start.date() > sent_at.date()
    is_today = not is_later and (_TODAY.search(folded) or _TODAY.search(before))
    if is_today and not aims.DECIDED.search(folded):
        return False
    if speech.CANCELLED.search(folded):
        return False
    # 想去 reads as wished, which takes nothing from a plain statement here.
    return reading.is_plain and not is_absurd(reading)


def _said_before(readings: Sequence[Reading], place: int) -> str:
    """Give the clause before in the sentence: 今天天气好，我想去散步."""
    before = readings[max(0, place - 1)].clause
    same = before.sentence == readings[place].clause.sentence
    return before.folded if same else ""


def _aim(reading: Reading) -> tuple[int, int] | None:
    folded = reading.clause.folded.rstrip(" ,")
    match = aims.AIM.search(folded)
    if match is None or aims.MOMENTARY.search(folded):
        return None
    head = folded[: match.start()]
    is_said = doings.SELF.search(head) or doings.THESE_DAYS.search(head)
    is_bare = aims.WHEN.fullmatch(head) and aims.DECIDED.match(match[0])
    if (
        not (is_said or is_bare)
        or _NOT_MINE.search(head)
        or people.OWN_OTHERS.match(folded)
    ):
        return None
    if aims.VAGUE_AIM.search(match["what"]):
        return None
    return match.span("what")
