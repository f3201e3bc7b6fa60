"""Ways of telling that lean on the line before, on a dialect, or on a later word.

All is sent on Wednesday 2026-04-15 at 20:00 in Shanghai, one line a minute.
"""

import pytest

from tests.memories.extraction.test_rules import day_of, facts_of

# Lines of a chat, then what is made of them: kind, polarity, a word of it, its day.
TOLD = [
    # Near people who come are a date of the user's own.
    (["我妈妈下周三来看我"], "commitment", 1, "妈妈", "2026-04-22"),
    (["我妈说后天来看我"], "commitment", 1, "来看我", "2026-04-17"),
    # The day stands behind the plan, in the answer, or is left to the month before.
    (["打算去看我姐，28号的票"], "commitment", 1, "看我姐", "2026-04-28"),
    (["七月就能回国了，机票买的12号"], "commitment", 1, "回国", "2026-07-12"),
    (["ai:笔试什么时候？", "五月十四"], "commitment", 1, "笔试", "2026-05-14"),
    (["期末报告，下周三要交"], "commitment", 1, "期末报告", "2026-04-22"),
    (["下个月2号我弟结婚，得回趟南昌"], "commitment", 1, "南昌", "2026-05-02"),
    (["晚上准备和先生吃顿日料"], "commitment", 1, "日料", "2026-04-15"),
    (["上午把离婚证领了"], "event", 0, "离婚证", "2026-04-15"),
    (["今天下午开庭，赢了"], "event", 0, "赢了", "2026-04-15"),
    (["我把咖啡打翻在电脑上了"], "event", 0, "咖啡", ""),
    # What the body or a belief forbids is more than a dislike.
    (["韭菜我不吃，烧心"], "taboo", -1, "韭菜", ""),
    (["我不吃牛的，拜观音"], "taboo", -1, "牛", ""),
    (["以后别在我面前提“团队精神”四个字"], "taboo", -1, "团队精神", ""),
    (["膏药我过敏，一贴就起疙瘩"], "taboo", -1, "膏药", ""),
    # The thing comes first, or is the one just named.
    (["红酒倒是爱喝一点"], "preference", 1, "红酒", ""),
    (["跳舞能让我开心"], "preference", 1, "跳舞", ""),
    (["今天吃的是螺蛳粉，我现在最爱这个"], "preference", 1, "螺蛳粉", ""),
    (["ai:你更喜欢猫还是狗？", "猫吧"], "preference", 1, "猫", ""),
    (["不喜欢梅西了"], "preference", -1, "梅西", ""),
    (["我真的很烦她拿我跟别人比"], "preference", -1, "比", ""),
    # Dialects are read as what they mean and kept as they were said.
    (["额家在西安"], "fact", 1, "西安", ""),
    (["俺是送快递的"], "fact", 1, "快递", ""),
    (["我稀罕吃锅包肉"], "preference", 1, "稀罕", ""),
    (["我唔食得刺身"], "taboo", -1, "刺身", ""),
    (["我個女七歲，成日話要養狗"], "fact", 1, "七歲", ""),
    # Where it is done says nothing of who does it.
    (["我在重庆北碚教地理"], "fact", 1, "地理", ""),
    (["我女儿两岁半，叫糖糖"], "fact", 1, "糖糖", ""),
    (["闺女哭着要爸爸，心酸"], "emotion", -1, "心酸", ""),
]

SILENT = [
    ["ai:那你想去哪个行业？", "不知道啊"],
    ["ai:你喜欢什么颜色？", "说不上来"],
    ["ai:准备带她去哪玩？", "去外滩逛逛"],
    ["我可太喜欢开会了，一天五个会，爽死"],
    ["礼拜天没事就去河边坐一天"],
    ["他下个月结婚，爸妈又因为我没对象生气了"],
    ["冷气坏了"],
    ["期待个鬼"],
    ["可爱是可爱"],
    ["柏林今天终于出太阳"],
    ["不吃也行"],
    ["明早再吃"],
]


@pytest.mark.parametrize(("lines", "kind", "polarity", "word", "day"), TOLD)
def test_it_reads_how_people_tell_things(
    lines: list[str], kind: str, polarity: int, word: str, day: str
) -> None:
    found = [f for f in facts_of(*lines) if (f.kind, f.polarity) == (kind, polarity)]

    assert any(word in fact.text for fact in found)
    assert not day or day in {day_of(fact) for fact in found}
    assert {fact.subject for fact in found} == {"user"}


@pytest.mark.parametrize("lines", SILENT)
def test_it_makes_nothing_of_the_rest(lines: list[str]) -> None:
    assert facts_of(*lines) == []


PROMISES = [
    ("那天我给你唱生日歌", "2026-05-06"),
    ("那我提醒你带伞，前一天晚上喊你", "2026-05-05"),
    ("我五点半叫你起床", "2026-05-06"),
    ("到时候我陪你看成绩", "2026-05-06"),
    ("我帮你催稿，每天问一遍", ""),
    ("我给你寄老干妈", ""),
]


@pytest.mark.parametrize(("promise", "day"), PROMISES)
def test_it_dates_a_promise_by_the_plan_it_goes_with(promise: str, day: str) -> None:
    facts = facts_of("5月6号我要上台演出", f"ai:{promise}")

    promised = [fact for fact in facts if fact.subject == "persona"]

    assert [day_of(fact) for fact in promised] == [day]


@pytest.mark.parametrize("said", ["我陪你坐会儿", "海会等你的", "我等你的好消息"])
def test_it_takes_kind_words_for_no_promise(said: str) -> None:
    assert facts_of(f"ai:{said}") == []


def test_it_takes_back_what_turns_out_to_be_a_joke() -> None:
    facts = facts_of("我养了只老虎", "我对花生过敏", "哈哈骗你的")

    assert [fact.value for fact in facts if fact.kind == "taboo"] == []


def test_it_keeps_what_one_sentence_says_in_one_piece() -> None:
    facts = facts_of("我大三，学土木的")

    assert {fact.key for fact in facts} == {"grade", "major"}
    assert {fact.text for fact in facts} == {"我大三，学土木的"}
