"""Simplified and traditional script: one character for one character.

Owns the table that brings both scripts to one form for matching. It does not convert
prose: phrases that OpenCC translates as a whole are left alone, since a phrase may
change its length and positions must survive (隻 and 只 meet, 計程車 stays 计程车).

    >>> "我對芒果過敏".translate(simplified_table())
    '我对芒果过敏'
"""

import unicodedata
from functools import cache
from threading import Lock

from opencc import OpenCC

_HAN_BLOCKS = (
    (0x2E80, 0x2FE0),  # radicals
    (0x3400, 0xA000),  # the basic block and extension A
    (0xF900, 0xFB00),  # compatibility ideographs
    (0x20000, 0x32400),  # extensions B and later
)
# Pronouns that OpenCC keeps apart, as a reader would; a search should not.
_SAME_WORD = {"妳": "你", "牠": "它", "祂": "他"}


_building = Lock()


def simplified_table() -> dict[int, str]:
    """Map each traditional character to its simplified one.

    Built once from OpenCC's dictionary in about 0.2 s, offline; a chain such as
    薴 -> 苧 -> 苎 is followed to its end, so applying the table twice changes nothing.
    """
    with _building:  # threads that come first together would each build it
        return _built_table()


@cache
def _built_table() -> dict[int, str]:
    characters = [
        chr(point)
        for first, last in _HAN_BLOCKS
        for point in range(first, last)
        if unicodedata.category(chr(point)) in ("Lo", "So")
    ]
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    pairs = {
        traditional: simplified
        for traditional, simplified in zip(characters, converted, strict=True)
        if traditional != simplified and len(simplified) == 1
    }
    pairs |= _SAME_WORD
    return {ord(source): _end_of_chain(source, pairs) for source in pairs}


def _end_of_chain(character: str, pairs: dict[str, str]) -> str:
    seen = {character}
    while (following := pairs.get(character)) and following not in seen:
        seen.add(following)
        character = following
    return character
