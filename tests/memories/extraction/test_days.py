"""What users tell of their days: doings, aims, answers and opinions.

All is sent on Wednesday 2026-04-15 at 20:00 in Shanghai.
"""

import time

import pytest

from memories.slots import normalise
from tests.memories.extraction.test_rules import day_of, facts_of, slots_of

# What was said, kind, what the text must hold, the day it is dated to or "".
TOLD = [
    ("我去看了民谣歌手的专场，特别过瘾", "event", ("民谣", "过瘾"), "2026-04-15"),
    ("我去的是南山植物园，看到了一大片郁金香", "event", ("南山", "郁金香"), ""),
    ("昨天我们看了敦煌壁画展览，很开眼", "event", ("敦煌", "开眼"), "2026-04-14"),
    ("我最近在看一本叫做《边城》的书", "event", ("边城",), ""),
    ("我最近在准备一场很重要的路演", "event", ("路演",), ""),
    ("这几天我在整理旧书架", "event", ("旧书架",), ""),
    ("今天我做了一道糖醋里脊，味道不错", "event", ("糖醋里脊", "味道"), "2026-04-15"),
    ("路上一个陌生的大叔帮助了我", "event", ("大叔",), ""),
    ("我想去海边学冲浪", "fact", ("冲浪",), ""),
    ("我打算转行做摄影", "fact", ("摄影",), ""),
    ("下周六我想去看画展", "fact", ("画展",), "2026-04-25"),
    ("明天晚上我想去听音乐会，你呢", "fact", ("音乐会",), "2026-04-16"),
    ("我想明年去冰岛旅行", "fact", ("冰岛",), ""),
    ("我打算明年考研", "commitment", ("考研",), "2027-01-01"),
    ("我们打算国庆办婚礼", "commitment", ("婚礼",), ""),
    ("我一般周末会去骑车", "fact", ("骑车",), ""),
    ("我最近总是失眠", "fact", ("失眠",), ""),
    ("我最近在准备托福", "fact", ("托福",), ""),
    ("我最喜欢的是《听海的话》", "preference", ("听海的话",), ""),
    ("我喜欢听音乐，尤其是巴萨诺瓦", "preference", ("巴萨诺瓦",), ""),
    ("这部剧讲的是一个小镇上的三代人，很温情", "topic", ("三代人", "温情"), ""),
    ("我觉得最感人的地方是母女和好那段", "topic", ("母女",), ""),
]

NOT_TOLD = [
    "很高兴认识你",
    "这些建议非常实用，我很感激",
    "和你聊天我学到了很多有用的知识",
    "谢谢，有你的陪伴，我感到很幸福",
    "我有点困惑",
    "我会去看看这些电影的",
    "今天我想请教你一个问题",
    "我妹妹去看了一场话剧",
    "听说他们去了西藏",
    "如果放假我就去学滑雪",
    "我爸希望我考公务员",
    "吃了碗面，洗了澡",
    "考完我就把书烧了",
    "去了也是被人围着问",
    "我每次看到虫子就想跑",
]

ANSWERS = [
    ("你最喜欢哪个景点？", "鼓浪屿吧", "preference", "最喜欢的景点：鼓浪屿"),
    ("你喜欢吃什么菜？", "川菜和粤菜吧", "preference", "喜欢吃的菜：川菜和粤菜"),
    ("那你最喜欢的歌手是谁呢？", "李健！", "preference", "最喜欢的歌手：李健"),
    ("你喜欢猫吗？", "喜欢啊，特别是橘猫", "preference", "喜欢猫，特别是橘猫"),
    ("你怕狗吗？", "怕，小时候被追过", "taboo", "怕狗，小时候被追过"),
    ("周末去哪玩了？", "苏州，逛了园林", "event", "去：苏州，逛了园林"),
]


@pytest.mark.parametrize(("said", "kind", "words", "day"), TOLD)
def test_it_remembers_what_the_user_tells(
    said: str, kind: str, words: tuple[str, ...], day: str
) -> None:
    found = [fact for fact in facts_of(said) if fact.kind == kind]

    assert any(all(word in fact.text for word in words) for fact in found)
    assert not day or day in {day_of(fact) for fact in found}


@pytest.mark.parametrize("said", NOT_TOLD)
def test_it_leaves_talk_without_content(said: str) -> None:
    assert facts_of(said) == []


@pytest.mark.parametrize(("asked", "answer", "kind", "text"), ANSWERS)
def test_it_reads_a_short_answer_with_its_question(
    asked: str, answer: str, kind: str, text: str
) -> None:
    facts = facts_of(f"ai:{asked}", answer)

    assert {(fact.kind, fact.text) for fact in facts} == {(kind, text)}
    assert all([evidence.int for evidence in f.evidence] == [1] for f in facts)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("你最喜欢哪个景点？", "还没想好"),
        ("你喜欢什么？", "你猜"),
        ("你怕狗吗？", "不怕"),
        ("他学什么的？", "学计算机的"),
        ("你妈妈做什么工作？", "护士"),
        ("你喜欢我吗？", "喜欢"),
    ],
)
def test_it_takes_no_evasion_for_an_answer(asked: str, answer: str) -> None:
    assert facts_of(f"ai:{asked}", answer) == []


def test_it_reads_an_answer_only_right_after_its_question() -> None:
    assert facts_of("ai:你最喜欢哪个景点？", "等一下哈", "鼓浪屿") == []


def test_it_keeps_the_steps_that_answer_how() -> None:
    [fact] = facts_of("ai:你是怎么做的？", "先把鱼洗净，再抹上盐，最后上锅蒸十分钟")

    assert (fact.kind, "最后上锅蒸" in fact.text) == ("topic", True)


class TestChangesOfMind:
    def test_it_closes_a_favourite_that_is_liked_no_more(self) -> None:
        facts = facts_of("我最喜欢的球星是梅西", "不喜欢梅西了")

        assert [fact.polarity for fact in facts] == [1, -1]
        assert len(set(slots_of(facts))) == 1

    def test_it_leaves_another_favourite_open(self) -> None:
        facts = facts_of("我最喜欢的球星是C罗", "不喜欢梅西了")

        assert len(set(slots_of(facts))) == 2

    @pytest.mark.parametrize(
        ("before", "after"),
        [("我怕狗", "现在不怕狗了"), ("我对花生过敏", "我对花生不过敏了")],
    )
    def test_it_closes_a_taboo_that_is_overcome(self, before: str, after: str) -> None:
        facts = facts_of(before, after)

        assert [fact.polarity for fact in facts] == [-1, 1]
        assert len(set(slots_of(facts))) == 1

    def test_it_moves_and_drops_a_dated_wish(self) -> None:
        wish = "下周六我想去看画展"

        moved = facts_of(wish, "不对，是下周日")
        dropped = facts_of(wish, "画展不去了")

        assert [fact.key for fact in moved] == ["aim:画展"]
        assert [fact.due_at and fact.due_at.day for fact in moved] == [26]
        assert dropped == []

    def test_it_keeps_all_the_days_that_are_meant(self) -> None:
        (trip,) = facts_of("我下个月要去日本")
        (film,) = facts_of("下周六晚上我要去看电影")

        assert trip.due_at is not None
        assert trip.due_until is not None
        assert f"{trip.due_at:%m-%d} {trip.due_until:%m-%d}" == "05-01 06-01"
        assert film.due_until is None

    @pytest.mark.parametrize("said", ["不对，是周六", "说错了，周六"])
    def test_it_moves_an_appointment_to_the_day_of_a_bare_correction(
        self, said: str
    ) -> None:
        [fact] = facts_of("周五我要去面试", said)

        assert (day_of(fact), fact.key) == ("2026-04-18", "面试|2026-04-18")
        assert ("周五" in fact.text, len(fact.evidence)) == (False, 2)


def test_it_hears_no_feeling_across_two_words() -> None:
    found = facts_of("我喜欢喜剧和爱情片")

    assert {fact.kind for fact in found} == {"preference"}


def test_it_keeps_the_name_of_a_work_whole() -> None:
    assert normalise("《听妈妈的话》") == "听妈妈的话"
    assert [f.value for f in facts_of("我最喜欢的是《听妈妈的话》")] == [
        "《听妈妈的话》"
    ]


@pytest.mark.parametrize("unit", ["在", "和我去", "嗯嗯", "一般会去", "《", "最近在"])
def test_it_reads_a_hostile_line_in_no_time(unit: str) -> None:
    began = time.perf_counter()

    facts_of("ai:你喜欢吃什么？你怕狗吗？", (unit * 4000)[:4000])

    assert time.perf_counter() - began < 2
