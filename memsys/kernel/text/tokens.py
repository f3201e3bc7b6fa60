"""Search words of Chinese text: what the index holds and what a query asks.

Owns the cut into words, the names that outside data adds to it, and the words a query
leaves out. A text gives jieba's search-mode words (without guessing, HMM off) and each
of its characters: short memories seldom repeat the query's words, but share characters.

Names are matched beside the dictionary, not put into it. A word added to the dictionary
would change how every text around it is cut, so rows indexed before would no longer
match; beside it, a name only ever adds its own token.

    >>> tokenize("iPhone 屏幕")
    ['iphone', '屏幕', '屏', '幕']
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import rjieba

from memsys.kernel.text.clean import fold

_DATA = Path(__file__).parent / "data"
_CJK = (
    "[\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U000323af]"
)
_CHARACTER = re.compile(_CJK)
_WORD_CHARACTER = re.compile(r"[^\W_]")
# Letters that jieba does not know are cut one by one there; here they stay words.
_OTHER_WORD = re.compile(rf"(?:(?!{_CJK})[^\W_]){{2,}}")
_MAX_NAME = 30

_loading = Lock()


class _Token(NamedTuple):
    text: str
    start: int
    end: int


class Names:
    """Names of people and personas, to be found as words beside the dictionary.

    A name is folded and cut at what is no letter or digit (🌸小樱🌸 gives 小樱);
    pieces of one character are tokens already, and pieces over 30 are no names.

    >>> tokenize("俞建禾来了", names=Names(["俞建禾"]))[-6]
    '俞建禾'
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        pieces = {
            piece
            for name in names
            for piece in re.findall(r"[^\W_]+", fold(name))
            if 2 <= len(piece) <= _MAX_NAME
        }
        self._names = sorted(pieces)

    def found_in(self, text: str) -> Iterator[_Token]:
        """Yield every place of a name in a folded text."""
        for name in self._names:
            start = text.find(name)
            while start >= 0:
                yield _Token(name, start, start + len(name))
                start = text.find(name, start + 1)


NO_NAMES = Names()


def tokenize(text: str, *, names: Names = NO_NAMES) -> list[str]:
    """Return the index tokens of the text, folded, repeats included.

    Words of two characters or more, known names, and each Chinese, Japanese or Korean
    character once per place. Never raises; about 0.03 ms for a chat message.
    """
    return [token.text for token in _tokens(fold(text), names)]


def query_tokens(text: str, *, names: Names = NO_NAMES) -> list[str]:
    """Return the query tokens: as `tokenize`, without stop words.

    A stop word takes its characters with it (怎么 leaves no 么). If nothing else is
    left, everything stays: 你是谁 is a question too.

    >>> query_tokens("我的猫呢")
    ['猫']
    """
    tokens = list(_tokens(fold(text), names))
    stop = _stop_words()
    told: set[int] = set()  # places inside words that stay, where 过 is part of 过敏
    hushed: set[int] = set()
    for token in tokens:
        if token.text in stop:
            hushed.update(range(token.start, token.end))
        elif len(token.text) > 1:
            told.update(range(token.start, token.end))
    hushed -= told
    kept = [
        token.text
        for token in tokens
        if token.start not in hushed
        and not (len(token.text) > 1 and token.text in stop)
    ]
    return kept or [token.text for token in tokens]


def _tokens(text: str, names: Names) -> Iterator[_Token]:
    words = dict.fromkeys(_words(text))
    yield from words
    for token in names.found_in(text):
        if token not in words:
            yield token
    for character in _CHARACTER.finditer(text):
        yield _Token(character[0], *character.span())


def _words(text: str) -> Iterator[_Token]:
    """Yield jieba's words, but single characters, then those it cuts up."""
    for word, start, end in _dictionary().tokenize(text, mode="search", hmm=False):
        if (len(word) > 1 or word.isascii()) and _WORD_CHARACTER.search(word):
            yield _Token(word, start, end)
    if text.isascii():
        return
    for match in _OTHER_WORD.finditer(text):
        if not match[0].isascii():
            yield _Token(match[0], *match.span())


def _dictionary() -> rjieba.Jieba:
    """Return the shared dictionary; it is never changed after loading."""
    with _loading:  # threads that come first together would each load one
        return _loaded_dictionary()


@cache
def _loaded_dictionary() -> rjieba.Jieba:
    return rjieba.Jieba()


@cache
def _stop_words() -> frozenset[str]:
    lines = (_DATA / "stopwords.txt").read_text(encoding="utf-8").splitlines()
    kept = " ".join(line for line in lines if not line.startswith("#"))
    return frozenset(fold(word) for word in kept.split())
