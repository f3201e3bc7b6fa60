"""What is agreed: the user's plans and appointments, and the persona's promises.

Owns when a date ahead and a plan make a commitment, and whose it is. A plan that is
wished, asked or called off is none.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> readings = read(cut("下周六一起看电影吧，说好了", now=now))
>>> [draft.due_at.date().isoformat() for draft in find(readings, sent_at=now)]
['2026-03-21']
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from memories.extraction.clauses import BLANK
from memories.extraction.drafts import Draft, statement, without_particles
from memories.extraction.lexicon import plans, speech
from memories.extraction.stance import FIRST, SECOND, Reading
from memories.extraction.types import PERSONA, USER
from memories.slots import slot_key
from memsys.kernel.text.timewords import Window

MIN_CONTENT_CHARS = 2
MIN_PROMISE_CHARS = 4
MAX_LEAD_CHARS = 12


def find(readings: Sequence[Reading], *, sent_at: datetime) -> Iterator[Draft]:
    """Find what the user has planned or promised."""
    told: list[Reading] = []
    for place, reading in enumerate(readings):
        if reading in told or not _is_own_plan(reading):
            continue
        if _is_called_off(readings, place):
            continue
        window = find_ahead(reading, sent_at)
        spoken = _plan(readings, place) if window else None
        occasion = None if window else _occasion(readings, place, sent_at)
        if occasion:
            window, spoken = find_ahead(occasion, sent_at), [occasion, reading]
        if window and spoken and _is_firm(spoken, window, sent_at):
            told += spoken
            yield _draft(spoken, place, USER, window, sent_at)
        elif window is None and _is_undated(readings, place):
            yield _draft([reading], place, USER, None, sent_at)


def find_of_persona(
    readings: Sequence[Reading], *, sent_at: datetime
) -> Iterator[Draft]:
    """Find what the persona promised the user; its own life is no promise."""
    for place, reading in enumerate(readings):
        folded = reading.clause.folded
        if not reading.is_plain or reading.subject != FIRST or reading.is_wished:
            continue
        if speech.CANCELLED.search(folded) or reading.is_past:
            continue
        window = find_ahead(reading, sent_at)
        for_you = plans.FOR_YOU.search(folded)
        if plans.AS_A_RULE.search(folded) and not for_you:
            continue
        if window or plans.HABIT.search(folded):
            spoken = [reading] if for_you or plans.PERFORMS.search(folded) else None
            spoken = spoken or _promise_after(readings, place)
            if spoken:
                yield _draft(spoken, place, PERSONA, window, sent_at)
        elif for_you and _is_vowed(readings, place):
            yield _draft([reading], place, PERSONA, None, sent_at)


def _is_vowed(readings: Sequence[Reading], place: int) -> bool:
    """Tell whether the clause or the one before it in the sentence is a vow."""
    here, before = readings[place], readings[max(0, place - 1)]
    return any(
        plans.VOWS.search(reading.clause.folded)
        for reading in (before, here)
        if reading.clause.sentence == here.clause.sentence
    )


def _promise_after(readings: Sequence[Reading], place: int) -> list[Reading] | None:
    """Join the clause after a date that stands alone: 下周二七点，我叫你起床."""
    if place + 1 == len(readings):
        return None
    here, following = readings[place], readings[place + 1]
    if here.clause.sentence != following.clause.sentence or not following.is_plain:
        return None
    promises = plans.FOR_YOU.search(following.clause.folded)
    is_short = len(_content(here)) <= MAX_LEAD_CHARS
    if promises and is_short and following.subject == FIRST:
        return [here, following]
    return None


def _is_own_plan(reading: Reading) -> bool:
    if not reading.is_plain or reading.is_past or reading.is_wished:
        return False
    if reading.subject == SECOND:
        return False
    return reading.subject == FIRST or bool(plans.ASKS_ME.search(reading.clause.folded))


def _is_called_off(readings: Sequence[Reading], place: int) -> bool:
    """Tell whether a plan was only meant (原定) or is dropped later in the sentence."""
    sentence = readings[place].clause.sentence
    if speech.ORIGINALLY.search(readings[place].clause.folded):
        return True
    rest = (r for r in readings[place:] if r.clause.sentence == sentence)
    return any(speech.CANCELLED.search(r.clause.folded) for r in rest)


def find_ahead(reading: Reading, sent_at: datetime) -> Window | None:
    """Find the first window not over; a whole year counts when it is planned for."""
    for window in reading.clause.windows:
        is_firm = plans.INTENDED.search(reading.clause.folded) is not None
        if window.end > sent_at and (is_firm or window.granularity != "year"):
            return window
    return None


def _occasion(
    readings: Sequence[Reading], place: int, sent_at: datetime
) -> Reading | None:
    """Find the occasion that a plan goes with: 周五运动会，我报了跳绳."""
    here = readings[place]
    is_own_part = here.is_outright and plans.FIRM.search(here.clause.folded)
    if here.clause.windows or not is_own_part:
        return None
    for before in readings[max(0, place - 2) : place][::-1]:
        if before.clause.sentence != here.clause.sentence or not before.is_plain:
            return None
        window = find_ahead(before, sent_at)
        if window:
            is_other = before.subject != FIRST or not _is_plan(before)
            is_ahead = window.start > sent_at and _is_lead(before)
            return before if is_other and is_ahead else None
    return None


def _plan(readings: Sequence[Reading], place: int) -> list[Reading] | None:
    """Give the clauses that hold the plan: the date's own, the next or the last."""
    here = readings[place]
    if _is_plan(here):
        return [here, *_what_follows(readings, place)]
    if not _is_lead(here):
        return None
    for following in readings[place + 1 : place + 3]:
        if following.clause.sentence != here.clause.sentence:
            break
        if following.clause.windows or not _is_own_plan(following):
            break
        if _carries(following):
            return [
                r
                for r in readings[_start(readings, place) : place + 3]
                if r.clause.sentence == here.clause.sentence
            ]
    if place and len(_content(here)) < MIN_CONTENT_CHARS:
        before = readings[place - 1]
        if _is_plan(before) and _is_own_plan(before):
            return [before, here]
    return None


def _what_follows(readings: Sequence[Reading], place: int) -> list[Reading]:
    """Give the next clause where it goes on with the plan: 月底走，去大理待三个月."""
    return [
        reading
        for reading in readings[place + 1 : place + 2]
        if reading.clause.sentence == readings[place].clause.sentence
        and not (reading.clause.windows or reading.is_outright)
        and _is_own_plan(reading)
        and plans.GOES_ON.match(reading.clause.folded)
    ]


def _is_lead(reading: Reading) -> bool:
    """Tell whether a clause only sets the day for the next: 聽日放假，約咗阿媽."""
    content = _content(reading)
    is_short = len(content) <= MAX_LEAD_CHARS
    return is_short and not plans.IDLE_TALK.search(content) and "的" not in content


def _carries(following: Reading) -> bool:
    """Tell whether a clause after the date says what is planned for it."""
    words = following.clause.folded
    is_firm = following.is_outright and plans.FIRM.search(words)
    is_promised = plans.PROMISED.search(words)
    return _is_plan(following) or bool(is_firm or is_promised)


def _start(readings: Sequence[Reading], place: int) -> int:
    """Take in a clause that only names what it is about: 香山，后天，说定了."""
    is_bare_date = len(_content(readings[place])) < MIN_CONTENT_CHARS
    before = readings[place - 1] if place else None
    if (
        before
        and is_bare_date
        and before.clause.sentence == readings[place].clause.sentence
    ):
        return place - 1
    return place


def _is_plan(reading: Reading) -> bool:
    content = without_particles(_content(reading))
    if plans.GOING.fullmatch(content):
        return True
    if len(content) < MIN_CONTENT_CHARS or plans.IDLE_TALK.search(content):
        return False
    unlikely = (plans.WISHES_TO, plans.WILL_NOT, plans.USUALLY)
    if any(pattern.search(content) for pattern in unlikely):
        return False
    is_routine = plans.ROUTINE.search(content) and not plans.REMIND.search(content)
    return bool(plans.PLAN.search(content)) and not is_routine


def _content(reading: Reading) -> str:
    opening = speech.OPENERS.match(reading.clause.bare)
    bare = reading.clause.bare[opening.end() if opening else 0 :]
    return bare.replace(BLANK, "").strip(" ,")


def _is_firm(spoken: Sequence[Reading], window: Window, sent_at: datetime) -> bool:
    """Tell whether it is said firmly enough: today needs a word of intent."""
    words = "".join(reading.clause.folded for reading in spoken)
    firm = plans.FIRM.search(words) or plans.PROMISED.search(words)
    if spoken[-1].is_laughed and (not firm or speech.ABSURD.search(words)):
        return False
    if speech.ABSURD.search(words):
        return False
    return window.start > sent_at or bool(firm)


def _is_vow(reading: Reading) -> bool:
    match = plans.PROMISED.search(reading.clause.folded)
    if match is None or not reading.is_outright or reading.clause.windows:
        return False
    return len(reading.clause.folded[match.end() :].strip(" ,")) >= MIN_PROMISE_CHARS


def _is_undated(readings: Sequence[Reading], place: int) -> bool:
    """Tell whether a plan counts without a date: vowed, or set for a season."""
    reading = readings[place]
    is_sealed = reading.is_outright and any(
        plans.SEALED.fullmatch(without_particles(_content(following)))
        for following in readings[place + 1 : place + 2]
        if following.clause.sentence == reading.clause.sentence
    )
    is_sealed = is_sealed and plans.FOR_YOU.search(reading.clause.folded) is not None
    return is_sealed or _is_vow(reading) or _is_for_season(reading)


def _is_for_season(reading: Reading) -> bool:
    """Tell whether a plan is set for a time of the year: 我打算国庆办婚礼."""
    words = reading.clause.folded
    is_meant = plans.INTENDED.search(words) and plans.SEASON.search(words)
    return bool(is_meant) and not reading.clause.windows and _is_plan(reading)


def _draft(
    spoken: Sequence[Reading],
    place: int,
    subject: str,
    window: Window | None,
    sent_at: datetime,
) -> Draft:
    what = "".join(_content(reading) for reading in spoken)
    due_at = due_of(window, sent_at) if window else None
    due_date = due_at.date() if due_at else None
    key = slot_key(kind="commitment", about=what, due_date=due_date)
    return Draft(
        kind="commitment",
        key=key,
        # One appointment told in two ways has one value, as it has one slot.
        value=key.partition("|")[0],
        polarity=1,
        text=statement(*spoken),
        place=place,
        subject=subject,
        due_at=due_at,
        when=window.words if window else "",
    )


def due_of(window: Window, sent_at: datetime) -> datetime:
    """Give the start of what is ahead, or the last day of what is under way.

    A date without an hour, at 00:00, lasts its whole day. An evening belongs to the
    day on which it began.
    """
    if window.start > sent_at:
        return window.start
    is_part_of_day = window.granularity == "hour"
    last = window.start if is_part_of_day else window.end - timedelta(seconds=1)
    return last.replace(hour=0, minute=0, second=0, microsecond=0)
