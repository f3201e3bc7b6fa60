"""Cuts a message into sentences and clauses, with the time words found in it.

Owns the cutting, and leaving out what is quoted. Owns no judgement about a clause.

>>> from datetime import datetime
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [clause.text for clause in cut("我妈说“别去”，我不爱吃羊肉，膻；真的", now=now)]
['我妈说“…”', '我不爱吃羊肉', '膻', '真的']
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from memories.extraction.dayparts import find_parts
from memories.extraction.dialect import read_as_mandarin
from memories.extraction.emoji import spell_out
from memsys.kernel.text.timewords import Direction, Window, find_windows

# A longer message is read in parts of so many characters, cut between sentences.
PART_CHARS = 4000
MAX_CLAUSE_CHARS = 120
MAX_WINDOW_CHARS = 40
MAX_TITLE_CHARS = 40
BLANK = "\0"

_QUOTED = re.compile(r"“[^“”\n]*”|「[^「」\n]*」|『[^『』\n]*』|\"[^\"\n]*\"")
# A name in quotation marks is a name: 叫“年糕”.
_TITLED = re.compile(
    r"(?:叫做|名叫|名为|题为|歌名是|书名是|片名是|读的是|听的是|看的是)$"
)
_SPEECH_MARK = re.compile(r"[，。！？,!?；]")
# 别提“团队精神”: what is not to be said is the matter itself.
_UNSAID = re.compile(
    r"(?:别|不要|不许|不准|少)[^,。]{0,8}(?:提起?|说|叫我|喊我|讲|聊|问)$"
)
_NAMED = re.compile(r"(?:叫|名字?|外号|昵称|网名|笔名|是)$")
# 《摔跤吧！爸爸》 is one name.
_TITLE = re.compile(r"《[^《》\n]{1,40}》")
_SENTENCE_END = re.compile(r"[。!?\n;~｡]+")
_CLAUSE_END = re.compile(
    r"[,，:：—]+|(?<![“「『\"])…+|\.{2,}|(?<=[^\x00-\x7f])\s+|\s+(?=[^\x00-\x7f])"
    r"|[\U0001f300-\U0001faff\u2600-\u27bf][\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]*"
    r"|(?<=.)(?=但是|可是|而且|然而|所以|因为|反而是|(?<![不非])但(?=我|也|还|不|是|现在)"
    r"|不过(?=我|也|还|现在|说|其实|最近|后来|没))"
)


@dataclass(frozen=True)
class Clause:
    """A clause as said and as matched; both have the same length.

    `bare` is the matched form with its time words blanked out.
    """

    text: str
    folded: str
    bare: str
    sentence: int
    is_asked: bool
    windows: tuple[Window, ...] = field(default=())


def cut(text: str, *, now: datetime) -> list[Clause]:
    """Cut a message into clauses; quotations become an ellipsis in their marks."""
    clauses: list[Clause] = []
    for part in _parts(text):
        begun = clauses[-1].sentence + 1 if clauses else 0
        clauses += (
            replace(clause, sentence=begun + clause.sentence)
            for clause in _cut_part(part, now=now)
        )
    return clauses


def _parts(text: str) -> Iterator[str]:
    while len(text) > PART_CHARS:
        ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, PART_CHARS)]
        place = ends[-1] if ends else PART_CHARS
        yield text[:place]
        text = text[place:]
    yield text


def _cut_part(text: str, *, now: datetime) -> list[Clause]:
    said = _QUOTED.sub(_without_quotation, spell_out(text))
    folded = read_as_mandarin(said)
    whole = _TITLE.sub(lambda match: BLANK * len(match[0]), folded)
    windows = find_windows(said, now=now, direction=Direction.BOTH)
    placed = _with_parts(_placed(said, windows), said, folded, now)
    clauses: list[Clause] = []
    begin = 0
    for number, (finish, mark) in enumerate(_sentence_ends(whole)):
        pieces = list(_pieces(whole, begin, finish, placed))
        for left, right in pieces:
            is_last = right == pieces[-1][1]
            clauses.append(
                Clause(
                    text=said[left:right],
                    folded=folded[left:right],
                    bare=_bare(folded, left, right, placed),
                    sentence=number,
                    is_asked="?" in mark and is_last,
                    windows=_inside(left, right, placed),
                )
            )
        begin = finish + len(mark)
    return clauses


def _without_quotation(match: re.Match[str]) -> str:
    words, begin = match[0], match.start()
    if _TITLED.search(match.string[max(0, begin - 4) : begin]):
        is_title = len(words) <= MAX_TITLE_CHARS and not _SPEECH_MARK.search(words)
        if is_title:
            return words
    if len(words) <= 10 and _UNSAID.search(match.string[max(0, begin - 14) : begin]):
        return words
    if len(words) <= 6 and _NAMED.search(match.string[max(0, begin - 4) : begin]):
        return words
    return f"{words[0]}…{words[-1]}"


def _placed(text: str, windows: list[Window]) -> dict[int, Window]:
    """Find where in the text each window's words stand."""
    placed: dict[int, Window] = {}
    begin = 0
    for window in windows:
        begin = text.index(window.words, begin)
        placed[begin] = window
        begin += len(window.words)
    return placed


def _with_parts(
    placed: dict[int, Window], said: str, folded: str, now: datetime
) -> dict[int, Window]:
    """Add the bare parts of today that stand in no time word already."""
    parts = find_parts(folded, now=now)
    return placed | {
        place: replace(window, words=said[place : place + len(window.words)])
        for place, window in parts.items()
        if place not in placed and not _is_within(place, placed)
    }


def _sentence_ends(text: str) -> Iterator[tuple[int, str]]:
    for match in _SENTENCE_END.finditer(text):
        yield match.start(), match[0]
    yield len(text), ""


def _pieces(
    text: str, begin: int, finish: int, placed: dict[int, Window]
) -> Iterator[tuple[int, int]]:
    """Yield the ends of the clauses of a sentence; time words are never cut."""
    left = begin
    for match in _CLAUSE_END.finditer(text, begin, finish):
        if _is_within(match.start(), placed):
            continue
        if text[left : match.start()].strip():
            yield left, min(match.start(), left + MAX_CLAUSE_CHARS)
        left = match.end()
    if text[left:finish].strip():
        yield left, min(finish, left + MAX_CLAUSE_CHARS)


def _is_within(place: int, placed: dict[int, Window]) -> bool:
    starts = range(max(0, place - MAX_WINDOW_CHARS), place)
    return any(p in placed and place < p + len(placed[p].words) for p in starts)


def _inside(left: int, right: int, placed: dict[int, Window]) -> tuple[Window, ...]:
    return tuple(placed[place] for place in range(left, right) if place in placed)


def _bare(folded: str, left: int, right: int, placed: dict[int, Window]) -> str:
    chars = list(folded[left:right])
    for place in range(left, right):
        if place in placed:
            begin, length = place - left, len(placed[place].words)
            chars[begin : begin + length] = BLANK * len(chars[begin : begin + length])
    return "".join(chars)
