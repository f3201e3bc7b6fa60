"""What users take back, put right, say again and only report, in their own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.extraction.rules import read_session
from memories.extraction.types import CandidateFact
from tests.memories.extraction.test_rules import day_of, facts_of, session_of

Line = tuple[str, ...]


def values_of(*lines: str) -> set[str]:
    facts = [one for one in facts_of(*lines) if one.kind != "emotion"]
    return {f"{one.value}{'' if one.polarity >= 0 else '-'}" for one in facts}


@pytest.mark.parametrize(
    ("lines", "values"),
    [
        (("我对牛奶过敏", "打错了，是对牛肉过敏"), {"牛肉-"}),
        (("我对牛奶过敏", "打错了，是牛肉"), {"牛肉-"}),
        (("我今年28", "啊不是，29"), {"29"}),
        (("我今年28", "ai:真年轻", "不对，29"), {"29"}),
        (("我喜欢蓝色", "不对，绿色"), {"绿色"}),
        (("我最讨厌榴莲", "打错了，菠萝蜜"), {"菠萝蜜-"}),
        (("我养了只狗", "是猫啦打错了"), {"猫"}),
        (("我住在上海", "说错了，苏州"), {"苏州"}),
        (("我老家是湖南的", "口误，是湖北"), {"湖北"}),
        (("我超喜欢周杰伦", "ai:真的吗", "假的哈哈哈"), set()),
        (("我是护士", "骗你的"), set()),
        (("我喜欢蓝色", "不对，我没带钥匙"), {"蓝色"}),
        (("我喜欢蓝色", "不对，先吃饭"), {"蓝色"}),
    ],
)
def test_it_puts_right_what_the_next_message_corrects(
    lines: Line, values: set[str]
) -> None:
    assert values_of(*lines) == values


@pytest.mark.parametrize(
    ("lines", "text", "day"),
    [
        (("下周三去成都出差", "说错了，是重庆"), "下周三去重庆出差", "2026-04-22"),
        (("周五要去面试", "改到下周一了"), "下周一要去面试", "2026-04-20"),
        (
            ("周五要去面试", "ai:加油", "面试改到下周一了"),
            "下周一要去面试",
            "2026-04-20",
        ),
        (("后天考科目二", "延期了，改成下周五"), "下周五考科目二", "2026-04-24"),
        (("我下周末去杭州", "推到月底了"), "我月底去杭州", None),
        (("周五要去面试", "哦不是周五，是周四"), "周四要去面试", None),
    ],
)
def test_it_moves_a_plan_within_a_session(
    lines: Line, text: str, day: str | None
) -> None:
    (plan,) = facts_of(*lines)

    assert plan.text == text
    assert day is None or day_of(plan) == day


@pytest.mark.parametrize(
    "lines",
    [
        ("周日跟朋友去露营", "下雨，不去了"),
        ("周日跟朋友去露营", "算了不去了"),
        ("周日跟朋友去露营", "ai:好呀", "露营取消了，下雨"),
        ("明天要去爬山", "ai:几点", "不爬了，太累"),
        ("下周六我要去看话剧", "话剧票退了，不看了"),
        ("明天约了看牙", "ai:疼吗", "明天不去了"),
    ],
)
def test_it_drops_a_plan_that_is_called_off_within_a_session(lines: Line) -> None:
    assert [fact for fact in facts_of(*lines) if fact.kind == "commitment"] == []


@pytest.mark.parametrize(
    "lines",
    [
        ("周日跟朋友去露营", "这家店不去了"),
        ("周日跟朋友去露营", "ai:好呀", "我不看电视了"),
        ("周日跟朋友去露营", "ai:好呀", "今天好累", "刚下班", "食堂关门，不去了"),
        ("周日跟朋友去露营", "你不去了吗"),
    ],
)
def test_it_keeps_a_plan_when_something_else_is_called_off(lines: Line) -> None:
    kept = [fact for fact in facts_of(*lines) if fact.kind == "commitment"]

    assert [fact.text for fact in kept] == ["周日跟朋友去露营"]


@pytest.mark.parametrize(
    "said",
    [
        "小红说：我怕狗", "室友：我对花粉过敏 你信吗", "我爸发消息：我明天去北京",
        "我妈：我不吃剩菜", "弟弟发朋友圈：我结婚了！", "转发：我养了三只猫，求领养",
        "原文是这样的：我是一名护士", "看到一个帖子说：我离婚了，带着俩娃",
        "歌词是这样的，我在北京上班", "客服回我：我不吃香菜", "网友评论：我住在上海",
        "游戏里我是法师", "我在梦里养了条龙", "我骗他说我怀孕了", "比如说我喜欢吃鱼",
        "我以为我对芒果过敏，去查了没有", "翻译一下：I like cats 就是我喜欢猫的意思",
        "剧本里我的台词是我恨你", "我演的角色是个医生", "我跟老板撒谎说我家里有事",
        "不喜欢是不可能的", "不是我不吃，是我女朋友不吃葱", "我可不像你，喜欢熬夜",
        "家里有个弟弟，今年上高二", "你上次说我对芒果过敏", "今天吃吐了",
    ],
)  # fmt: skip
def test_it_takes_no_words_of_others_for_the_users(said: str) -> None:
    """Acceptance rows 72 to 74."""
    facts = [fact for fact in facts_of(said) if fact.kind not in ("event", "emotion")]

    assert [fact for fact in facts if not fact.key.startswith("family")] == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("刚说过对芒果过敏", "对芒果过敏"),
        ("我刚说过对芒果过敏", "对芒果过敏"),
        ("之前说过我对芒果过敏的", "我对芒果过敏的"),
        ("跟你说过我对芒果过敏", "我对芒果过敏"),
        ("我告诉过你我对芒果过敏", "我对芒果过敏"),
        ("芒果过敏", "芒果过敏"),
        ("备注：我对芒果过敏", "我对芒果过敏"),
    ],
)
def test_it_reads_what_the_user_says_once_more(said: str, text: str) -> None:
    (fact,) = facts_of(said)

    assert (fact.kind, fact.key, fact.text) == ("taboo", "芒果", text)


@pytest.mark.parametrize("said", ["我这人恐高", "我乳糖不耐受", "蓝色才是本命"])
def test_it_says_one_statement_once(said: str) -> None:
    """Acceptance row 60."""
    assert len(facts_of(said)) == 1


def endings_of(*lines: str) -> list[CandidateFact]:
    return read_session(session_of(*lines), time_zone="Asia/Shanghai").endings


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("北京出差取消了", "北京出差|"),
        ("我不去北京出差了", "北京出差|"),
        ("12月20号的北京出差取消了", "北京出差|2026-12-20"),
        ("那个面试黄了", "面试|"),
        ("体检改期了", "体检|"),
    ],
)
def test_it_tells_other_sessions_what_is_off(said: str, key: str) -> None:
    (ending,) = endings_of(said)

    assert facts_of(said) == []
    assert (ending.key, ending.polarity) == (key, -1)


@pytest.mark.parametrize(
    "said",
    ["北京出差取消了吗", "如果下雨露营就取消了", "昨天的演唱会取消了", "你不去北京出差了",
     "我再也不吃火锅了", "算了", "不去了"],
)  # fmt: skip
def test_it_ends_no_plan_by_other_words(said: str) -> None:
    assert [one for one in endings_of(said) if one.kind == "commitment"] == []


@given(
    st.text("我你他不去了取消改到周六号12北京出差戒能吃辣从离职，。！？ ", max_size=40)
)
def test_it_never_ends_what_cannot_be_stored(said: str) -> None:
    for ending in endings_of("周六去北京出差", said):
        assert ending.text.strip()
        assert ending.key
        assert len(ending.key) <= 200
        assert len(ending.value) <= 500


def test_a_denied_sentence_tells_nothing_else_either() -> None:
    facts = facts_of("我在医院做护士", "不是护士，我是兽医")

    assert [(fact.key, fact.value) for fact in facts] == [("job", "兽医")]
