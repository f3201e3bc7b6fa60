"""How people write in chat: emoji among the words, names of their own, long messages.

And what a persona says out of kindness, which binds it to nothing.
"""

import pytest

from tests.memories.extraction.test_rules import facts_of


@pytest.mark.parametrize(
    ("said", "key", "text"),
    [
        ("我对🥜花生过敏🚫", "花生", "我对花生过敏"),
        ("我对花生🥜过敏", "花生", "我对花生过敏"),
        ("我超爱吃🍓", "草莓", "我超爱吃草莓"),
        ("我喜欢🍓草莓", "草莓", "我喜欢草莓"),
        ("我住在🏖️三亚", "city", "我住在三亚"),
        ("我养了一只🐱，叫团子", "pet:猫", "我养了一只猫，叫团子"),
        ("❤️我喜欢下雪天", "下雪天", "我喜欢下雪天"),
        ("好累😭我对虾过敏", "虾", "我对虾过敏"),
    ],
)
def test_it_reads_what_an_emoji_stands_for(said: str, key: str, text: str) -> None:
    (fact,) = [one for one in facts_of(said) if one.kind != "emotion"]

    assert (fact.key, fact.text) == (key, text)


def test_it_ends_a_clause_at_a_face_and_at_what_closes_it() -> None:
    facts = facts_of("我喜欢猫🐱讨厌狗🐶", "我到家了🏠明天去爬山⛰️")

    told = {fact.key.partition("|")[0] for fact in facts}
    assert {"猫", "爬山"} <= told


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("我叫阿澈", "阿澈"),
        ("我叫小满", "小满"),
        ("大家都叫我阿澈", "阿澈"),
        ("我的名字叫阿澈", "阿澈"),
        ("你好，我叫团子", "团子"),
        ("我叫七七，你呢", "七七"),
    ],
)
def test_it_remembers_what_to_call_the_user(said: str, name: str) -> None:
    (fact,) = facts_of(said)

    assert (fact.key, fact.value) == ("nickname", name)


@pytest.mark.parametrize(
    "said",
    ["我叫了外卖", "我叫车回家", "我叫他来的", "我叫不动他", "我叫阿姨帮忙", "我妈叫我吃饭",
     "我叫苦连天", "我叫大家来吃饭", "我叫什么名字"],
)  # fmt: skip
def test_it_takes_no_call_for_a_name(said: str) -> None:
    assert [one for one in facts_of(said) if one.key == "nickname"] == []


@pytest.mark.parametrize("length", [3990, 4100, 7900, 20_000])
def test_it_reads_a_long_message_to_its_end(length: int) -> None:
    said = ("今天" + "天气很好我们去公园玩。" * (length // 10))[:length]

    facts = facts_of(f"{said}我对芒果过敏。")

    assert "芒果" in {fact.key for fact in facts}


@pytest.mark.parametrize(
    "line",
    ["祝你今天一天愉快", "随时为你效劳", "我相信它们一定会给你带来快乐",
     "很高兴我能给你带来一些灵感", "期待下次和你的聊天", "我们明天再继续聊天吧，祝你晚安",
     "我觉得明天的展览会给你带来惊喜", "再次祝你明天考试顺利"],
)  # fmt: skip
def test_kind_words_of_the_persona_are_no_promise(line: str) -> None:
    assert facts_of("今天好累", f"ai:{line}") == []


@pytest.mark.parametrize(
    "line",
    [
        "我明天给你讲故事",
        "好，明晚八点我陪你连麦",
        "我保证下周给你写首诗",
        "我下周带你去看展",
    ],
)
def test_a_promise_for_a_day_is_one(line: str) -> None:
    (fact,) = facts_of("今天好累", f"ai:{line}")

    assert (fact.kind, fact.subject) == ("commitment", "persona")


@pytest.mark.parametrize("said", ["今天我去了一家新开的西餐厅", "周末逛了家新开的书店"])
def test_a_visit_is_no_job(said: str) -> None:
    assert "job" not in {fact.key for fact in facts_of(said)}
