"""What happened to the user, and when.

Owns which told happenings are worth keeping: dated ones, and the turns of a life. Small
things of the same day are left to the raw messages.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [event] = find(read(cut("前天实习面试挂了", now=now)), sent_at=now)
>>> event.occurred_at.date().isoformat()
'2026-03-13'
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from memories.extraction.clauses import BLANK
from memories.extraction.drafts import Draft, statement
from memories.extraction.lexicon import doings, plans, speech
from memories.extraction.narration import is_absurd, what_followed
from memories.extraction.stance import Reading
from memsys.kernel.text.timewords import Window

MIN_CONTENT_CHARS = 3
MAX_OUTCOME_CHARS = 6


def find(readings: Sequence[Reading], *, sent_at: datetime) -> Iterator[Draft]:
    """Find what a message tells that has happened."""
    for place, reading in enumerate(readings):
        if _is_of_kin(reading) and not _is_ahead(reading, sent_at):
            yield _draft([reading], place, _behind(reading, sent_at))
        if not _is_told(reading) or _is_under_way(reading, sent_at):
            continue
        window = _behind(reading, sent_at)
        if window:
            spoken = _happening(readings, place, window, sent_at)
            if spoken:
                yield _draft(spoken, place, window)
        elif not _is_dated(reading) and _is_turn(reading):
            yield _draft([reading], place, None)


def _is_told(reading: Reading) -> bool:
    if not reading.is_plain or reading.is_wished or reading.subject != "first":
        return False
    folded = reading.clause.folded
    if is_absurd(reading):
        return False
    not_told = (speech.CANCELLED, speech.ORIGINALLY, doings.IN_CHAT, plans.MEANT)
    return not any(pattern.search(folded) for pattern in not_told)


def _is_under_way(reading: Reading, sent_at: datetime) -> bool:
    """Tell whether a time goes on in which something is yet to come: 这学期要实习了."""
    goes_on = any(window.end > sent_at for window in reading.clause.windows)
    return goes_on and plans.STILL_AHEAD.search(reading.clause.folded) is not None


def _is_of_kin(reading: Reading) -> bool:
    """Tell whether something grave befell the user's family: 爸住院了."""
    is_stated = reading.is_plain and not (reading.is_wished or reading.is_past)
    return is_stated and plans.KIN_EVENT.match(reading.clause.bare.strip()) is not None


def _is_ahead(reading: Reading, sent_at: datetime) -> bool:
    return any(window.start > sent_at for window in reading.clause.windows)


def _is_dated(reading: Reading) -> bool:
    return any(window.granularity != "year" for window in reading.clause.windows)


def _behind(reading: Reading, sent_at: datetime) -> Window | None:
    for window in reading.clause.windows:
        if window.start <= sent_at:
            return window
    return None


def _happening(
    readings: Sequence[Reading], place: int, window: Window, sent_at: datetime
) -> list[Reading] | None:
    """Give the clauses of a dated happening: the date's own, or the next with it."""
    here = readings[place]
    is_near = window.end > sent_at or window.start.date() == sent_at.date()
    content = _content(here)
    if len(content) >= MIN_CONTENT_CHARS or plans.NOTABLE.fullmatch(content):
        if outcome := _outcome(readings, place, is_near=is_near):
            return [here, *outcome]
        if not _has_happened(here, is_near=is_near):
            return None
        return [here, *what_followed(readings, place)]
    following = readings[place + 1 : place + 2]
    for reading in following:
        same = reading.clause.sentence == here.clause.sentence
        if same and _is_told(reading) and _has_happened(reading, is_near=is_near):
            return [here, reading]
    return None


def _has_happened(reading: Reading, *, is_near: bool) -> bool:
    content = _content(reading)
    not_told = (plans.UNDONE, plans.BACKGROUND, plans.STATE, plans.WEATHER)
    if any(pattern.search(content) for pattern in not_told):
        return False
    if is_near:
        return _is_notable(content) and bool(plans.DONE.search(content))
    if plans.TRIVIAL.search(content) and not plans.NOTABLE.search(content):
        return False
    told = (plans.DONE, plans.NOTABLE, plans.WENT)
    return any(pattern.search(content) for pattern in told)


def _is_notable(content: str) -> bool:
    marks = (plans.NOTABLE, plans.LIFE_EVENT)
    return any(pattern.search(content) for pattern in marks)


def _outcome(
    readings: Sequence[Reading], place: int, *, is_near: bool
) -> list[Reading]:
    """Give the clause with how it went: 今天下午开庭，赢了."""
    here = readings[place]
    if not is_near or not plans.NOTABLE.search(_content(here)):
        return []
    return [
        reading
        for reading in readings[place + 1 : place + 2]
        if reading.clause.sentence == here.clause.sentence
        and _is_told(reading)
        and len(_content(reading)) <= MAX_OUTCOME_CHARS
        and plans.DONE.search(reading.clause.folded)
    ]


def _is_turn(reading: Reading) -> bool:
    folded = reading.clause.folded
    not_now = (plans.UNDONE, plans.BACKGROUND, doings.EVERY_TIME)
    if any(pattern.search(folded) for pattern in not_now):
        return False
    match = plans.LIFE_EVENT.search(folded)
    if match is None or reading.is_past:
        return False
    return not plans.NOT_YET.search(folded[: match.start()])


def _content(reading: Reading) -> str:
    return reading.clause.bare.replace(BLANK, "").strip(" ,")


def _draft(spoken: Sequence[Reading], place: int, window: Window | None) -> Draft:
    return Draft(
        kind="event",
        key="",
        value="".join(_content(reading) for reading in spoken),
        polarity=0,
        text=statement(*spoken),
        place=place,
        occurred_at=window.start if window else None,
        when=window.words if window else "",
    )
