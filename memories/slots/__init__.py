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

from memories.slots.synonyms import SYNONYMS, Synonyms
from memories.slots.words import (
    CATEGORIES,
    CATEGORY_ENDINGS,
    CATEGORY_SYNONYMS,
    PET_SPECIES,
)
from memsys.kernel.text.clean import fold

MAX_KEY_CHARS = 200
FAVOURITE = "最喜欢的"
PET = "pet"
_SLOTTED = frozenset(("preference", "taboo", "commitment", "fact"))
TASTES = frozenset(("preference", "taboo"))

# A verb goes where the thing is left: 吃香菜. It stays where it makes another thing:
# 吃醋 is no vinegar, 食堂 no hall, and to watch a game is not to play it.
_VERB = (
    r"(?:吃(?!醋|亏|苦(?!瓜)|瓜(?!子)|土(?!豆)|货|香(?!菜|菇|蕉|肠)|力|惊|鸡$|软饭|席|播|素|斋|饭|相)"
    r"|喝(?!彩|多|倒彩|西北风)"
    r"|看(?![病房法见破淡守重透穿不起得上]|.{0,2}球|跳舞|比赛|别人|人)"
    r"|听(?![话力课写劝众懂见]|别人|人)"
    r"|食(?![物堂品材谱欲用疗言补])|饮(?![料食品水用])|睇(?!病|.{0,2}[球波]))"
)
_LEADING = re.compile(
    r"^(?:(?:一|两|这|那|某)(?:[只条个种些杯碗款类位盘份首部本]|一点|点儿?)(?=.{2})(?!人|正经)"
    rf"|去?{_VERB}(?=.)|的|关于|那些|这些|自己)"
)
# A particle goes, the same character inside a word stays: 酒吧, 嘻哈, 毛呢.
_TRAILING = re.compile(
    r"(?:[了呀啊啦哦耶喔噢哟哇咯嘅噃]|(?<![酒网贴清书水氧迪])吧|(?<![毛花])呢|(?<![二哈嘻])哈|(?<!喇)嘛|(?<!拿)捏"
    r"|(?<![妈爸婆爷奶家乡你他她])的味道|的(?:东西|时候|感觉)?|之类|什么"
    r"|这种(?:东西|事)?|那种|这个人|这件事|这类|一点|多一点|得不行|得要命)$"
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


def normalise(words: str, *, synonyms: Synonyms = SYNONYMS) -> str:
    """Give the form in which two names of one thing are equal.

    >>> normalise("吃香菜了"), normalise("小貓咪")
    ('香菜', '猫')
    """
    *_, core = cores(words, synonyms=synonyms)
    return synonyms.head(core)


def cores(words: str, *, synonyms: Synonyms = SYNONYMS) -> tuple[str, ...]:
    """Give folded words, then each time without one more word around the thing.

    It ends at a name that is known.

    >>> cores("吃白菜了")
    ('吃白菜了', '白菜了', '白菜')
    """
    name = _PUNCTUATION.sub("", fold(words))[:MAX_KEY_CHARS]
    is_title = TITLE.fullmatch(words.strip()) is not None
    return (name,) if is_title else tuple(_cores(name, synonyms))


def core_span(folded: str) -> tuple[int, int]:
    """Give where the thing itself stands in folded words, without 吃, 一只 or 了.

    >>> core_span("吃香菜了")
    (1, 3)
    """
    begin, core = 0, folded
    for shorter in _cores(folded, SYNONYMS):
        begin += core.index(shorter)
        core = shorter
    return begin, begin + len(core)


def _cores(name: str, synonyms: Synonyms) -> Iterator[str]:
    while True:
        yield name
        shorter = _LEADING.sub("", name)
        shorter = _TRAILING.sub("", name) if shorter == name else shorter
        if not shorter or shorter == name or name in synonyms:
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
    name = species_of(value) if attribute == PET else normalise(value)
    return f"{attribute}:{name}"


def _what(words: str) -> str:
    plain = _PUNCTUATION.sub("", fold(words))
    bare = _NOT_WHAT.sub("", plain)
    return _TRAILING.sub("", bare) or plain
