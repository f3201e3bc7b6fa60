"""What a rule hands over: a fact without its message.

Owns the draft, its dimension and importance by kind, and the words that are kept.

>>> Draft(kind="taboo", key="花生", value="花生", polarity=-1, text="我对花生过敏").dimension
'taboo'
"""

import re
from dataclasses import dataclass
from datetime import datetime

from memories.extraction.clauses import Clause
from memories.extraction.lexicon import speech
from memories.extraction.lexicon.tables import words_of
from memories.extraction.stance import Reading
from memories.extraction.types import USER
from memories.slots import TITLE, core_span

_DIMENSIONS = {
    "preference": "taste",
    "topic": "topic",
    "taboo": "taboo",
    "emotion": "emotion",
    "commitment": "commitment",
    "event": "life",
    "fact": "life",
}
_IMPORTANCE = {
    "taboo": 0.9,
    "commitment": 0.8,
    "fact": 0.7,
    "preference": 0.6,
    "event": 0.5,
    "emotion": 0.45,
    "topic": 0.4,
}
IDENTITY = frozenset(
    words_of(
        "city hometown job workplace major school grade age generation birthday zodiac",
        "animal_sign blood_type mbti height family_status nickname",
    )
)
_EDGES = " ,，、。.!！?？;；:：~～…—\n\t"


@dataclass(frozen=True)
class Draft:
    """A fact read from one message; the message adds evidence and time.

    `place` is the clause it stands in, `when` the words that date it; `occurred_at` is
    set when it differs from the time of the message. `is_ending`: it is told to end
    what other sessions know, with `only_ends` for nothing else.
    """

    kind: str
    key: str
    value: str
    polarity: int
    text: str
    place: int = 0
    subject: str = USER
    occurred_at: datetime | None = None
    due_at: datetime | None = None
    due_until: datetime | None = None
    when: str = ""
    is_strong: bool = False
    corrects: bool = False
    is_ending: bool = False
    only_ends: bool = False

    @property
    def dimension(self) -> str:
        if self.kind == "fact" and self.key.partition(":")[0] in IDENTITY:
            return "identity"
        return _DIMENSIONS[self.kind]

    @property
    def is_plan(self) -> bool:
        return self.kind == "commitment" or self.key.startswith("aim:")

    @property
    def may_end(self) -> bool:
        """Tell whether what takes a plan back may have been read as this."""
        return self.is_plan or self.kind == "event"

    @property
    def importance(self) -> float:
        return _IMPORTANCE[self.kind] + (0.15 if self.is_strong else 0.0)


def statement(*readings: Reading) -> str:
    """Give the words to keep: the clauses as said, without how they open."""
    first, *others = readings
    pieces = [_trimmed(first.clause)]
    pieces += (reading.clause.text.strip(_EDGES) for reading in others)
    return "，".join(piece for piece in pieces if piece)


def _trimmed(clause: Clause) -> str:
    opening = speech.OPENERS.match(clause.folded)
    begin = opening.end() if opening else 0
    words = clause.text[begin:].strip(_EDGES)
    return words if len(words) > 1 else clause.text.strip(_EDGES)


def as_said(clause: Clause, begin: int, finish: int) -> str:
    """Give the words between two places of a clause as they were said."""
    return clause.text[begin:finish].strip(_EDGES)


def thing_said(clause: Clause, begin: int, finish: int) -> str:
    """Give the thing itself as it was said: 香菜 for 吃香菜."""
    if TITLE.fullmatch(clause.folded[begin:finish].strip()):
        return as_said(clause, begin, finish)
    left, right = core_span(clause.folded[begin:finish])
    return as_said(clause, begin + left, begin + right)


PARTICLES = re.compile(
    r"(?:(?<!不)了|[呀啊啦吧呢哦哈嘛耶喔诶嘞噢哟哇咯捏滴唉呗]|的(?:说|呀|啊|呢)?|得不行|得不得了|得要命|到不行"
    r"|死了|惨了|多了|大哥|兄弟|老铁|来着|起来|hh+|哈哈+)+$"
)


def without_particles(words: str) -> str:
    """Take the particles off the end of folded words."""
    return PARTICLES.sub("", words)
