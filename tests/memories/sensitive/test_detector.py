"""What is sensitive, by the labelled sentences and by table."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from memories.sensitive.detector import find_category
from memories.sensitive.table import load_table

HERE = Path(__file__).parent
LISTS = ("sentences.jsonl", "further.jsonl")


def read(name: str) -> list[dict[str, Any]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def find(text: str, kind: str = "note", dimension: str = "other") -> str | None:
    return find_category(text, kind=kind, dimension=dimension)


@pytest.mark.parametrize("name", LISTS)
class TestTheLabelledSentences:
    def test_it_misses_few_sensitive_ones(self, name: str) -> None:
        meant = [row for row in read(name) if row["category"] is not None]

        missed = [row["text"] for row in meant if find(row["text"]) is None]

        assert len(missed) <= 0.01 * len(meant), missed

    def test_it_takes_few_others_for_sensitive(self, name: str) -> None:
        others = [row["text"] for row in read(name) if row["category"] is None]

        wrong = [text for text in others if find(text) is not None]

        assert len(wrong) <= 0.01 * len(others), wrong

    def test_it_names_the_category(self, name: str) -> None:
        meant = [row for row in read(name) if row["category"] is not None]

        other = [row for row in meant if find(row["text"]) != row["category"]]

        assert len(other) <= 0.02 * len(meant), other

    def test_it_has_sentences_of_each_category(self, name: str) -> None:
        labels = [row["category"] for row in read(name)]

        counts = {code: labels.count(code) for code in load_table().codes}

        assert min(counts.values()) >= 15
        assert labels.count(None) >= 100


@pytest.mark.parametrize(
    "text",
    [
        "我对花生过敏",
        "我對海鮮過敏，食咗會起疹",
        "我不吃猪肉",
        "我吃素",
        "我乳糖不耐受，喝不了牛奶",
        "我酒精过敏",
        "用户不吃香菜",
    ],
)
@pytest.mark.parametrize(("kind", "dimension"), [("taboo", "taboo"), ("note", "other")])
def test_it_keeps_what_one_does_not_eat(text: str, kind: str, dimension: str) -> None:
    assert find(text, kind, dimension) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("这部电影讲抑郁症", None),
        ("看了部电影才发现自己得了抑郁症", "mental_health"),
        ("《抑郁症》我看完了", None),
        ("抑郁症能治好吗？", None),
        ("我是不是得了抑郁症？", "mental_health"),
        ("如果我得了癌症怎么办", None),
        ("没想到得了癌症", "diagnosis"),
        ("医生说不是癌症", None),
        ("我没有抑郁症", None),
        ("我不信教", "religion"),
        ("我是精神科护士", None),
        ("我在看精神科", "mental_health"),
        ("我妈信佛", "religion"),
        ("我朋友得了抑郁症", "mental_health"),
        ("我家猫得了肾病", None),
        ("我家住在[地址]", None),
        ("爸住院了", None),
    ],
)
def test_it_asks_of_whom_it_is_said_and_whether_it_is_meant(
    text: str, code: str | None
) -> None:
    assert find(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "我得了抑鬱症",
        "我得了抑*郁*症",
        "我得了 抑 郁 症",
        "我得了抑\u200b郁症",
        "我患咗抑鬱症",
        "我有ＰＴＳＤ",
    ],
)
def test_it_reads_other_spellings(text: str) -> None:
    assert find(text) == "mental_health"


@pytest.mark.parametrize(
    ("kind", "dimension"), [("topic", "other"), ("preference", "topic")]
)
def test_a_topic_is_not_what_the_user_has(kind: str, dimension: str) -> None:
    assert find("抑郁症", kind, dimension) is None
    assert find("抑郁症") == "mental_health"
    assert find("我有抑郁症", kind, dimension) == "mental_health"


@pytest.mark.parametrize("text", ["", "\0", "，。", "\ud800", "😀" * 50])
def test_it_finds_nothing_in_nothing(text: str) -> None:
    assert find(text) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["我得了", "抑 郁 ", "住在一家", "我家女儿", "(", "，"]
)
def test_its_cost_grows_with_the_text_alone(text: str) -> None:
    """Ten times the text may cost some thirty times the time, never a hundred."""

    def seconds(length: int) -> float:
        hostile = (text * length)[:length]
        begun = time.perf_counter()
        find(hostile)
        return time.perf_counter() - begun

    find(text)
    short = min(seconds(2_000) for _ in range(3))

    long = min(seconds(20_000) for _ in range(2))

    assert long < 30 * short + 0.05
