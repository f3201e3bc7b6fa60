"""What users and personas of the rehearsal say, and what a good model makes of it.

Owns the sentences: attributes that change, tastes that turn, feelings and days that
pass, and talk that holds nothing. Each is plain enough for the rules to read, so that
what is true at the end does not depend on the model.

>>> say_attribute("city", "成都").text
'我现在住在成都，离公司有点远'
>>> state(say_attribute("city", "成都").text, number=3)["value"]
'成都'
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Under each key what kind of memory it is, the sentence, and the values it may take.
ATTRIBUTES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "city": (
        "fact",
        "我现在住在{}，离公司有点远",
        ("成都", "杭州", "广州", "武汉", "西安", "南京", "苏州", "厦门"),
    ),
    "job": (
        "fact",
        "我换工作了，现在是{}",
        ("护士", "司机", "会计", "厨师", "律师", "程序员", "设计师"),
    ),
    "最喜欢的歌手": (
        "preference",
        "我现在最喜欢的歌手是{}，歌单里全是",
        ("周杰伦", "林俊杰", "孙燕姿", "陈奕迅", "王菲"),
    ),
    "最喜欢的颜色": (
        "preference",
        "我现在最喜欢的颜色是{}，房间里都换了",
        ("蓝色", "绿色", "红色", "紫色", "黄色"),
    ),
}
FOODS = ("火锅", "寿司", "榴莲", "香菜", "苦瓜", "烤鸭", "螺蛳粉", "芒果", "臭豆腐")
TASTES: Mapping[int, str] = {
    1: "我喜欢吃{}，每周都要去一次",
    -1: "我现在不喜欢吃{}了，闻到就想走开",
}
PASSING = (
    "今天加班到十点，心里好难受",
    "面试通过了，我今天特别开心",
    "昨天我和同事去爬了青城山，腿都软了",
    "昨天我去医院陪了外婆一整天",
    "前天我把旧自行车卖掉了，有点舍不得",
    "今天被领导夸了，我好高兴",
    "明天我要去参加表姐的婚礼",
    "这周末我想去海边看日出",
    "最近一直在学吉他，手指都磨破了",
    "我养了一只猫叫团子，特别黏人",
)
TALK = (
    "今天的天气还不错，你那边怎么样呀",
    "路上堵了好久，终于到家了，先歇一会儿",
    "你说奇怪不奇怪，电梯又停了一个小时",
    "刚才外面放烟花，声音可大了",
    "我给你讲个事，你可别笑话我哦",
    "等我一下，水烧开了，马上回来",
)
TINY = ("嗯", "在吗", "好", "哈哈", "晚安")
GREETING = "我在听，会话编号{}"
REPLIES = (
    "原来是这样呀，然后呢",
    "听起来真不容易，抱抱你",
    "哈哈，你讲得好有画面",
    "嗯嗯，我听着呢",
    "那后来怎么样了呀",
    "慢慢说，不着急",
)


@dataclass(frozen=True)
class Saying:
    """A sentence, and what is true once it was said: nothing without a key."""

    text: str
    key: str = ""
    value: str = ""
    polarity: int = 1


def say_attribute(key: str, value: str) -> Saying:
    """Say what an attribute is now."""
    return Saying(ATTRIBUTES[key][1].format(value), key, value)


def say_taste(food: str, polarity: int) -> Saying:
    """Say that a food is liked, or no more."""
    return Saying(TASTES[polarity].format(food), food, food, polarity)


def state(text: str, *, number: int) -> Mapping[str, Any] | None:
    """Return what a good model states of a line with this number, if anything.

    >>> state("在吗", number=1) is None
    True
    """
    for key, (kind, sentence, _) in ATTRIBUTES.items():
        if value := _fill(sentence, text):
            return _stated(kind, about=key, value=value, text=text, number=number)
    for polarity, sentence in TASTES.items():
        if food := _fill(sentence, text):
            stated = _stated(
                "preference", about=food, value=food, text=text, number=number
            )
            return {**stated, "polarity": polarity}
    return None


def _fill(sentence: str, text: str) -> str:
    """Return what stands in the gap of a sentence, or ""."""
    before, after = map(re.escape, sentence.split("{}"))
    found = re.fullmatch(f"{before}(.+){after}", text)
    return found[1] if found else ""


def _stated(
    kind: str, *, about: str, value: str, text: str, number: int
) -> dict[str, Any]:
    return {
        "kind": kind,
        "subject": "user",
        "about": about,
        "value": value,
        "polarity": 1,
        "quote": text,
        "text": text,
        "messages": [number],
        "happened_on": None,
        "due_on": None,
        "importance": 0.6,
    }
