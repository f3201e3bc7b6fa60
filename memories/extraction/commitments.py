"""What is agreed: the user's plans and appointments.

Owns which clauses hold a plan and its date. What makes words a plan is told in
`intents`, what the persona promises belongs to `promises`.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> readings = read(cut("下周六一起看电影吧，说好了", now=now))
>>> [draft.due_at.date().isoformat() for draft in find(readings, sent_at=now)]
['2026-03-21']
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from memories.extraction import date_tails
from memories.extraction.appointments import (
    content_of,
    draft_of_plan,
    due_of,
    find_ahead,
    is_clock_only,
)
from memories.extraction.drafts import Draft, without_particles
from memories.extraction.intents import (
    MIN_CONTENT_CHARS,
    is_firm,
    is_for_season,
    is_lead,
    is_own_plan,
    is_plan,
    is_vow,
    may_be_told,
    may_follow,
)
from memories.extraction.lexicon import plans
from memories.extraction.stance import FIRST, Reading
from memsys.kernel.text.timewords import Window


def find(
    readings: Sequence[Reading], *, sent_at: datetime, asked: str = ""
) -> Iterator[Draft]:
    """Find what the user has planned or promised.

    `asked` is the folded line that the persona said before: 今天干嘛 makes a firm plan
    of 去看展.
    """
    told: set[int] = set()
    is_asked = plans.ASKS_PLANS.search(asked) is not None
    for place, reading in enumerate(readings):
        if id(reading) in told or not may_be_told(readings, place):
            continue
        tail = date_tails.find(readings, place, sent_at=sent_at)
        if tail:
            told.update(map(id, tail.spoken))
            yield draft_of_plan(tail.spoken, place=place, due=tail.due, when=tail.when)
            continue
        if not is_own_plan(reading):
            continue
        window, spoken = _dated(readings, place, sent_at)
        if window and spoken and (is_asked or is_firm(spoken, window, sent_at)):
            told.update(map(id, spoken))
            yield _draft(spoken, place, window, sent_at)
        elif window is None and _is_undated(readings, place):
            yield _draft([reading], place, None, sent_at)


def _dated(
    readings: Sequence[Reading], place: int, sent_at: datetime
) -> tuple[Window | None, list[Reading] | None]:
    """Give the window ahead of a clause, and the clauses of what is planned for it."""
    window = find_ahead(readings[place], sent_at)
    if window:
        return window, _plan(readings, place)
    occasion = _occasion(readings, place, sent_at)
    if occasion is None:
        return None, None
    return find_ahead(occasion, sent_at), [occasion, readings[place]]


def _occasion(
    readings: Sequence[Reading], place: int, sent_at: datetime
) -> Reading | None:
    """Find the occasion that a plan goes with: 周五运动会，我报了跳绳."""
    here = readings[place]
    folded = here.clause.folded
    is_own_part = here.is_outright and plans.FIRM.search(folded)
    is_own_part = is_own_part or plans.DUTY_GO.match(folded)
    if here.clause.windows or not is_own_part:
        return None
    for before in readings[max(0, place - 2) : place][::-1]:
        if before.clause.sentence != here.clause.sentence or not before.is_plain:
            return None
        window = find_ahead(before, sent_at)
        if window:
            is_other = before.subject != FIRST or not is_plan(before)
            is_ahead = window.start > sent_at and is_lead(before)
            return before if is_other and is_ahead else None
    return None


def _plan(readings: Sequence[Reading], place: int) -> list[Reading] | None:
    """Give the clauses that hold the plan: the date's own, the next or the last."""
    here = readings[place]
    if plans.BARE_DUTY.fullmatch(content_of(here)):
        named = readings[_start(readings, place) : place]
        is_named = named and named[0].is_plain and not named[0].clause.windows
        return [*named, here] if is_named else None
    if is_plan(here):
        return [here, *_what_follows(readings, place)]
    if not is_lead(here):
        return None
    for following in readings[place + 1 : place + 3]:
        if following.clause.sentence != here.clause.sentence:
            break
        is_dated = not all(map(is_clock_only, following.clause.windows))
        if is_dated or not may_follow(following):
            break
        if _carries(following):
            return [
                r
                for r in readings[_start(readings, place) : place + 3]
                if r.clause.sentence == here.clause.sentence
            ]
    if place and len(content_of(here)) < MIN_CONTENT_CHARS:
        before = readings[place - 1]
        if is_plan(before) and may_follow(before):
            return [before, here]
    return None


def _what_follows(readings: Sequence[Reading], place: int) -> list[Reading]:
    """Give the next clause where it goes on with the plan: 月底走，去大理待三个月."""
    return [
        reading
        for reading in readings[place + 1 : place + 2]
        if reading.clause.sentence == readings[place].clause.sentence
        and not reading.clause.windows
        and may_follow(reading)
        and _goes_with(reading, readings[place])
    ]


def _goes_with(reading: Reading, planned: Reading) -> bool:
    """Tell whether a clause says more of a plan, or what is done for an occasion."""
    folded = reading.clause.folded
    if plans.OCCASION.search(content_of(planned)):
        return plans.DONE_FOR_IT.search(folded) is not None
    return not reading.is_outright and plans.GOES_ON.match(folded) is not None


def _carries(following: Reading) -> bool:
    """Tell whether a clause after the date says what is planned for it."""
    words = following.clause.folded
    is_firm = following.is_outright and plans.FIRM.search(words)
    is_promised = plans.PROMISED.search(words)
    return is_plan(following) or bool(is_firm or is_promised)


def _start(readings: Sequence[Reading], place: int) -> int:
    """Take in a clause that only names what it is about: 香山，后天，说定了."""
    content = content_of(readings[place])
    is_bare_date = len(content) < MIN_CONTENT_CHARS or plans.BARE_DUTY.fullmatch(
        content
    )
    before = readings[place - 1] if place else None
    if (
        before
        and is_bare_date
        and before.clause.sentence == readings[place].clause.sentence
    ):
        return place - 1
    return place


def _draft(
    spoken: Sequence[Reading], place: int, window: Window | None, sent_at: datetime
) -> Draft:
    due = due_of(window, sent_at) if window else None
    when = window.words if window else ""
    return draft_of_plan(spoken, place=place, due=due, when=when)


def _is_undated(readings: Sequence[Reading], place: int) -> bool:
    """Tell whether a plan counts without a date: vowed, or set for a season."""
    reading = readings[place]
    is_sealed = reading.is_outright and any(
        plans.SEALED.fullmatch(without_particles(content_of(following)))
        for following in readings[place + 1 : place + 2]
        if following.clause.sentence == reading.clause.sentence
    )
    is_sealed = is_sealed and plans.FOR_YOU.search(reading.clause.folded) is not None
    return is_sealed or is_vow(reading) or is_for_season(reading)
