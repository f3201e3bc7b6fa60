"""Slots: what is one thing under two names, and what only looks alike."""

from datetime import date

import pytest

from memories.slots import core_span, favourite_key, find_category, has_slot, slot_key

SATURDAY = date(2026, 3, 21)

SAME_THING = [
    ("preference", "吃香菜", "芫荽"),
    ("preference", "香菜了", "香菜"),
    ("preference", "小貓咪", "猫"),
    ("preference", "喝咖啡", "Coffee"),
    ("preference", "下雨", "下雨天"),
    ("preference", "Ｃ罗", "C羅"),
    ("preference", "看電影", "电影"),
    ("taboo", "打雷", "雷聲"),
    ("taboo", "小强", "蟑螂"),
]

OTHER_THING = [
    ("preference", "猫", "狗"),
    ("preference", "红茶", "绿茶"),
    ("preference", "两个人", "个人空间"),
    ("preference", "邓紫棋", "周杰伦"),
    ("taboo", "打针", "打雷"),
]


@pytest.mark.parametrize(("kind", "one", "other"), SAME_THING)
def test_it_gives_two_names_of_one_thing_one_key(
    kind: str, one: str, other: str
) -> None:
    assert slot_key(kind=kind, about=one) == slot_key(kind=kind, about=other)


@pytest.mark.parametrize(("kind", "one", "other"), OTHER_THING)
def test_it_keeps_different_things_apart(kind: str, one: str, other: str) -> None:
    assert slot_key(kind=kind, about=one) != slot_key(kind=kind, about=other)


@pytest.mark.parametrize("kind", ["emotion", "event", "topic", "note"])
def test_it_gives_no_slot_to_what_accumulates(kind: str) -> None:
    assert not has_slot(kind)
    assert slot_key(kind=kind, about="猫") == ""


def test_it_has_one_slot_for_an_attribute_whatever_its_value() -> None:
    keys = {slot_key(kind="fact", about="city") for _ in ("上海", "上海浦东")}

    assert keys == {"city"}


def test_it_has_one_slot_for_each_species_of_pet() -> None:
    animals = ("橘猫", "小猫", "柯基", "仓鼠")

    keys = [slot_key(kind="fact", about="pet", value=animal) for animal in animals]

    assert keys == ["pet:猫", "pet:猫", "pet:狗", "pet:仓鼠"]


@pytest.mark.parametrize(
    "words", ["看电影", "我们一起看电影吧", "约好了去看电影", "记得看电影哦"]
)
def test_it_knows_one_appointment_told_in_many_ways(words: str) -> None:
    key = slot_key(kind="commitment", about=words, due_date=SATURDAY)

    assert key == "看电影|2026-03-21"


def test_it_keeps_appointments_of_two_days_apart() -> None:
    days = (SATURDAY, date(2026, 3, 28), None)

    keys = {slot_key(kind="commitment", about="看电影", due_date=day) for day in days}

    assert len(keys) == 3


def test_it_has_one_favourite_for_each_kind_of_thing() -> None:
    assert favourite_key("足球明星") == favourite_key("球星") == "最喜欢的球星"
    assert favourite_key("电影") != favourite_key("歌手")


@pytest.mark.parametrize(
    ("name", "category"),
    [("C罗", "球星"), ("林俊杰", "歌手"), ("绿色", "颜色"), ("隔壁老王", None)],
)
def test_it_knows_what_famous_things_are(name: str, category: str | None) -> None:
    assert find_category(name) == category


def test_it_finds_the_thing_inside_its_words() -> None:
    words = "吃一点点香菜了"

    begin, finish = core_span(words)

    assert words[begin:finish].endswith("香菜")


def test_it_keeps_keys_within_the_column() -> None:
    long = "很长" * 500

    keys = [
        slot_key(kind="preference", about=long),
        slot_key(kind="fact", about="skill", value=long),
        slot_key(kind="commitment", about=long, due_date=SATURDAY),
    ]

    assert max(map(len, keys)) <= 200
    assert keys[2].endswith("|2026-03-21")


@pytest.mark.parametrize("about", ["的", "了", "！", " ", "吃"])
def test_it_never_leaves_a_slotted_kind_without_a_key(about: str) -> None:
    assert slot_key(kind="preference", about=about) != ""
