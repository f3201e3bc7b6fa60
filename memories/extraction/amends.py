"""A mistake put right by a bare word in the next message: 我今年28, then 啊不是，29.

Owns which word of the message before was the mistake. What the message then says is
read anew, as if it had been written so.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> find(read(cut("说错了，是重庆", now=now)), before="下周三去成都出差", values=[])
'下周三去重庆出差'
"""

import re
from collections.abc import Iterator, Sequence

from memories.extraction.dialect import read_as_mandarin
from memories.extraction.drafts import without_particles
from memories.extraction.lexicon.people import KIN, NAME
from memories.extraction.lexicon.places import PLACE
from memories.extraction.stance import Reading
from memories.slots import normalise
from memsys.kernel.text.timewords.numerals import SMALL_NUMBER

MAX_WORD_CHARS = 8
_LEAD = re.compile(
    r"^(?:[了啦字]|现在是|是|应该是?|其实是?|才是|我(?:是)?(?:想)?说的?(?:是)?|想说(?:的是)?|我)+"
)
_WORD = re.compile(r"[一-龥a-z0-9·]+")
# What is no name of a thing takes the place of none.
_NO_THING = re.compile(
    r"[我你您他她它没不了吗呢吧]|^(?:算|没|只|对|什么|怎么|哪|谁|好|嗯|对|再|先|等|哈|唉|真|就|都|也|又|还|太|今|明|昨|后|现在|已经|最近|其实)|[着过]$"
)
_KINDS = (
    re.compile(rf"(?:{PLACE})"),
    re.compile(rf"(?:{SMALL_NUMBER})(?:岁|个|只|年|块|点|号|楼)?"),
    re.compile(rf"(?:{KIN}|{NAME}|小[一-龥]|阿[一-龥])"),
)


def find(
    readings: Sequence[Reading], *, before: str, values: Sequence[str]
) -> str | None:
    """Give the message before with its mistake put right, or None.

    `values` are what was read from it, the likeliest mistake last.
    """
    if not any(reading.corrects for reading in readings):
        return None
    word = _word(readings)
    if word is None:
        return None
    folded = read_as_mandarin(before)
    for begin, finish in _mistakes(read_as_mandarin(word), folded, values):
        if before[begin:finish] != word:
            return f"{before[:begin]}{word}{before[finish:]}"
    return None


def _word(readings: Sequence[Reading]) -> str | None:
    """Give the bare word of a correction as said; a day has its own rule."""
    told = [reading.clause for reading in readings if not reading.is_void]
    if any(clause.windows for clause in told):
        return None
    folded = "".join(clause.folded for clause in told)
    word = without_particles(_LEAD.sub("", folded.strip(" ,"))).strip(" ,")
    is_word = _WORD.fullmatch(word) and len(word) <= MAX_WORD_CHARS
    if not is_word or _NO_THING.search(word):
        return None
    begin = folded.rindex(word)
    return "".join(clause.text for clause in told)[begin : begin + len(word)]


def _mistakes(
    word: str, folded: str, values: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Yield where a word of the same kind stands, then what was read as the thing."""
    read = {read_as_mandarin(value) for value in values}
    for kind in _KINDS:
        if kind.fullmatch(word):
            spans = [match.span() for match in kind.finditer(folded) if match[0]]
            # 我老家是湖南的: the one that was read as the thing comes first.
            yield from sorted(spans, key=lambda span: folded[slice(*span)] not in read)
            return
    for value in reversed(values):
        begin = folded.find(read_as_mandarin(value))
        if value and begin >= 0 and normalise(value):
            yield begin, begin + len(value)
