"""Whether a quoted clause may stand for a fact at all, by kind.

Owns the refusals that the rules' machinery can justify: asked, supposed, told of others,
wished, bygone, called off, denied. A model that ignores its instructions meets them.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> check_stance("preference", read(cut("我朋友阿杰讨厌榴莲", now=now)))
Traceback (most recent call last):
memories.language_model.refusals.Refused: third-person
"""

import re
from collections.abc import Sequence

from memories.extraction.clauses import BLANK
from memories.extraction.lexicon import aims, people, plans, speech, tastes
from memories.extraction.narration import is_absurd
from memories.extraction.stance import (
    FIRST,
    SECOND,
    THIRD,
    Reading,
    speaks_for_user,
    subject_of,
)
from memories.extraction.taboos import SILENCE, UNFEARED
from memories.language_model.refusals import Refused
from memories.language_model.words import letters

_TO_ME = re.compile(
    r"(?:让|把|害|气死|吓死|吓到|惹|令|搞得?|弄得?|陪|带|给|送|教|骂|夸|约|请|找|叫)(?:了)?(?:我|咱|俺)"
)
_WITH_ME = re.compile(
    rf"{people.WITH_OTHERS.pattern}|我们?(?:[和跟同与])[^,]{{1,6}}?(?:都|也)"
)
_MY = re.compile("我们?的")
_VERBS = {
    "preference": tastes.VERB,
    "taboo": re.compile("害怕|怕|恐惧|过敏"),
    "fact": re.compile("是|在|住|叫|当|做|干|教|搬|属|有|养|戒|练|备考|读|念|学"),
}
# What is said of these is said of the user: 老家在绵阳, 刚从深圳搬到长沙.
_OWN_NOUNS = re.compile(
    r"老家|家乡|生日|专业|职业|工作|星座|血型|身高|坐标|网?名字?|学校|公司|单位|生肖|属相|年[级纪龄]"
    r"|大学|爱好|家里?|睡眠|酒量|大的|小的|一只|它|从[一-龥]{1,5}|跟[^,]{1,4}|和[^,]{1,4}"
)
_TASTES = re.compile(rf"{tastes.VERB.pattern}|怕|恐|过敏|难[吃喝听看]|恶心|想吐|嫌弃")
_DENIED = re.compile(
    r"(?:不是?|没有?|并非|从未|不再|不会|不用|未)(?:[一个只条名位做当养学住在去很太再有过觉得感到那么什]{0,3})$"
)
_NOT_SO = re.compile(r"(?:我们?|咱|俺)?[也都又真并才]*不是(?=[^,很太特吗])")
_UNAFRAID = re.compile(r"(?:不|没有?|没那么)(?:会|再)?(?:害怕|怕|恐|过敏)")


def check_stance(
    kind: str, readings: Sequence[Reading], *, is_aim: bool = False
) -> None:
    """Refuse a fact about the user that its clauses do not state.

    Raises:
        Refused: naming the first reason found.
    """
    for reading in readings:
        _check_stated(reading)
        _check_subject(kind, reading)
        if _is_daydream(reading, is_aim=is_aim):
            raise Refused("wished")
        is_dated = kind in ("event", "topic") and reading.clause.windows
        if reading.is_past and not is_dated:
            raise Refused("bygone")
        if is_absurd(reading):
            raise Refused("joked")
        _check_plan(kind, reading)


def denies(reading: Reading) -> bool:
    """Tell whether a clause says what is not so: 我不是住在南山."""
    return _NOT_SO.match(reading.clause.folded) is not None


def _is_daydream(reading: Reading, *, is_aim: bool) -> bool:
    """Tell whether a clause only wishes; an aim is told as one: 我想学潜水."""
    folded = reading.clause.folded
    if is_aim:
        return not aims.AIM.search(folded) or bool(aims.MOMENTARY.search(folded))
    return reading.is_wished


def check_promise(readings: Sequence[Reading]) -> None:
    """Refuse what the persona did not promise to the user.

    Raises:
        Refused: naming the first reason found.
    """
    for reading in readings:
        _check_stated(reading)
        if reading.subject != FIRST or reading.is_wished or reading.is_past:
            raise Refused("no-promise")
        _check_plan("commitment", reading)
    if not any(_promises(reading) for reading in readings):
        raise Refused("no-promise")


def check_value(kind: str, reading: Reading, begin: int, finish: int) -> None:
    """Refuse a value of others, or one that its clause denies; it stands from, to.

    Raises:
        Refused: naming the first reason found.
    """
    folded = reading.clause.folded
    if kind == "taboo" and _UNAFRAID.search(folded) and not is_overcome(reading):
        raise Refused("denied")
    if kind != "taboo" and _DENIED.search(folded[:begin].rstrip(" ,")):
        raise Refused("denied")
    if kind in _VERBS and _is_of_others(kind, reading, begin, finish):
        raise Refused("third-person")


def _is_of_others(kind: str, reading: Reading, begin: int, finish: int) -> bool:
    """Tell whether the verb about a value is ruled by a noun: 我的猫讨厌榴莲."""
    bare = reading.clause.bare
    words = bare[:begin] + BLANK * (finish - begin) + bare[finish:]
    verb = _VERBS[kind].search(words)
    head = _OWN_NOUNS.sub("", words[: verb.start()]) if verb else ""
    if speaks_for_user(head) is not False or _WITH_ME.match(head):
        return False
    is_mine = subject_of(head) == FIRST and not _MY.match(head)
    # 我不怕 is denied, not passed on; the sign of a taste has its own check.
    plain = head if kind == "preference" else re.sub("[不没别]", "", head)
    is_passed_on = kind != "fact" and tastes.NOT_MY_VERB.search(plain)
    return not is_mine or bool(is_passed_on)


def says_something(kind: str, rest: str) -> bool:
    """Tell whether a clause judges its thing by itself; `rest` is it without the thing.

    >>> says_something("taboo", "我对过敏"), says_something("taboo", "这东西")
    (True, False)
    """
    if kind == "fact":
        return len(letters(rest)) > 1
    return _TASTES.search(rest) is not None


def is_overcome(reading: Reading) -> bool:
    """Tell whether a fear or an allergy is said to be over: 不怕狗了."""
    return UNFEARED.search(reading.clause.folded.rstrip(" ,")) is not None


def check_called_off(readings: Sequence[Reading]) -> None:
    """Refuse a plan that its sentence goes on to drop: 周六去爬山的事，取消了.

    Raises:
        Refused: it is dropped.
    """
    if any(speech.CANCELLED.search(reading.clause.folded) for reading in readings):
        raise Refused("called-off")


def _check_stated(reading: Reading) -> None:
    if reading.is_void:
        raise Refused("taken-back")
    if reading.is_asked:
        raise Refused("asked")
    if not reading.is_plain:
        raise Refused("not-stated")


def _check_subject(kind: str, reading: Reading) -> None:
    folded = reading.clause.folded
    if reading.subject == THIRD:
        if kind == "event" and plans.KIN_EVENT.match(reading.clause.bare.strip()):
            return
        if kind == "commitment" and plans.ASKS_ME.search(folded):
            return
        if kind not in ("event", "emotion") or not _TO_ME.search(folded):
            raise Refused("third-person")
    if reading.subject == SECOND:
        is_request = kind == "taboo" and SILENCE.search(folded)
        is_felt = kind in ("event", "emotion") and _TO_ME.search(folded)
        if not (is_request or is_felt):
            raise Refused("to-you")


def _check_plan(kind: str, reading: Reading) -> None:
    folded = reading.clause.folded
    if kind == "emotion":
        return
    if denies(reading):
        raise Refused("denied")
    if speech.ORIGINALLY.search(folded) or speech.CANCELLED.search(folded):
        raise Refused("called-off")


def _promises(reading: Reading) -> bool:
    folded = reading.clause.folded
    is_dated = reading.clause.windows or plans.HABIT.search(folded)
    is_deed = is_dated and plans.PERFORMS.search(folded)
    return bool(plans.FOR_YOU.search(folded) or plans.VOWS.search(folded) or is_deed)
