"""How far a told happening goes on: the clauses after it that carry its content.

Owns which clauses of a sentence belong to what came before (去了公园，看到了樱花), and
which only talk to the persona (好想和你分享). Owns no kind of fact.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> told = read(cut("我去了绿园，看到了樱花，好想和你分享", now=now))
>>> [reading.clause.text for reading in what_followed(told, 0)]
['看到了樱花']
"""

import re
from collections.abc import Sequence

from memories.extraction.clauses import BLANK
from memories.extraction.lexicon import doings, speech
from memories.extraction.stance import SECOND, THIRD, Reading

_TITLE = re.compile(r"《[^《》]*》")
MAX_FOLLOWING = 2
MAX_TEXT_CHARS = 80


def what_followed(readings: Sequence[Reading], place: int) -> list[Reading]:
    """Give the next clauses of the sentence that go on telling, two at most."""
    here = readings[place]
    length = len(here.clause.text)
    followed: list[Reading] = []
    for reading in readings[place + 1 : place + 1 + MAX_FOLLOWING]:
        length += len(reading.clause.text)
        same = reading.clause.sentence == here.clause.sentence
        if not same or length > MAX_TEXT_CHARS or not _goes_on(reading):
            break
        followed.append(reading)
    return followed


def content(reading: Reading) -> str:
    """Give the matched words without time words and without how the clause opens."""
    bare = reading.clause.bare
    opening = speech.OPENERS.match(bare)
    return bare[opening.end() if opening else 0 :].replace(BLANK, "").strip(" ,")


def is_absurd(reading: Reading) -> bool:
    """Tell whether a clause cannot be meant; the name of a film may be anything."""
    return speech.ABSURD.search(_TITLE.sub("", reading.clause.folded)) is not None


def _goes_on(reading: Reading) -> bool:
    if not reading.is_plain or reading.is_wished or reading.clause.windows:
        return False
    if reading.subject in (SECOND, THIRD):
        return False
    folded = reading.clause.folded
    if doings.TALKS_TO_YOU.search(folded) or speech.CANCELLED.search(folded):
        return False
    return len(content(reading)) > 1 and not doings.TURNS.match(folded)
