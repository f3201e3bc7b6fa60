"""When something is due, and the draft of what is agreed for then.

Owns what plans of the user and promises of the persona share. Owns no judgement of
what is a plan or a promise.

>>> from datetime import datetime, timedelta
>>> from memsys.kernel.text.timewords import Window
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> window = Window(now + timedelta(days=1), now + timedelta(days=2), "明天", "hour")
>>> due_of(window, now).day
16
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memories.extraction.clauses import BLANK
from memories.extraction.dayparts import PART_OF_TODAY
from memories.extraction.drafts import Draft, statement
from memories.extraction.lexicon import plans, speech
from memories.extraction.stance import Reading
from memories.extraction.types import USER
from memories.slots import slot_key
from memsys.kernel.text.timewords import Window

_DAY = re.compile(r"[天日号月周期拜今明昨后聽听儿/.]")


def find_ahead(reading: Reading, sent_at: datetime) -> Window | None:
    """Find the first window not over; a whole year counts when it is planned for."""
    for window in reading.clause.windows:
        is_firm = plans.INTENDED.search(reading.clause.folded) is not None
        if window.end > sent_at and (is_firm or window.granularity != "year"):
            return window
    return None


def content_of(reading: Reading) -> str:
    opening = speech.OPENERS.match(reading.clause.bare)
    bare = reading.clause.bare[opening.end() if opening else 0 :]
    return bare.replace(BLANK, "").strip(" ,")


def draft_of_plan(
    spoken: Sequence[Reading],
    *,
    place: int,
    due: "Due | None" = None,
    when: str = "",
    subject: str = USER,
    text: str = "",
    about: str = "",
) -> Draft:
    """Build the draft of what is agreed; `when` are the words that date it.

    `about` and `text` are given where the clauses alone do not say what it is.
    """
    what = about or "".join(content_of(reading) for reading in spoken)
    due_date = due.at.date() if due else None
    key = slot_key(kind="commitment", about=what, due_date=due_date)
    return Draft(
        kind="commitment",
        key=key,
        # One appointment told in two ways has one value, as it has one slot.
        value=key.partition("|")[0],
        polarity=1,
        text=text or statement(*spoken),
        place=place,
        subject=subject,
        due_at=due.at if due else None,
        due_until=due.until if due else None,
        when=when,
    )


@dataclass(frozen=True)
class Due:
    """When something is due; `until` ends it where more days than one were named."""

    at: datetime
    until: datetime | None = None


def due_of(window: Window, sent_at: datetime) -> Due:
    """Give the start of what is ahead, or the last day of what is under way.

    A date without an hour, at 00:00, lasts its whole day. An evening belongs to the
    day on which it began.
    """
    if window.start > sent_at:
        lasts = window.end - window.start > timedelta(days=1)
        return Due(window.start, window.end if lasts else None)
    is_part_of_day = window.granularity in ("hour", PART_OF_TODAY)
    last = window.start if is_part_of_day else window.end - timedelta(seconds=1)
    return Due(last.replace(hour=0, minute=0, second=0, microsecond=0))


def is_clock_only(window: Window) -> bool:
    """Tell whether a window names an hour and no day: 早上六点."""
    return window.granularity == "hour" and _DAY.search(window.words) is None
