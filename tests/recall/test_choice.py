"""The few: how many, from how many sessions, and each thing once."""

from datetime import timedelta
from uuid import UUID

import pytest

from recall.candidates import recall
from recall.choice import Statement
from recall.types import Policy, Question, View
from tests.factories.recall import NOW, ask, make_pack, make_row, recall_texts, texts


def says_the_same(one, other) -> bool:
    pack = make_pack([one, other])
    return Statement.of(pack, 0).says_the_same_as(Statement.of(pack, 1))


@pytest.mark.parametrize("top_k", [3, 5])
def test_it_takes_the_best_few(top_k: int):
    names = "红橙黄绿青蓝紫黑"
    rows = [make_row(f"{name}色的猫跑过院子", days_ago=1) for name in names]

    assert len(recall_texts(rows, "猫", policy=Policy(top_k=top_k))) == top_k


def test_it_takes_three_of_one_session_at_most():
    session = UUID(int=77)
    rows = [
        *(
            make_row(f"{name}的猫生病了", session=session, days_ago=1)
            for name in ("隔壁", "同事", "老板", "妹妹")
        ),
        make_row("很久以前在乡下外婆家院子里见过一只猫", days_ago=200),
    ]

    found = recall_texts(rows, "猫生病了")

    assert len(found) == 4
    assert "很久以前在乡下外婆家院子里见过一只猫" in found
    assert len(recall_texts(rows, "猫生病了", policy=Policy(per_session=None))) == 5


def test_it_counts_rows_of_no_session_apart():
    rows = [
        make_row(f"{name}的猫", session=None)
        for name in ("隔壁", "同事", "老板", "妹妹")
    ]

    assert len(recall_texts(rows, "猫")) == 4


def test_it_tells_each_thing_once():
    """Acceptance row 60."""
    rows = [
        make_row("我养了一只猫叫团子", days_ago=9),
        make_row("我养了一只猫叫团子", days_ago=5),
        make_row("我养了一只猫，叫团子啊", days_ago=2),
        make_row("邻居也有猫", days_ago=2),
    ]

    found = recall_texts(rows, "猫")

    assert len(found) == 2
    assert "邻居也有猫" in found


def test_it_does_not_tell_again_what_is_pinned():
    """Acceptance row 60."""
    rows = [
        make_row("我对芒果过敏", kind="taboo", days_ago=9),
        make_row("我对芒果过敏", kind="event", days_ago=2),
    ]

    found = ask(rows, "芒果")

    assert texts(found.pins.taboos) == ["我对芒果过敏"]
    assert found.hits == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("周五下午三点和小美去看新上映的电影", "周六下午三点和小美去看新上映的电影"),
        ("周末和阿杰一起去城西的公园里放风筝", "周末和阿强一起去城西的公园里放风筝"),
        ("我喜欢在下雨天一个人去海边散步", "我不喜欢在下雨天一个人去海边散步"),
        ("体检说血压是130有一点偏高要注意休息", "体检说血压是150有一点偏高要注意休息"),
        ("公司搬到了城西软件园十号楼的第12层", "公司搬到了城西软件园十号楼的第2层"),
        ("公司搬到了城西软件园十号楼的第12层", "公司搬到了城西软件园十号楼的第21层"),
        ("我养了一只猫叫团子", "我养了一只猫叫团子和一只狗叫年糕"),
    ],
)
def test_it_keeps_two_that_differ_in_what_they_say(one: str, other: str):
    assert not says_the_same(make_row(one), make_row(other))
    assert not says_the_same(make_row(other), make_row(one))


def test_it_keeps_the_same_words_apart_when_they_mean_another():
    row = {"text": "我喜欢香菜"}
    plain = make_row(**row, polarity=1)

    assert says_the_same(plain, make_row(**row, days_ago=90))
    assert says_the_same(plain, make_row(**row, polarity=0))
    assert not says_the_same(plain, make_row(**row, polarity=-1))
    assert not says_the_same(plain, make_row(**row, subject="persona"))
    assert not says_the_same(plain, make_row(**row, due_at=NOW + timedelta(days=1)))


def test_it_takes_one_sentence_once_that_says_two_things():
    """Acceptance row 60."""
    fear = make_row("我这人恐高", kind="taboo", key="高", polarity=-1)
    trait = make_row("我这人恐高", kind="fact", key="trait:恐高", polarity=1)

    assert says_the_same(fear, trait)


def test_it_takes_what_matches_nothing_only_when_told_to():
    rows = [make_row("在学吉他", days_ago=2), make_row("周末去爬山", days_ago=1)]

    assert recall_texts(rows, "螃蟹") == []
    assert recall_texts(rows, "螃蟹", policy=Policy(fill=True)) == [
        "周末去爬山",
        "在学吉他",
    ]


def test_it_answers_a_blank_question_with_what_is_recent():
    rows = [make_row("在学吉他", days_ago=2), make_row("周末去爬山", days_ago=1)]

    hits = recall(make_pack(rows), Question(), view=View(now=NOW)).hits

    assert texts(hits) == ["周末去爬山", "在学吉他"]
