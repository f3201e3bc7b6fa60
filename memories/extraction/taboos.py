"""What the user cannot bear, fears, or asks not to be spoken of.

Owns allergies, fears, and requests of silence. Fear of an outcome (就怕考不好) is a
feeling and belongs to `emotions`.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [draft.value for draft in find(read(cut("我酒精过敏，我怕狗", now=now)))]
['酒精', '狗']
"""

import re
from collections.abc import Iterator, Sequence
from re import Match

from memories.extraction.drafts import Draft, statement, thing_said, without_particles
from memories.extraction.stance import SECOND, THIRD, Reading, speaks_for_user
from memories.slots import normalise, slot_key

_VERY = r"(?:严重|有点|有些|会|轻微|重度|真的|从小|一直|特别|很|都|也|是|超级?)*"
ALLERGY = re.compile(
    rf"对(?P<what>[^,对]{{1,12}}?){_VERY}过敏(?!性鼻炎|体质)"
    rf"|^(?P<topic>[^,我你他她对会不没]{{1,8}}?)我{_VERY}过敏"
    rf"|我(?:是|有|本身|从小|一直|真的|也)*(?P<plain>[^,对我会不了]{{1,8}}?){_VERY}过敏(?!性鼻炎|体质)"
    r"|^(?P<bare>(?!.*(?:换季|季节|春天|皮肤|脸|眼|鼻|容易|突然|有点|老是|又|抗|防|为什么|怎么))[^,我你他她对会不没的是了]{1,6})过敏$"
)
REACTION = re.compile(
    r"(?:吃|喝|碰|闻|沾)(?:一?点|一口|到|了|多了)?(?P<what>[^,就会一了]{1,8}?)(?:就|会|都|一定)+(?:会)?(?:过敏"
    r"|起疹子|起红疹|全身痒|喉咙肿|嘴肿|浑身红|休克)"
)
FEAR = re.compile(
    r"(?<![恐哪不可只就还])(?<!(?<=[^天])生)(?:最怕|害怕|恐惧|怕)(?P<what>(?![的得])[^,]{1,10})$"
    r"|(?P<high>恐高|晕血|晕针|恐飞|恐水|晕车|晕船|晕机)(?!药|贴|的人|感)|(?P<phobia>[一-龥]{2,5})恐惧症"
)
# 怕考不好, 怕你走: fear of what may happen, not of a thing.
OUTCOME = re.compile(
    r"不|没|会|被|要|输|错|来不及|失败|你|他|她|自己|我|完|挂|结果|以后|将来|了"
    r"|出现|发生|意外|丢人|丢脸|出丑|尴尬|失望|耽误|打扰|影响|浪费"
)
SILENCE = re.compile(
    r"(?:别|不要|不许|不准|少|请勿|甭|唔好|不好)(?:再|总|老是?|跟我|和我|同我|对我|在我面前|当着我的?面|随便|一直|动不动)*"
    r"(?P<verb>提起?|说起|说(?![话谎笑])|聊起?|讲|问|叫我|喊我|催我|催|劝我|劝|拿(?P<joke>.{1,8})开玩笑"
    r"|开(?P<joke2>.{1,8})的?玩笑|发)(?P<what>[^,]{0,16})$"
)
UNHEARD = re.compile(
    r"(?:不想|不愿意?|不喜欢|讨厌)(?:再|总是?)?(?:听到?|提起?|聊起?|谈起?|看到|被问到?|被提起|被叫|别人叫我"
    r"|被人叫)(?P<what>[^,]{2,16})$"
)
FORBIDDEN = re.compile(
    r"(?:医生|大夫|体检)(?:说|让|叫|不让|嘱咐|要求)*我?(?:别|不能|不要|不准|不让|忌|少"
    r"|戒)+(?:再|去)?(?P<doctor>(?!担心|紧张|想|着急|怕|多喝|动|说|问|来|这|那)[^,了]{2,10})"
    r"|^(?P<mine>(?!.*(?:一半|有的|很多|大半|好多))[^,我你他她]{1,8}?)我?(?:现在|都|也|真的|是)*(?:不能|不可以)(?:再|多)?[吃喝碰沾]了?$"
    r"|我?(?:真的|现在|也|从小|晚上|早上|空腹|平时)*(?:不能|不可以|碰不得|忌口?)(?:再|多)?(?P<own>(?:吃|喝|碰|沾)[^,了]{1,8})"
)
# 我不吃鱼, 烧心: what the body or a belief forbids is more than a dislike.
ABSTAINS = re.compile(
    r"(?:从来?|从小就?|都|也|就|是|晚上|现在)*不(?:吃|喝|碰|沾|抽)(?:得)?(?P<eats>(?![会就也都还要才])[^,了]{1,8}?)(?:的|得)?$"
    r"|^(?P<first>[^,我你他她]{1,8}?)我?(?:是|也|都|真的|从来|从小|现在)*(?:不(?:吃|喝|碰|沾)(?:得)?|碰都不碰|[吃喝碰沾]不得)(?:的|得)?$"
    r"|^(?P<dares>[^,我你他她]{1,8}?)我?(?:是|都|也|现在)*不敢[吃喝碰沾]了?$|(?P<all>[^,我你他她]{1,8}?)(?:一点|一口)?都不(?:碰|沾|吃|喝)$"
)
_BECAUSE = re.compile(
    r"烧心|反酸|胃(?:疼|痛|胀|难受|不)|拉肚|肚子?[疼痛]|闹肚|过敏|起疹|发痒|痒|肿|会吐|就吐|头[疼晕]|睡不着|心跳|心[慌悸]|犯病|痛风|尿酸"
    r"|血[糖压脂]|医生|大夫|忌|戒|信[佛教主]|拜|念佛|吃[素斋]|清真|回族|穆斯林|宗教|教徒|初一十五|减脂|减肥|健身|怀孕|备孕|哺乳|卡过|中毒"
)
_MOMENTARY = re.compile(r"现在|今天|今晚|这会儿|暂时")
_IDIOM = re.compile(
    r"^(?:多|了|啦|(?:这个|那个|这些|那些|他|她|它|我|这|那)(?:了|事)?$|话|的|吧|啊|一下|得)"
)


# 不怕狗了: what was feared is no more, in the slot of the fear.
UNFEARED = re.compile(
    r"(?:不|没那么)(?:再|会再|那么)?(?:害怕|怕|恐)(?P<what>[^,]{1,8}?)了$"
    r"|对(?P<allergen>[^,对]{1,8}?)(?:已经|现在)?(?:不|没)(?:再)?过敏了$"
)


def find(readings: Sequence[Reading]) -> Iterator[Draft]:
    """Find the taboos that a message states or asks for."""
    rules = (_allergy, _fear, _silence, _forbidden)
    for place, reading in enumerate(readings):
        found = next(filter(None, (rule(reading) for rule in rules)), None)
        told = [reading]
        if found is None and (cause := _cause(readings, place)):
            found, told = _abstinence(reading), _in_order(reading, cause, readings)
        if found:
            yield _draft(reading, told, place, found, polarity=-1)
        if overcome := _unfeared(reading):
            yield _draft(reading, [reading], place, overcome, polarity=1)


def _cause(readings: Sequence[Reading], place: int) -> Reading | None:
    """Give the clause beside it in the sentence when it is why one must not."""
    here = readings[place]
    beside = (*readings[place + 1 : place + 2], *readings[max(0, place - 1) : place])
    for reading in beside:
        same = reading.clause.sentence == here.clause.sentence
        is_new = re.search("决定|开始|打算", reading.clause.folded)
        if (
            same
            and not is_new
            and reading.is_plain
            and _BECAUSE.search(reading.clause.folded)
        ):
            return reading
    return None


def _abstinence(reading: Reading) -> tuple[int, int] | None:
    folded = without_particles(reading.clause.folded.rstrip(" ,"))
    if not reading.states_own:
        return None
    match = ABSTAINS.search(folded)
    if match is None or speaks_for_user(folded[: match.start()]) is False:
        return None
    return _span(match, "eats", "first", "dares", "all")


def _in_order(
    here: Reading, cause: Reading, readings: Sequence[Reading]
) -> list[Reading]:
    return sorted((here, cause), key=readings.index)


def _draft(
    reading: Reading,
    told: Sequence[Reading],
    place: int,
    found: tuple[int, int],
    *,
    polarity: int,
) -> Draft:
    return Draft(
        kind="taboo",
        key=slot_key(kind="taboo", about=reading.clause.folded[slice(*found)]),
        value=thing_said(reading.clause, *found),
        polarity=polarity,
        text=statement(*told),
        place=place,
    )


def _span(match: Match[str] | None, *groups: str) -> tuple[int, int] | None:
    """Give the place of the first group that matched, without final particles."""
    if match is None:
        return None
    group = next((name for name in groups if match[name]), None)
    if group is None:
        return None
    begin, words = match.start(group), without_particles(match[group])
    return (begin, begin + len(words)) if normalise(words) else None


def _allergy(reading: Reading) -> tuple[int, int] | None:
    folded = reading.clause.folded
    if not reading.states_own or re.search("不(?:会)?过敏|没过敏|没有过敏", folded):
        return None
    match = ALLERGY.search(folded) or REACTION.search(folded)
    if match is None or speaks_for_user(folded[: match.start()]) is False:
        return None
    return _span(match, *match.re.groupindex)


def _fear(reading: Reading) -> tuple[int, int] | None:
    folded = reading.clause.folded
    if not reading.states_own:
        return None
    match = FEAR.search(folded)
    if match is None or speaks_for_user(folded[: match.start()]) is False:
        return None
    if match["what"] and OUTCOME.search(without_particles(match["what"])):
        return None
    return _span(match, "what", "high", "phobia")


def _unfeared(reading: Reading) -> tuple[int, int] | None:
    folded = reading.clause.folded.rstrip(" ,")
    match = UNFEARED.search(folded)
    if match is None or not reading.states_own:
        return None
    if speaks_for_user(folded[: match.start()]) is False:
        return None
    return _span(match, "what", "allergen")


def _silence(reading: Reading) -> tuple[int, int] | None:
    """Read 别提…; it is asked of the persona, so it has no subject or 你."""
    if not reading.is_plain or reading.subject == THIRD:
        return None
    folded = reading.clause.folded
    match = SILENCE.search(folded)
    if match:
        if match["joke"] or match["joke2"]:
            return _span(match, "joke", "joke2")
        is_idiom = _IDIOM.match(match["what"]) or len(match["what"]) < 2
        return None if is_idiom else _span(match, "what")
    if reading.subject == SECOND or _MOMENTARY.search(folded):
        return None
    return _span(UNHEARD.search(folded), "what")


def _forbidden(reading: Reading) -> tuple[int, int] | None:
    folded = reading.clause.folded
    match = FORBIDDEN.search(folded)
    if match is None or reading.is_asked or reading.is_past:
        return None
    if (match["own"] or match["mine"]) and not reading.states_own:
        return None
    return _span(match, "doctor", "mine", "own")
