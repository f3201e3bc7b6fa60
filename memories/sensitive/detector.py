"""Finds whether a statement is sensitive, and of which category.

Owns the reading of a text: its spelling, its clauses, whose they are. The words are
the table's. Pure, and linear in the text.

>>> find_category("我有抑鬱症", kind="fact", dimension="life")
'mental_health'
>>> find_category("这部电影讲抑郁症", kind="event", dimension="life")
>>> find_category("我对花生过敏", kind="taboo", dimension="taboo")
"""

import re
from collections.abc import Iterator

from memories.extraction.dialect import read_as_mandarin
from memories.sensitive.table import Asides, Category, load_table
from memories.types import Dimension, Kind

BLANK = "\0"
TABLE = load_table()

_HAN = "\u4e00-\u9fff"
# 抑*郁*症 and 抑 郁 症 hide a word; a space between words ends a clause.
_HIDING = re.compile(
    rf"(?<=[{_HAN}])[*·_/|.\-+#^=\u200b-\u200f\u2060\ufeff]{{1,3}}(?=[{_HAN}])"
)
_SPACED_OUT = re.compile(rf"(?<![{_HAN}])(?:[{_HAN}] ){{2,40}}[{_HAN}](?![{_HAN}])")
_TITLE = re.compile(r"《[^《》\n]{1,60}》")
_SENTENCE = re.compile(r"[^。!\n]{1,1000}[。!\n]?|[。!\n]")
_CLAUSE = re.compile(
    rf"(?:(?![,;:~…?])(?!(?<=[{_HAN}])\s(?=[{_HAN}]))[\s\S]){{1,200}}[,;:~…?]?|[,;:~…?\s]"
)


def find_category(text: str, *, kind: str, dimension: str) -> str | None:
    """Return the code of the first category that a statement falls into, or None.

    A topic is not the user's own state, so a memory of one has to say so itself.
    """
    is_topic = kind == Kind.TOPIC or dimension == Dimension.TOPIC
    said = _spell(text)
    stated = "".join(_stated(said, TABLE.asides, is_topic=is_topic))
    for category in TABLE.categories:
        if _is_certain(category, said) or _is_in(category, stated, TABLE.asides):
            return category.code
    return None


def _spell(text: str) -> str:
    """Return a text in one spelling, without the titles of works."""
    folded = _HIDING.sub("", read_as_mandarin(text))
    joined = _SPACED_OUT.sub(lambda run: run[0].replace(" ", ""), folded)
    return _TITLE.sub(BLANK, joined)


def _stated(text: str, asides: Asides, *, is_topic: bool) -> Iterator[str]:
    """Yield the clauses, blank where they state nothing of anybody near."""
    for sentence in _SENTENCE.finditer(text):
        is_aside = is_topic
        for clause in _CLAUSE.finditer(sentence[0]):
            is_of_someone = asides.mentioned.search(clause[0]) is not None
            is_aside = _is_aside(clause[0], asides) or (
                is_aside and (is_topic or not is_of_someone)
            )
            yield _own_part(clause[0], asides) if is_aside else clause[0]


def _is_aside(clause: str, asides: Asides) -> bool:
    if asides.topics.search(clause) or asides.unreal.search(clause):
        return True
    is_asked = asides.asked.search(clause) is not None
    return is_asked and asides.mentioned.search(clause) is None


def _own_part(clause: str, asides: Asides) -> str:
    """Return what an aside says of the user after all: 看了电影才知道自己得了…."""
    found = None if asides.unreal.search(clause) else asides.self_again.search(clause)
    return BLANK + clause[found.start() :] if found else BLANK


def _is_certain(category: Category, said: str) -> bool:
    text = category.false_friends.sub(BLANK, said)
    return category.certain.search(text) is not None


def _is_in(category: Category, stated: str, asides: Asides) -> bool:
    text = category.false_friends.sub(BLANK, stated)
    if category.patterns.search(text):
        return True
    return any(
        category.denial_counts or not _is_denied(text, term.start(), asides)
        for term in category.terms.finditer(text)
    )


def _is_denied(text: str, place: int, asides: Asides) -> bool:
    return asides.denied.search(text[max(0, place - 12) : place]) is not None
