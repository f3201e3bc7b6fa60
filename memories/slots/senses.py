"""What a statement says in its slot, so that saying it in other words changes nothing.

Owns when two statements of one slot mean the same, and which slot the second cat gets.
A taste says its object in the key and an attribute with many values its value: all
that is left to say is yes or no. Pure, as the rest of the package.

>>> sense(kind="preference", key="香菜", value="芫荽")
''
>>> sense(kind="fact", key="city", value="上海了")
'上海'
"""

from collections.abc import Iterator

from memories.slots import (
    FAVOURITE,
    MAX_KEY_CHARS,
    PET,
    TASTES,
    cores,
    has_slot,
    normalise,
)
from memories.slots.synonyms import SYNONYMS, Synonyms
from memsys.kernel.text.clean import fold


def sense(*, kind: str, key: str, value: str) -> str:
    """Give what a statement says beside its key: equal when both say the same."""
    is_whole = kind == "fact" and ":" not in key
    if is_whole or is_favourite(kind=kind, key=key):
        return normalise(value) or fold(value)
    return ""


def is_favourite(*, kind: str, key: str) -> bool:
    """Tell whether a slot holds the one favourite of a category."""
    return kind == "preference" and key.startswith(FAVOURITE)


def family_of(*, kind: str, key: str) -> str:
    """Give what slots have in common of which one may have been meant by another.

    >>> family_of(kind="fact", key="skill:吉他"), family_of(kind="taboo", key="花生")
    ('skill', '')
    """
    return key.partition(":")[0] if kind == "fact" else ""


def own_key(*, kind: str, key: str, value: str) -> str:
    """Give the slot of one animal: a second cat must not take the place of the first.

    >>> own_key(kind="fact", key="pet:猫", value="团团")
    'pet:猫:团团'
    >>> own_key(kind="fact", key="pet:猫", value="小猫")
    'pet:猫'
    """
    attribute, _, species = key.partition(":")
    if kind != "fact" or attribute != PET or not species:
        return key
    species, name = species.partition(":")[0], normalise(value)
    if not name or name.removeprefix("小") in species:
        return key
    return f"{PET}:{species}:{name}"[:MAX_KEY_CHARS]


def names_said(*, kind: str, key: str, value: str) -> frozenset[str]:
    """Give the things that a statement names, as said: no synonym changes them.

    >>> sorted(names_said(kind="preference", key="香菜", value="吃芫荽"))
    ['吃芫荽', '芫荽', '香菜']
    """
    return frozenset(_names(kind=kind, key=key, value=value))


def names_known(
    *, kind: str, key: str, value: str, synonyms: Synonyms = SYNONYMS
) -> frozenset[str]:
    """Give all names that a statement's things have today."""
    said = _names(kind=kind, key=key, value=value)
    return frozenset(name for one in said for name in synonyms.names(one))


def _names(*, kind: str, key: str, value: str) -> Iterator[str]:
    if not has_slot(kind):
        return
    if kind == "commitment":
        yield fold(key)
        return
    yield from _forms(value)
    if kind in TASTES and not is_favourite(kind=kind, key=key):
        yield from _forms(key)


def _forms(words: str) -> Iterator[str]:
    """Yield words with less and less around the thing, as no table knows it."""
    yield from (form for form in cores(words, synonyms=_NONE) if form)


_NONE = Synonyms(())
