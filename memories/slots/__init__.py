"""Slots: when two memories are about the same thing, so that the newer one counts.

Owns the key inside (subject, dimension, key) and the normal form of the words in it.
Pure: which memory is open in a slot, and closing it, is the business of the services.
Kinds without a slot (emotion, event, topic, note) accumulate instead.

>>> slot_key(kind="preference", about="吃芫荽") == slot_key(kind="preference", about="香菜")
True
"""

import re
from collections.abc import Iterator
from datetime import date

from memories.slots.words import (
    CATEGORIES,
    CATEGORY_ENDINGS,
    CATEGORY_SYNONYMS,
    PET_SPECIES,
    SYNONYMS,
)
from memsys.kernel.text.clean import fold

MAX_KEY_CHARS = 200
FAVOURITE = "最喜欢的"
_SLOTTED = frozenset(("preference", "taboo", "commitment", "fact"))

_LEADING = re.compile(
    r"^(?:(?:一|两|这|那|某)(?:[只条个种些杯碗款类位盘份首部本]|一点|点儿?)(?=.{2})"
    r"|[吃喝看听饮食睇](?=.)|去?(?:吃|喝|看|听)(?=.)|的|关于|那些|这些|自己)"
)
_TRAILING = re.compile(
    r"(?:[了呀啊啦吧呢哦哈嘛耶喔噢哟哇咯捏滴嘅噃]|的(?:味道|东西|时候|感觉|人)?|之类|什么"
    r"|这种(?:东西|人|事)?|那种|这个人|这件事|这类|一点|多一点|死|得不行|得要命)$"
)
_PUNCTUATION = re.compile(r"[\s,.!?;:。，！？；：、…~～\"'“”‘’「」『』《》()（）\[\]]+")
# The name of a work is kept whole: 《听妈妈的话》.
TITLE = re.compile(r"《[^《》]+》")
# Words that say when, with whom or how firmly, but not what was agreed.
_NOT_WHAT = re.compile(
    r"我们?|咱们?俩?|你们?|俺|一起|一块儿?|一定|肯定|准时|会|要|得|再|也|就|还|都|那|能"
    r"|准备|打算|计划|记得|别忘了?|不要忘了?|提醒|答应[了过]?|应承|保证|说[好定]了?"
    r"|约[好定了]*|预约了?|报名了?|到时候?|去|来|给|跟|和|陪|带"
)


def has_slot(kind: str) -> bool:
    """Tell whether memories of a kind supersede each other."""
    return kind in _SLOTTED


def slot_key(
    *, kind: str, about: str, value: str = "", due_date: date | None = None
) -> str:
    """Give the key of a slot, or "" for kinds that have none.

    `about` is the object of a preference or taboo, the attribute of a fact (`city`,
    `job`, `pet`), the words of a commitment. `value` joins the key of attributes that
    one person has several of: the species of a pet, the skill that is learnt.

    >>> slot_key(kind="fact", about="pet", value="橘猫")
    'pet:猫'
    >>> slot_key(kind="commitment", about="一起看电影", due_date=date(2026, 3, 21))
    '看电影|2026-03-21'
    """
    if not has_slot(kind):
        return ""
    if kind == "fact":
        return _fact_key(about, value)[:MAX_KEY_CHARS]
    if kind == "commitment":
        day = due_date.isoformat() if due_date else ""
        return f"{_what(about)[: MAX_KEY_CHARS - 11]}|{day}"
    return (normalise(about) or fold(about))[:MAX_KEY_CHARS]


def favourite_key(category: str) -> str:
    """Give the key of a single-valued favourite: 最喜欢的球星 has one answer.

    >>> favourite_key("足球明星")
    '最喜欢的球星'
    """
    name = normalise(category)
    return FAVOURITE + CATEGORY_SYNONYMS.get(name, name)


def find_category(value: str) -> str | None:
    """Find what a named thing is, or None for the many that the table lacks.

    >>> find_category("C罗"), find_category("绿色")
    ('球星', '颜色')
    """
    name = normalise(value)
    if name in CATEGORIES:
        return CATEGORIES[name]
    return CATEGORY_ENDINGS.get(name[-1:]) if len(name) > 1 else None


def normalise(words: str) -> str:
    """Give the form in which two names of one thing are equal.

    >>> normalise("吃香菜了"), normalise("小貓咪")
    ('香菜', '猫')
    """
    name = _PUNCTUATION.sub("", fold(words))[:MAX_KEY_CHARS]
    if TITLE.fullmatch(words.strip()):
        return SYNONYMS.get(name, name)
    for core in _cores(name):
        if core in SYNONYMS:
            return SYNONYMS[core]
        name = core
    return name


def core_span(folded: str) -> tuple[int, int]:
    """Give where the thing itself stands in folded words, without 吃, 一只 or 了.

    >>> core_span("吃香菜了")
    (1, 3)
    """
    begin, core = 0, folded
    for shorter in _cores(folded):
        begin += core.index(shorter)
        core = shorter
    return begin, begin + len(core)


def _cores(name: str) -> Iterator[str]:
    """Yield the words, then each time without one more word around the thing."""
    while True:
        yield name
        shorter = _TRAILING.sub("", _LEADING.sub("", name))
        if not shorter or shorter == name or name in SYNONYMS:
            return
        name = shorter


def species_of(animal: str) -> str:
    """Give the species of a breed, so that a 柯基 fills the slot of the dog.

    >>> species_of("柯基")
    '狗'
    """
    name = _PUNCTUATION.sub("", fold(animal))
    return PET_SPECIES.get(name, name)


def _fact_key(attribute: str, value: str) -> str:
    if not value:
        return attribute
    name = species_of(value) if attribute == "pet" else normalise(value)
    return f"{attribute}:{name}"


def _what(words: str) -> str:
    plain = _PUNCTUATION.sub("", fold(words))
    bare = _NOT_WHAT.sub("", plain)
    return _TRAILING.sub("", bare) or plain
