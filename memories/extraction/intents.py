"""What makes words a plan, and whose: the judgements behind `commitments`.

Owns when a clause says what someone means to do, how firmly, and when it is called
off. Owns no dates and builds no drafts.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [is_plan(reading) for reading in read(cut("给客户提案，天气真好", now=now))]
[True, False]
"""

from collections.abc import Sequence
from datetime import datetime

from memories.extraction.appointments import content_of
from memories.extraction.dayparts import PART_OF_TODAY
from memories.extraction.drafts import without_particles
from memories.extraction.lexicon import plans, speech
from memories.extraction.stance import FIRST, SECOND, Reading
from memsys.kernel.text.timewords import Window

MIN_CONTENT_CHARS = 2
MIN_PROMISE_CHARS = 4
MAX_LEAD_CHARS = 12


def may_be_told(readings: Sequence[Reading], place: int) -> bool:
    """Tell whether a clause is stated and not called off in its sentence."""
    reading = readings[place]
    if not reading.is_plain or reading.is_past or reading.subject == SECOND:
        return False
    return not is_called_off(readings, place)


def is_called_off(readings: Sequence[Reading], place: int) -> bool:
    """Tell whether a plan was only meant (原定) or is dropped later in the sentence."""
    sentence = readings[place].clause.sentence
    if speech.ORIGINALLY.search(readings[place].clause.folded):
        return True
    rest = (r for r in readings[place:] if r.clause.sentence == sentence)
    return any(speech.CANCELLED.search(r.clause.folded) for r in rest)


def is_own_plan(reading: Reading) -> bool:
    """Tell whether it is the user who does it, or who is done it for."""
    if reading.is_wished:
        return False
    marks = (plans.ASKS_ME.search, plans.DUTY_GO.match)
    is_mine = any(mark(reading.clause.folded) for mark in marks)
    return reading.subject == FIRST or is_mine


def may_follow(reading: Reading) -> bool:
    """Tell whether a clause may go on with a plan."""
    is_stated = reading.is_plain and not reading.is_past
    return is_stated and reading.subject != SECOND and is_own_plan(reading)


def is_plan(reading: Reading, *, wished: bool = False) -> bool:
    """Tell whether a clause says what is to be done; with `wished` a wish will do."""
    content = without_particles(content_of(reading))
    if plans.GOING.fullmatch(content):
        return True
    if len(content) < MIN_CONTENT_CHARS or plans.IDLE_TALK.search(content):
        return False
    unlikely = [plans.WILL_NOT, plans.USUALLY]
    if not wished:
        unlikely.append(plans.WISHES_TO)
    if any(pattern.search(content) for pattern in unlikely):
        return False
    is_willed = plans.WILLED.search(content) and not plans.MERE_STATE.search(content)
    is_routine = plans.ROUTINE.search(content) and not plans.REMIND.search(content)
    return bool(is_willed or plans.PLAN.search(content)) and not is_routine


def is_lead(reading: Reading) -> bool:
    """Tell whether a clause only sets the day for the next: 聽日放假，約咗阿媽."""
    content = content_of(reading)
    is_short = len(content) <= MAX_LEAD_CHARS
    if plans.USUALLY.search(content):
        return False
    return is_short and not plans.IDLE_TALK.search(content) and "的" not in content


def is_firm(spoken: Sequence[Reading], window: Window, sent_at: datetime) -> bool:
    """Tell whether it is said firmly enough: today needs a word of intent."""
    words = "".join(reading.clause.folded for reading in spoken)
    firm = plans.FIRM.search(words) or plans.PROMISED.search(words)
    laughs = speech.LAUGH_END.search(spoken[-1].clause.folded)
    is_dated = window.granularity in ("day", "hour")
    if spoken[-1].is_laughed and not firm and (laughs or not is_dated):
        return False
    if speech.ABSURD.search(words):
        return False
    if plans.EARLY.match(window.words):
        return bool(firm)
    if window.granularity == PART_OF_TODAY:
        firm = firm or plans.GOES_OUT.search(words)
        return bool(firm) and (window.end > sent_at)
    return bool(firm) or window.start > sent_at


def is_vow(reading: Reading) -> bool:
    """Tell whether the user gives their word, without a day."""
    match = plans.PROMISED.search(reading.clause.folded)
    if match is None or not reading.is_outright or reading.clause.windows:
        return False
    return len(reading.clause.folded[match.end() :].strip(" ,")) >= MIN_PROMISE_CHARS


def is_for_season(reading: Reading) -> bool:
    """Tell whether a plan is set for a time of the year: 我打算国庆办婚礼."""
    words = reading.clause.folded
    is_meant = plans.INTENDED.search(words) and plans.SEASON.search(words)
    return bool(is_meant) and not reading.clause.windows and is_plan(reading)
