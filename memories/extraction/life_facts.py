"""How the user lives: pets, family, what they learn and do, what they are like.

Owns attributes that one person has several of; the value is part of their slot.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [(d.key, d.value) for d in find(read(cut("我养了只柯基，叫豆豆", now=now)))]
[('pet:狗', '豆豆')]
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memories.extraction.drafts import Draft, as_said, statement
from memories.extraction.facts import Attribute, draft_of, find_attributes
from memories.extraction.lexicon.places import PLACE
from memories.extraction.narration import what_followed
from memories.extraction.stance import Reading, speaks_for_user
from memories.slots import slot_key
from memories.slots.words import PET_SPECIES
from memsys.kernel.text.timewords.numerals import SMALL_NUMBER

PET = "(?:" + "|".join(sorted(PET_SPECIES, key=len, reverse=True)) + ")"
_NAME = r"(?P<name>[“「\"]?[一-龥a-z]{1,4}[”」\"]?)(?=$|了|啦|呀|哦|,|的|是|嘛)"
_KEEPS = re.compile(
    rf"(?:养(?:了|着|过)?|领养了?|收养了?|捡到?了?|家里?(?:还)?(?:养了?|有))(?:.{{1,4}}年的|(?:[一二两三四五几]|\d)?"
    rf"(?:只|条|个|头|缸|对|隻))*(?P<look>[一-龥]{{0,3}}?)(?P<pet>{PET})(?!粮|砂|窝|咖|毛|罐"
    rf"|舍)(?:[,，]?(?:名字|它)?叫做?{_NAME})?"
)
_NAMED = re.compile(
    rf"(?:家|的|只|条|这只|那只)(?:[一-龥]{{0,3}}?)(?P<pet>{PET})(?:的?名字)?(?:就|大名|小名)?(?:叫做?"
    rf"|是叫){_NAME}"
)
_IS_PET = re.compile(
    rf"(?P<name>[一-龥a-z]{{1,4}})(?:就)?是(?:我|我们|咱们?)(?:家里?)?(?:养)?的?(?:那?[只条])?[一-龥]{{0,2}}?(?P<pet>{PET})"
)
_CALLED = re.compile(
    rf"^(?:大的|小的|一只|老大|它|她|他|名字|大名|小名|取名|起名|我?给[它他她][取起]名)?(?:的?名字)?(?:就|是)?(?:叫做?|取名叫?|起名叫?){_NAME}"
)
_MENTIONED = re.compile(
    rf"(?:我|咱|俺|我们)(?:们)?(?:家|的|家的|养的)?(?:[一-龥]{{0,3}}?)(?P<pet>{PET})(?!粮|砂)"
)
_ASKS_NAME = re.compile(r"叫什么|叫啥|名字|叫乜|怎么称呼它")
_ANOTHER = re.compile(r"又|还|第二|另外|另一|再养了")

_KIN = (
    "哥哥|姐姐|弟弟|妹妹|儿子|女儿|闺女|孩子|双胞胎(?:儿子|女儿|弟弟|妹妹|姐妹|兄弟)?"
)
_SKILL = r"[一-龥a-z]{2,8}?"
_ILL = (
    r"鼻炎|胃炎|胃病|肠胃炎|咽炎|哮喘|偏头痛|高血压|低血压|糖尿病|低血糖|贫血|颈椎病|腰椎间盘突出|痛风|湿疹|荨麻疹|失眠|焦虑症|抑郁症|躁郁症"
    r"|强迫症|洁癖|多动症|甲亢|甲减|结节|脂肪肝|心脏病|近视|散光|色弱|色盲|阅读障碍"
)
_TRAIT = (
    r"吃素|吃斋|纯素|社恐|社牛|路痴|夜猫子|左撇子|吃货|宅男|宅女|内向|外向|慢热|急性子|慢性子|强迫症|拖延症|拖延癌|洁癖|工作狂|恋爱脑|起床困难户"
    r"|选择困难症|脸盲|色盲|色弱|(?:乳糖|酒精|麸质|咖啡因)不耐受?|低血糖|过敏体质|敏感体质|易胖体质|疤痕体质|独生子女?|独生女|独子|单亲家庭?|左利手|完美主义者?"
    r"|[一-龥]{1,3}主义者?|素食者|早起党|夜班党|月光族|北漂|沪漂|深漂|社畜|铁憨憨|五音不全|音痴|手残党?|乐天派|悲观的人|i人|e人|键盘手"
    r"|主唱|鼓手"
)

# What is said of the user's own child or partner is a fact of the user's life.
_CLOSE = "老大|老二|大宝|二宝|女儿|儿子|闺女|孩子|娃|小孩|老公|老婆|媳妇儿?|先生|爱人"
_CHILD = re.compile(
    rf"^(?:今年|今天|现在|最近)?(?:我|我们|咱)?家?的?(?:大|小)?(?P<value>{_CLOSE})(?:今年|才|都|已经|刚|现在|快|马上|也|就|是)*"
    rf"(?:{SMALL_NUMBER}(?:周?岁|个月)|上(?:幼儿园|小学|初中|高中|大学|[一二三四五六]年级)|叫(?![我你他她])|怀孕"
    rf"|在(?:{PLACE}|国外)(?:上班|工作|上学|上大学|读|念|打工|当兵|定居|生活)|{PLACE}人|升(?:小学|初中|高中|中))"
)
_THEN_NAMED = re.compile(r"^(?:小名|大名|名字|取名)?就?叫(?![我你他她做])")
# 我有个妹妹在读初二: the sister is the user's, what she does is her own.
_FAMILY = re.compile(
    rf"(?:我|咱)(?:还|家|家里)?有(?:一|两|三|俩|2|3)?(?:个|位|对)?亲?(?P<value>{_KIN})"
)

TABLE = (
    Attribute("skill", rf"(?:在|正在|开始|刚开始|继续|跟着?.{{1,4}}|报名?了?班?)(?:学习|自学|学|练习|练"
        rf"|备考)着?(?P<value>{_SKILL})(?=$|呢|了$|,|啦|,|的?(?:课"
        rf"|班)$)", is_many=True, never="^(?:校|里|会|习|姐|长|生|不)|新的?(?:技能|知识|东西)$|如何|怎么"),
    Attribute("skill", r"从[^,]{1,6}(?:开始|起)(?:就)?(?:学习|自学|学|练习|练)(?P<value>[一-龥a-z]{2,8}?)(?:的|了)?$", is_many=True,
        is_outright=True, never="^(?:习|会|着)"),
    Attribute("skill", r"(?:正在|在|正|一直在)?(?:备考|准备|复习|在考|准备考)(?P<value>雅思|托福|考研|考公|考编|高考|教资|教师资格证|[四六]级|cpa|法考|司考"
        r"|国考|省考|公务员|事业编|注会|一建|二建|专升本|中考|gre|日语n\d|n[1-5]|驾照|科目[一二三四])", is_many=True),
    Attribute("skill", rf"(?:学|自学|练|学着|练着|学习|备考)(?P<value>{_SKILL})(?:快|都|也|已经"
        rf"|有)?{SMALL_NUMBER}?(?:多|个|几|半)*(?:年|月|周|天)(?:多"
        rf"|半)?了?$", is_many=True, never="^(?:了|会|习|过)"),
    Attribute("skill", rf"(?:学|练)着(?P<value>{_SKILL})$", is_many=True),
    Attribute("skill", rf"(?:练|玩|跳|弹|打)的(?:就"
        rf"|其实)?是(?P<value>{_SKILL})$", is_many=True),
    Attribute("skill", r"会(?P<value>(?:弹|拉|吹|说|打|跳|唱|修|织)(?!你|给|一下|话$"
        r"|我)[一-龥]{1,4})$", is_many=True, is_outright=True),
    Attribute("skill", r"^我?(?:还|也)?会(?P<value>(?:弹|拉|吹|说|跳|织)(?!你|给|话)[一-龥]{1,8})$", is_many=True),
    Attribute("skill", r"(?<=我)是?(?:踢|打|玩|跳|练|唱)(?P<value>[一-龥a-z]{0,4}(?:球|琴|鼓|吉他|贝斯|摄影|胶片|滑板|机车|模型|手办|街舞"
        r"|芭蕾|拉丁|爵士|戏|美声|拳|剑))的$", is_many=True),
    Attribute("skill", rf"学过(?:{SMALL_NUMBER}[多几]?(?:年|个月)的?)?(?P<value>{_SKILL})$", is_many=True, is_outright=True, never="^(?:了|的|一)"),
    Attribute("experience", r"(?P<value>当过兵|参过军|留过学|支过教|创过业|拿过(?:奖|冠军|第一)|上过(?:电视|前线|战场)|出过(?:书|专辑|国))", is_many=True,
        is_outright=True),
    Attribute("experience", rf"(?P<value>(?:工作|上班|毕业|入行|从业|北漂|沪漂|当兵|退伍|出来混)(?:都|已经|快|了)*{SMALL_NUMBER}[多几]?年)", is_many=True),
    Attribute("routine", r"每(?:个)?(?:天|晚|早|周[一二三四五六日天]?|星期[一二三四五六日天]?|周末"
        r"|月)[^,]{0,6}?(?P<value>(?:(?<![晚早])上|打|跑|去|练|学|游|骑|遛|健|写|喝|做|吃|看|炖|煮|熬|陪|给|背|抄|记|冥想|睡|起|弹|画|拍|唱|听"
        r"|值)[^,]{1,10})$", is_many=True, is_outright=True, never="上班|去想|做梦|看你|上火"),
    Attribute("routine", r"(?:一向|向来|雷打不动|固定|习惯了?)(?:都|是|会|在)*(?P<value>[^,]{3,14})$", is_many=True, is_outright=True,
        never="^(?:不|很|讨厌|喜欢|爱|这样|就)"),
    Attribute("routine", r"(?P<value>(?:一周|一个?星期|一个?礼拜|每天|一天)(?:都|要|得|也|练|跑|去|健身|喝|抽|打|吃|跳|游|上){1,3}"
        r"[一二两三四五六七八九十几\d]+(?:[次天杯顿支根包遍]|个?小时))", is_many=True, is_outright=True),
    Attribute("routine", r"(?:一般|通常|平时|平常|经常|常常|周末|有空|没事)(?:周末|晚上|早上|下班后?)?(?:都|就|会|也|总)*(?P<value>(?:去|在家|自己"
        r"|和[^,]{1,4}|跟[^,]{1,4}){0,2}(?:打|跑|爬|练|学|游|骑|遛|健身|锻炼|写|喝|做|看|听|画|逛|钓|跳|散步|露营|拍|弹|唱|研究|玩)[^,]{0,10})$", is_many=True,
        is_outright=True, never="看到|听到|看起|听起|做梦|看你|听你|想"),
    Attribute("health", r"(?:总是?|老是?|一直|经常|天天|又|整夜|每晚|最近)(?:都|在|会)*(?P<value>失眠|头疼|头痛|偏头痛|胃疼|胃痛|腰疼|脱发|掉头发|做噩梦|咳嗽"
        r"|牙疼|拉肚子|耳鸣|心悸|便秘|落枕)", is_many=True),
    Attribute("health", r"(?P<value>(?:膝盖|腰|颈椎|肩膀|肩颈|背|胃|心脏|脚踝|手腕|眼睛|嗓子|肠胃|皮肤)(?:一直|有点|有些|有|老是|不太|很|总|容易)*"
        r"(?:旧伤|不好|不舒服|劳损|疼|痛|发炎|过敏|敏感|酸))", is_many=True),
    Attribute("trait", r"这(?:个)?人(?:就是|就|真的|其实|一向|比较|有点|特别|很"
        r"|挺)*(?P<value>[^,]{2,12})$", is_many=True, is_outright=True, never="^(?:怎|什"
        "|是不|真好|谁|喜欢|讨厌|爱|怕|不爱|不喜欢|最)"),
    Attribute("trait", rf"(?:是(?:一?个|一枚|典型的?|重度|资深|轻度|那种|坚定的?|标准|妥妥的?)*|有点儿?|很|特别|超级?"
        rf"|比较|重度|天生|从小|也|真的|就)*(?P<value>{_TRAIT})(?:的人|人|患者|晚期)?(?=$|,|了$|的$|嘛|啦"
        rf"|啊|呀)", is_many=True, is_outright=True, never="不婚"),
    Attribute("trait", r"(?P<value>睡眠(?:很|比较|特别)?(?:浅|差|不好)|觉(?:很|特别)?(?:浅|轻)|认床"
        r"|酒量(?:很|特别|超)?(?:差|好|浅)|手脚冰凉|入睡困难|记性(?:很|特别)?(?:差|不好))", is_many=True),
    Attribute("health", rf"(?:有|得了|患有|查出来?)(?:点|一点|严重的?|轻微的?|慢性|老|季节性|过敏性"
        rf"|先天性)*(?P<value>(?:过敏性|慢性)?(?:{_ILL}))", is_many=True),
    Attribute("health", r"(?P<value>(?:血糖|血压|血脂|尿酸|转氨酶)(?:有点|一直|偏|很|太|比较)*[高低])", is_many=True, is_outright=True),
    Attribute("health", r"(?P<value>近视(?:\d{3}|[一-龥]百)度|\d{3}度近视|低血糖|高血压|贫血"
        r"|乳糖不耐受?)(?=$|,|了$|的$)", is_many=True, is_outright=True),
    Attribute("routine", rf"(?P<value>健身|跑步|减肥|备孕|创业|练琴|画画|写作|冥想|练瑜伽|游泳|写日记)(?:快|都|已经"
        rf"|有)*{SMALL_NUMBER}(?:个月|年|周|天)多?了?$", is_many=True, is_outright=True),
    Attribute("quit", r"(?:已经|早就?|刚)?戒了?(?P<value>烟|酒|糖|奶茶|咖啡|辣|宵夜|夜宵|游戏"
        r"|碳水|可乐)", is_many=True, is_outright=True),
)  # fmt: skip


def find(
    readings: Sequence[Reading], *, pet: str = "", asked: str = ""
) -> Iterator[Draft]:
    """Find what a message tells about the user's life.

    `pet` is an animal of the user's that the session spoke of; `asked` the folded line
    that the persona said before. Together they give 叫年糕 its meaning.
    """
    for place, reading in enumerate(readings):
        found = _pet(readings, place)
        if found is None and pet and _names(reading, place, asked):
            found = _pet_name(readings, place, pet)
        if found:
            yield found
        for draft in find_attributes(reading, place, TABLE):
            yield _with_rest(readings, draft) if _is_habit(draft) else draft
        yield from _family(readings, place)


def _is_habit(draft: Draft) -> bool:
    return draft.key.startswith("routine:")


def _with_rest(readings: Sequence[Reading], draft: Draft) -> Draft:
    """Tell a habit with what the sentence says it leads to: 五点半起床，打太极."""
    followed = what_followed(readings, draft.place)
    return replace(draft, text=statement(readings[draft.place], *followed))


def _family(readings: Sequence[Reading], place: int) -> Iterator[Draft]:
    reading = readings[place]
    folded = reading.clause.folded
    match = _FAMILY.search(folded) or _CHILD.search(folded)
    if match and reading.is_plain and not (reading.is_past or reading.is_wished):
        kin = Attribute("family", "", is_many=True)
        draft = draft_of(kin, reading, place, match.span("value"))
        named = [r for r in readings[place + 1 : place + 2] if _gives_name(reading, r)]
        yield replace(draft, text=statement(reading, *named))


def _gives_name(reading: Reading, following: Reading) -> bool:
    same = reading.clause.sentence == following.clause.sentence
    return same and _THEN_NAMED.match(following.clause.folded) is not None


def mentioned_pet(readings: Sequence[Reading]) -> str:
    """Give the user's own animal that a message speaks of, or ""."""
    for reading in readings:
        match = _MENTIONED.search(reading.clause.folded) or _KEEPS.search(
            reading.clause.folded
        )
        if match and not reading.is_wished:
            return match["pet"]
    return ""


def _pet(readings: Sequence[Reading], place: int) -> Draft | None:
    reading = readings[place]
    folded = reading.clause.folded
    if not reading.is_plain or reading.is_past or reading.is_wished:
        return None
    match = _KEEPS.search(folded)
    if not reading.states_own:
        return None
    if match and speaks_for_user(folded[: match.start()]) is False:
        return None
    match = match or _own_named(folded)
    if match is None:
        return None
    draft = _pet_draft(readings, place, match["pet"], match.span("pet"))
    if match["name"]:
        return replace(draft, value=as_said(reading.clause, *match.span("name")))
    return _with_next_name(readings, place, draft)


def _own_named(folded: str) -> re.Match[str] | None:
    match = _NAMED.search(folded)
    if match and re.search(r"我|咱", folded[: match.start() + 1]):
        return match
    return _IS_PET.match(folded)


def _pet_draft(
    readings: Sequence[Reading], place: int, pet: str, span: tuple[int, int]
) -> Draft:
    reading = readings[place]
    key = slot_key(kind="fact", about="pet", value=pet)
    if _ANOTHER.search(reading.clause.folded[: span[0]]):
        key += ":2"
    return Draft(
        kind="fact",
        key=key,
        value=as_said(reading.clause, *span),
        polarity=1,
        text=statement(reading),
        place=place,
        corrects=reading.corrects,
    )


def _with_next_name(readings: Sequence[Reading], place: int, draft: Draft) -> Draft:
    if place + 1 == len(readings):
        return draft
    following = readings[place + 1]
    match = _CALLED.match(following.clause.folded)
    if match is None or following.is_asked:
        return draft
    return replace(
        draft,
        value=as_said(following.clause, *match.span("name")),
        text=statement(readings[place], following),
    )


def _names(reading: Reading, place: int, asked: str) -> bool:
    """Tell whether a clause names the animal: as the answer, or by 取名."""
    if place == 0 and _ASKS_NAME.search(asked):
        return True
    named = (
        r"(?:(?:我)?给(?:它|他|她))?[取起]名|它(?:的名字)?叫|(?:它|小家伙|小东西)名字"
    )
    return re.match(named, reading.clause.folded) is not None


def _pet_name(readings: Sequence[Reading], place: int, pet: str) -> Draft | None:
    """Read 叫年糕 as the answer to what the user's animal is called."""
    reading = readings[place]
    match = _CALLED.match(reading.clause.folded)
    if match is None or reading.is_asked:
        return None
    same = [r for r in readings if r.clause.sentence == reading.clause.sentence]
    return Draft(
        kind="fact",
        key=slot_key(kind="fact", about="pet", value=pet),
        value=as_said(reading.clause, *match.span("name")),
        polarity=1,
        text=statement(*same),
        place=place,
    )
