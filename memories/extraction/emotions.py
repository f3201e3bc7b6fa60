"""What the user feels, when they say it.

Owns the reading of feelings and of the cause told with them. Emotions have no slot.

>>> from datetime import datetime
>>> from memories.extraction.clauses import cut
>>> from memories.extraction.stance import read
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [(d.text, d.polarity) for d in find(read(cut("面试又挂了，好难过", now=now)))]
[('面试又挂了，好难过', -1)]
"""

import re
from collections.abc import Collection, Iterator, Sequence

from memories.extraction.drafts import Draft, statement
from memories.extraction.lexicon.feelings import (
    DREAD,
    GLADNESS,
    MOODS,
    NEGATIVE,
    POSITIVE,
    STRONG,
)
from memories.extraction.stance import SECOND, THIRD, Reading

MAX_CAUSES = 3  # clauses before a feeling that are told with it
SHORT_CLAUSE_CHARS = 12
_SIGNS = {word: -1 for word in NEGATIVE} | {word: 1 for word in POSITIVE}
_FEELING = re.compile("|".join(sorted(_SIGNS, key=len, reverse=True)))
_GLADNESS = re.compile(GLADNESS)
_DREAD = re.compile(f"{MOODS}|{DREAD}")
_DENIED = re.compile(
    r"(?:不|没有?|(?<![万第])一|(?<!特)别|不再|不会|不用|不太|没那么|不怎么|也不|并不|不觉得|何必|不要|不必|不至于|不应?该|少)"
    r"(?:那么|这么|太|很|再|怎么|特别|觉得)?$"
)
# 开心的时候 and 开心果 name no feeling of now; 开心就好 is a wish for another.
_NOT_FELT = re.compile(
    r"^(?:的(?=[一-龥]{2})(?!很|不|要)|果|消消乐|就好|麻花|吗|与否|程度|症|指数|快乐|感$"
    r"|地|(?:能|可以)?(?:认识|见到|遇见|为你|和你|跟你|听到你)|你[的能总们])"
)
_GREETED = re.compile(
    r"(?:生日|节日|新年|中秋|圣诞|国庆|元旦|春节|节|对|关于)$|(?:[和跟]你|陪你)(?:聊天|说话|聊)"
)
# Thanks, and how good it is to talk, say nothing of the user's life.
_OF_CHAT = re.compile(
    r"[和跟与]你(?:聊|说话|在一起|对话|交流)|你(?:这么|这样|的(?:话|建议|分享|帮助|陪伴|鼓励|支持|回答))|(?:认识|见到|听到|遇到|感谢|谢谢|感激)(?:了)?你"
    r"|(?:建议|推荐|方法|分享)[^,]{0,6}(?:实用|有用|不错|很好|有帮助)|让人|令人|使人|总是让|总会让|总能让"
)
_THANKS = re.compile(r"感激|感谢|感恩")
_TITLE = re.compile(r"《[^》]*》")
# 闻着就难受: every time, not now.
_EVERY_TIME = re.compile(
    r"[闻吃看听喝]着?就(?:更|很|特别)?$|一(?!直|定|共|起|下子).{1,4}?就(?:更|会|很|特别|觉得)*$|(?:能|会|可以)[让令使]我(?:很|特别|更)?$"
    r"|(?:一天|一顿|几天|两天|三天)不[吃喝看玩听见].{0,3}$|(?:[吃喝看玩听]完|[吃喝看玩听]了).{0,4}(?:就|个人|人就|都会)$|每次.{0,8}$|^[^我]*也$|(?:喜欢|讨厌|爱[吃看听])[^,]*$"
)
# 嗓子难受 and 手裂开 are of the body; 心 is not.
_OF_BODY = re.compile(
    r"(?:嗓子|喉咙|眼睛?|耳朵|鼻子|胃|肚子?|腰|背|肩膀?|脖子|颈椎|膝盖|[手脚腿]|皮肤|牙|头|身体|身上|屁股|关节)"
    r"(?:还是|还|有点|有些|真|好|很|特别|都|也|就|又)*$"
)
# 冷气坏了 is no anger.
_NOT_ANGER = tuple("冷暖空煤天氧蒸脾福运客力手电燃")
_ALSO_BODILY = frozenset(("难受", "不舒服", "裂开", "崩了", "不爽", "疲惫", "疲倦"))
_DISBELIEVED = re.compile(r"^(?:个?(?:鬼|屁|毛|锤子|头)|什么|啥|毛线)")
_NEVER_VAGUE = frozenset(
    (
        "想家",
        "想哭",
        "委屈",
        "难过",
        "伤心",
        "孤单",
        "孤独",
        "内疚",
        "愧疚",
        "自责",
        "后悔",
        "心酸",
    )
)
_FAINT_SIGN = re.compile(r"有点|有些|一些|一点")
_FAINT = re.compile(
    r"我|自己|今天|现在|最近|也|真的?|的|是|感觉|感到|觉得|心情|有点儿?|有些|一些|一点|儿|[,，。!！~…、\s]|[了呢啊呀吧和]|意乱|恼"
)
_MAKES_ME = re.compile("(?:这|也|都)?(?:让|使|令|搞得|弄得)我")
_REASON = re.compile(r"因为|由于|毕竟|怕|担心")
# 闺女哭着要爸爸，心酸: said bare, these are felt by who speaks.
_SPEAKERS = re.compile(
    r"(?:好|真|太|有点|很|看着|看得我|听得我|我)*(?:心酸|心凉|心塞|心累|揪心|心疼|扎心|欣慰|无语|气人|窝火|来气|泪目|(?:心里|心头)(?:有点|有些|好|很|真)?(?:虚|堵|慌|酸|乱|痛|闷))(?:了|啊|死了|死我了|得不行)?"
)
_GREETING = re.compile(
    r"(?:[这那]?(?:个主意|些)?听起来|你好|嗨|嘿|哈喽|hi|hello|早上好|晚上好|朋友|亲爱的|ai)"
)
_AND = re.compile(r"[和与或、又]$")
_ABOUT_ME = re.compile(
    r"(?:让|把|害|气死|吓死|吓到|笑死|惹|令|搞得?|弄得?|叫)我|想起|想到|一想|看着|我(?:好|很|真|也|都|就|的心)"
)


def find(
    readings: Sequence[Reading], *, taken: Collection[int] = ()
) -> Iterator[Draft]:
    """Find the feelings of a message, one for each sign.

    `taken` are clauses that hold facts of their own; they are not told as a cause.
    """
    signs: set[int] = set()
    for place, reading in enumerate(readings):
        if place and _is_of_others(readings[place - 1], reading):
            continue
        is_thanks = place > 0 and _is_of_chat(readings[place - 1], reading)
        for word, sign in _feelings(reading):
            if is_thanks and sign > 0:
                continue
            text = _with_cause(readings, place, taken)
            if sign in signs or _is_vague(text, word):
                continue
            signs.add(sign)
            yield Draft(
                kind="emotion",
                key="",
                value=word,
                polarity=sign,
                text=text,
                place=place,
                is_strong=word.startswith(STRONG),
            )


def _is_of_others(before: Reading, reading: Reading) -> bool:
    """Tell whether a clause only gives why others feel so: 爸妈又因为我…生气了."""
    same = before.clause.sentence == reading.clause.sentence
    is_cause = reading.clause.folded.startswith(("因为", "由于"))
    return same and is_cause and before.subject == THIRD


def _feelings(reading: Reading) -> Iterator[tuple[str, int]]:
    folded = reading.clause.folded
    if not reading.is_plain or reading.is_past or reading.is_wished:
        return
    is_mine = _ABOUT_ME.search(folded) or _SPEAKERS.fullmatch(folded.strip(" ,"))
    if reading.subject in (SECOND, THIRD) and not is_mine:
        return
    if _OF_CHAT.search(folded):
        return
    # A taste is no mood, and 喜欢喜剧 holds no 欢喜.
    folded = _TITLE.sub("", folded).replace("喜欢", "  ")
    was_denied = False
    for match in _FEELING.finditer(folded):
        before, after = folded[: match.start()], folded[match.end() :]
        is_joined = was_denied and _AND.search(before)
        was_denied = bool(is_joined or _DENIED.search(before))
        if was_denied or _is_no_mood(before) or _is_unfelt(match[0], before, after):
            continue
        if _THANKS.match(match[0]) and not _ABOUT_ME.search(before):
            continue
        yield match[0], _SIGNS[match[0]]
    for pattern, sign in ((_GLADNESS, 1), (_DREAD, -1)):
        told = pattern.search(folded)
        if told and not _EVERY_TIME.search(folded[: told.start()]):
            yield told[0], sign


def _is_no_mood(before: str) -> bool:
    return bool(_GREETED.search(before) or _EVERY_TIME.search(before))


def _is_unfelt(word: str, before: str, after: str) -> bool:
    """Tell whether what stands around a word makes it no feeling of now."""
    if _NOT_FELT.match(after) or _DISBELIEVED.match(after):
        return True
    if word.startswith("气") and before.endswith(_NOT_ANGER):
        return True
    if word == "哭了" and before.endswith(("看", "听", "笑", "说", "唱")):
        return True
    return word in _ALSO_BODILY and _OF_BODY.search(before) is not None


def _is_of_chat(before: Reading, reading: Reading) -> bool:
    """Tell whether a feeling is thanks for the talk: 有你的陪伴，我很幸福."""
    same = before.clause.sentence == reading.clause.sentence
    return same and _OF_CHAT.search(before.clause.folded) is not None


def _is_vague(text: str, word: str) -> bool:
    """Tell whether a faint feeling is told with nothing about it: 有点困惑."""
    if word.startswith("压力") or word in _NEVER_VAGUE:
        return False
    rest = _FAINT.sub("", text.replace(word, ""))
    return _FAINT_SIGN.search(text) is not None and len(rest) < 2


def _with_cause(readings: Sequence[Reading], place: int, taken: Collection[int]) -> str:
    """Give the clause, and before a short one what led to it in the sentence."""
    clause = readings[place].clause
    first = place
    is_short = len(clause.folded.strip()) <= SHORT_CLAUSE_CHARS
    if is_short or _MAKES_ME.match(clause.folded):
        while first > max(0, place - MAX_CAUSES) and _is_cause(
            readings[first - 1], clause.sentence
        ):
            if first - 1 in taken:
                break
            first -= 1
    last = place + 1
    if last < len(readings) and _is_reason(readings[last], clause.sentence):
        last += 1
    return statement(*readings[first:last])


def _is_reason(reading: Reading, sentence: int) -> bool:
    same = reading.clause.sentence == sentence
    return (
        same and reading.is_plain and _REASON.match(reading.clause.folded) is not None
    )


def _is_cause(reading: Reading, sentence: int) -> bool:
    same = reading.clause.sentence == sentence
    is_greeting = _GREETING.match(reading.clause.folded)
    return same and reading.is_plain and not is_greeting
