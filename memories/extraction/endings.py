"""Plans that are off or moved, whenever they were told: 北京出差取消了.

Owns which clauses take a plan back and what they name of it. Which plan it is, and
whether it is known at all, the ledger decides for its session and the services for
those before.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [ending] = find(read(cut("北京出差取消了", now=now)), sent_at=now)
>>> ending.about, ending.moved_to
('北京出差', None)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from memories.extraction.appointments import due_of
from memories.extraction.clauses import BLANK, Clause
from memories.extraction.drafts import Draft, statement
from memories.extraction.lexicon import endings, plans, speech
from memories.extraction.stance import SECOND, Reading
from memories.slots import slot_key
from memories.slots.plans import is_named
from memsys.kernel.text.timewords import Direction, Window, find_windows

MIN_NAME_CHARS = 2


@dataclass(frozen=True)
class Ending:
    """A plan taken back: what is named of it, its day if one is said.

    `about` is in the words of slots and may be empty (不去了); `did` is the bare verb.
    `moved_to` is the new day of a plan that is only moved.
    """

    place: int
    reading: Reading
    about: str
    did: str = ""
    day: date | None = None
    moved_to: Window | None = None

    @property
    def is_of_plan(self) -> bool:
        """Tell whether the words alone say that there was a plan."""
        words = self.reading.clause.bare.replace(self.did, "", 1)
        is_planned = plans.PLAN.search(endings.CALLED_OFF.sub("", words)) is not None
        return len(self.about) >= MIN_NAME_CHARS and is_planned

    @property
    def names_plan(self) -> bool:
        """Tell whether it says which plan it ends."""
        return len(self.about) >= MIN_NAME_CHARS or self.day is not None


def find(readings: Sequence[Reading], *, sent_at: datetime) -> Iterator[Ending]:
    """Find what a message of the user takes back."""
    found: list[Ending] = []
    for place, reading in enumerate(readings):
        if reading.is_asked or reading.subject == SECOND or reading.is_wished:
            continue
        if not (reading.is_plain or speech.ORIGINALLY.search(reading.clause.folded)):
            continue
        ending = _moved(place, reading, sent_at) or _off(place, reading, sent_at)
        if ending is None:
            continue
        before = found[-1] if found and _goes_on(found[-1], ending) else None
        if before is None:
            found.append(_with_name_before(ending, readings, sent_at))
        elif ending.moved_to or not before.moved_to:
            # 面试延期了，改到下周五 is one change.
            found[-1] = replace(
                ending, about=ending.about or before.about, day=ending.day or before.day
            )
    yield from found


def _goes_on(before: Ending, ending: Ending) -> bool:
    same = before.reading.clause.sentence == ending.reading.clause.sentence
    return same and (not ending.about or ending.about == before.about)


def draft_of_ending(ending: Ending, *, sent_at: datetime) -> Draft:
    """Build the draft that says that a plan is off; its day is the plan's own.

    Where the plan is moved, it is due on the new day, as the plan itself.
    """
    due = due_of(ending.moved_to, sent_at) if ending.moved_to else None
    key = slot_key(kind="commitment", about=ending.about, due_date=ending.day)
    return Draft(
        kind="commitment",
        key=key,
        value=ending.about,
        polarity=-1,
        text=statement(ending.reading),
        place=ending.place,
        due_at=due.at if due else None,
        due_until=due.until if due else None,
    )


def _moved(place: int, reading: Reading, sent_at: datetime) -> Ending | None:
    clause = reading.clause
    match = endings.MOVED.search(clause.bare)
    if match is None or not clause.bare[match.end() :].startswith(BLANK):
        return None
    target = next(
        (w for w in clause.windows if _stands_at(clause, w, match.end())), None
    )
    if target is None:
        return None
    target = _meant(target, sent_at)
    if target.end <= sent_at:
        return None
    return Ending(
        place=place,
        reading=reading,
        about=_about(clause.bare[: match.start()]),
        day=_day_before(reading, target, sent_at),
        moved_to=target,
    )


def _stands_at(clause: Clause, window: Window, place: int) -> bool:
    return clause.text[place:].startswith(window.words)


def _day_before(reading: Reading, target: Window, sent_at: datetime) -> date | None:
    others = [w for w in reading.clause.windows if w.words != target.words]
    return _meant(others[0], sent_at).start.date() if others else None


def _meant(window: Window, sent_at: datetime) -> Window:
    """Read a day as the next one where it may be: what is over is not called off."""
    if window.end > sent_at:
        return window
    ahead = find_windows(f"要{window.words}", now=sent_at, direction=Direction.BOTH)
    if not ahead or ahead[0].end <= sent_at:
        return window
    return replace(ahead[0], words=window.words)


def _off(place: int, reading: Reading, sent_at: datetime) -> Ending | None:
    clause = reading.clause
    windows = [_meant(w, sent_at) for w in clause.windows if w.granularity != "year"]
    if any(window.end <= sent_at for window in windows):
        return None
    day = windows[0].start.date() if windows else None
    words = clause.bare.rstrip(" ,")
    if match := endings.OFF.search(words):
        did = match["do"] or match["fails"]
        about = words[: match.start()] + (match["what"] or "")
    elif match := endings.CALLED_OFF.search(words):
        did, about = "", words[: match.start()] + words[match.end() :]
    else:
        return None
    return Ending(place=place, reading=reading, about=_about(about), did=did, day=day)


def _about(words: str) -> str:
    bare = endings.AROUND.sub("", words.replace(BLANK, ""))
    opening = speech.OPENERS.match(bare)
    rest = bare[opening.end() if opening else 0 :]
    return slot_key(kind="commitment", about=rest).partition("|")[0] if rest else ""


def _with_name_before(
    ending: Ending, readings: Sequence[Reading], sent_at: datetime
) -> Ending:
    """Take the name from the clause before: 周五的演唱会，我不去了."""
    if ending.about or not ending.place:
        return ending
    before = readings[ending.place - 1]
    same = before.clause.sentence == ending.reading.clause.sentence
    about = _about(before.clause.bare)
    if not same or not is_named(about) or plans.PLAN.search(about) is None:
        return ending
    windows = before.clause.windows
    day = _meant(windows[0], sent_at).start.date() if windows else None
    return replace(ending, about=about, day=ending.day or day)
