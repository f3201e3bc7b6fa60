"""What the user did, saw and is busy with, told without a date of its own.

Owns happenings of today and of lately, and activities that go on. What is dated or
turns a life belongs to `events`; small things of every day are left out.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [d.text for d in find(read(cut("我去看了周杰伦的演唱会，非常震撼", now=now)), sent_at=now)]
['我去看了周杰伦的演唱会，非常震撼']
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from memories.extraction.drafts import Draft, statement, without_particles
from memories.extraction.lexicon import doings, plans, speech
from memories.extraction.narration import content, is_absurd, what_followed
from memories.extraction.stance import FIRST, SECOND, Reading
from memsys.kernel.text.timewords import Window

MIN_OBJECT_CHARS = 2


def find(
    readings: Sequence[Reading], *, sent_at: datetime, taken: Collection[int] = ()
) -> Iterator[Draft]:
    """Find doings; sentences of the clauses in `taken` are told already."""
    told = {readings[place].clause.sentence for place in taken}
    told |= {r.clause.sentence for r in readings if _is_of_chat(r)}
    for place, reading in enumerate(readings):
        if reading.clause.sentence in told or not _is_told(reading):
            continue
        is_doing = _is_done_to_me(reading) or _is_busy(reading)
        is_doing = is_doing or (_has_done(reading) and _is_worth_it(reading))
        if is_doing and not _is_ahead(reading, sent_at):
            told.add(reading.clause.sentence)
            yield _draft(readings, place, sent_at)


def _is_of_chat(reading: Reading) -> bool:
    return doings.IN_CHAT.search(reading.clause.folded) is not None


def _is_told(reading: Reading) -> bool:
    if not reading.is_plain or reading.is_wished or reading.subject == SECOND:
        return False
    folded = reading.clause.folded
    taken_back = (
        speech.CANCELLED,
        speech.ORIGINALLY,
        plans.UNDONE,
        doings.EVERY_TIME,
    )
    is_bygone = reading.is_past and not reading.clause.windows
    if is_bygone or is_absurd(reading):
        return False
    return not any(p.search(folded) for p in taken_back)


def _is_worth_it(reading: Reading) -> bool:
    """Tell whether a doing has a teller or a time; a bare 买了条鱼 has neither."""
    folded = reading.clause.folded
    is_told = "我" in folded or bool(reading.clause.windows)
    return is_told or doings.NOTEWORTHY.search(folded) is not None


def _is_done_to_me(reading: Reading) -> bool:
    return doings.TO_ME.search(content(reading)) is not None


def _has_done(reading: Reading) -> bool:
    if reading.subject != FIRST:
        return False
    words = without_particles(content(reading)) + _closing(reading)
    for pattern in (doings.DID, doings.OUTING):
        for match in pattern.finditer(words):
            what = next(filter(None, match.groups()), "")
            is_ahead = doings.INTENDED.match(what)
            if not is_ahead and _is_own(words[: match.start()]) and _is_thing(what):
                return True
    return False


def _closing(reading: Reading) -> str:
    return "了" if reading.clause.folded.rstrip(" ,").endswith("了") else ""


def _is_own(head: str) -> bool:
    head = doings.FOR_OTHERS.sub("", head)
    if doings.NOT_DONE.search(head):
        return False
    return bool(doings.SELF.search(head) or doings.OWN_HEAD.match(head))


def _is_thing(what: str) -> bool:
    name = without_particles(what)
    return len(name) >= MIN_OBJECT_CHARS and not doings.VAGUE.search(name)


def _is_busy(reading: Reading) -> bool:
    """Tell whether a clause says what goes on these days: 最近在看一本书."""
    words = without_particles(content(reading))
    match = doings.ONGOING.search(words) or doings.STAYS.search(words)
    if reading.subject != FIRST or match is None:
        return False
    if not _is_own(words[: match.start()]):
        return False
    if not _is_thing(match["what"]):
        return False
    if doings.THESE_DAYS.search(reading.clause.folded):
        return True
    return reading.is_outright and doings.PROJECT.search(words) is not None


def _is_ahead(reading: Reading, sent_at: datetime) -> bool:
    return any(window.start > sent_at for window in reading.clause.windows)


def _behind(reading: Reading, sent_at: datetime) -> Window | None:
    for window in reading.clause.windows:
        if window.start <= sent_at:
            return window
    return None


def _draft(readings: Sequence[Reading], place: int, sent_at: datetime) -> Draft:
    window = _behind(readings[place], sent_at)
    spoken = [readings[place], *what_followed(readings, place)]
    return Draft(
        kind="event",
        key="",
        value="".join(content(reading) for reading in spoken),
        polarity=0,
        text=statement(*spoken),
        place=place,
        occurred_at=window.start if window else None,
        when=window.words if window else "",
    )
