"""What the user feels, when they say it.

Owns the reading of feelings and of the cause told with them. Emotions have no slot.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [(d.text, d.polarity) for d in find(read(cut("面试又挂了，好难过", now=now)))]
[('面试又挂了，好难过', -1)]
"""

import re
from collections.abc import Collection, Iterator, Sequence

from memories.extraction.drafts import Draft, statement
from memories.extraction.lexicon.feelings import (
    DREAD,
    GLADNESS,
    MOODS,
    NEGATIVE,
    POSITIVE,
    STRONG,
)
from memories.extraction.stance import SECOND, THIRD, Reading

SHORT_CLAUSE_CHARS = 8
_SIGNS = {word: -1 for word in NEGATIVE} | {word: 1 for word in POSITIVE}
_FEELING = re.compile("|".join(sorted(_SIGNS, key=len, reverse=True)))
_GLADNESS = re.compile(GLADNESS)
_DREAD = re.compile(f"{MOODS}|{DREAD}")
_DENIED = re.compile(
    r"(?:不|没有?|(?<![万第])一|(?<!特)别|不再|不会|不用|不太|没那么|不怎么|也不|并不|不觉得|何必|不要|不必|不至于|少)"
    r"(?:那么|这么|太|很|再|怎么|特别|觉得)?$"
)
# 开心的时候 and 开心果 name no feeling of now; 开心就好 is a wish for another.
_NOT_FELT = re.compile(
    r"^(?:的(?=[一-龥]{2})(?!很|不|要)|果|消消乐|就好|麻花|吗|与否|程度|症|指数|快乐|感$"
    r"|地|(?:能|可以)?(?:认识|见到|遇见|为你|和你|跟你|听到你)|你[的能总们])"
)
_GREETED = re.compile(
    r"(?:生日|节日|新年|中秋|圣诞|国庆|元旦|春节|节|对|关于)$|(?:[和跟]你|陪你)(?:聊天|说话|聊)"
)
_TITLE = re.compile(r"《[^》]*》")
_AND = re.compile(r"[和与或、又]$")
_ABOUT_ME = re.compile(
    r"(?:让|把|害|气死|吓死|吓到|笑死|惹|令|搞得?|弄得?|叫)我|想起|想到|一想|看着|我(?:好|很|真|也|都|就|的心)"
)


def find(
    readings: Sequence[Reading], *, taken: Collection[int] = ()
) -> Iterator[Draft]:
    """Find the feelings of a message, one for each sign.

    `taken` are clauses that hold facts of their own; they are not told as a cause.
    """
    signs: set[int] = set()
    for place, reading in enumerate(readings):
        for word, sign in _feelings(reading):
            if sign in signs:
                continue
            signs.add(sign)
            yield Draft(
                kind="emotion",
                key="",
                value=word,
                polarity=sign,
                text=_with_cause(readings, place, taken),
                place=place,
                is_strong=word.startswith(STRONG),
            )


def _feelings(reading: Reading) -> Iterator[tuple[str, int]]:
    folded = reading.clause.folded
    if not reading.is_plain or reading.is_past or reading.is_wished:
        return
    if reading.subject in (SECOND, THIRD) and not _ABOUT_ME.search(folded):
        return
    folded = _TITLE.sub("", folded)
    was_denied = False
    for match in _FEELING.finditer(folded):
        before, after = folded[: match.start()], folded[match.end() :]
        is_joined = was_denied and _AND.search(before)
        was_denied = bool(is_joined or _DENIED.search(before))
        if was_denied or _NOT_FELT.match(after) or _GREETED.search(before):
            continue
        yield match[0], _SIGNS[match[0]]
    for pattern, sign in ((_GLADNESS, 1), (_DREAD, -1)):
        if told := pattern.search(folded):
            yield told[0], sign


def _with_cause(readings: Sequence[Reading], place: int, taken: Collection[int]) -> str:
    """Give the clause, and before a short one what led to it in the sentence."""
    clause = readings[place].clause
    first = place
    if len(clause.folded.strip()) <= SHORT_CLAUSE_CHARS:
        while first > max(0, place - 2) and _is_cause(
            readings[first - 1], clause.sentence
        ):
            if first - 1 in taken:
                break
            first -= 1
    return statement(*readings[first : place + 1])


def _is_cause(reading: Reading, sentence: int) -> bool:
    same = reading.clause.sentence == sentence
    return same and reading.is_plain and not reading.is_past
