"""What a memory earns by words, meaning and date."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from recall.errors import VectorSizeMismatch
from recall.pack import Mask, Pack
from recall.scoring import bm25, cosine, find_window, find_words
from tests.factories.recall import NOW, Window, make_pack, make_row


def everything(pack: Pack) -> Mask:
    return np.ones(len(pack), np.bool_)


def scores_by_text(pack: Pack, words: list[str], eligible: Mask | None = None):
    eligible = everything(pack) if eligible is None else eligible
    scores = bm25(pack, words, eligible=eligible).scores
    return {pack.text(row): scores[row] for row in np.flatnonzero(eligible)}


def test_it_scores_as_the_textbook_does():
    rows = [
        make_row("甲", tokens=["猫", "猫", "狗"]),
        make_row("乙", tokens=["猫"]),
        make_row("丙", tokens=["鱼", "虾", "蟹", "贝"]),
    ]

    scores = scores_by_text(make_pack(rows), ["猫"])

    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    mean = 8 / 3
    for text, count, length in (("甲", 2, 3), ("乙", 1, 1)):
        bend = 1.2 * (0.25 + 0.75 * length / mean)
        assert scores[text] == pytest.approx(idf * count * 2.2 / (count + bend))
    assert scores["丙"] == 0.0


def test_it_counts_a_repeated_word_of_the_question_each_time():
    pack = make_pack([make_row("甲", tokens=["猫"]), make_row("乙", tokens=["狗"])])

    once, twice = scores_by_text(pack, ["猫"]), scores_by_text(pack, ["猫", "猫"])

    assert twice["甲"] == pytest.approx(2 * once["甲"])


def test_it_is_not_moved_by_rows_that_may_not_be_recalled():
    kept = [make_row("我养了猫"), make_row("我怕狗"), make_row("猫粮没了")]
    gone = [make_row("猫猫猫和很长很长的一段话"), make_row("猫")]
    pack = make_pack(kept + gone)
    eligible = np.array([pack.text(row) in {k.text for k in kept} for row in range(5)])

    among_others = scores_by_text(pack, ["猫", "粮"], eligible)

    assert among_others == scores_by_text(make_pack(kept), ["猫", "粮"])


def test_it_scores_nothing_without_words_or_rows():
    pack = make_pack([make_row("猫")])

    assert bm25(pack, [], eligible=everything(pack)).attainable == 0.0
    assert bm25(pack, ["猫"], eligible=~everything(pack)).scores.tolist() == [0.0]
    assert scores_by_text(make_pack([]), ["猫"]) == {}


def test_it_never_exceeds_what_is_attainable():
    pack = make_pack([make_row("猫", tokens=["猫"] * 50), make_row("狗")])

    lexical = bm25(pack, ["猫", "鸟"], eligible=everything(pack))

    assert 0 < lexical.scores.max() < lexical.attainable


def test_it_names_the_words_that_a_row_holds():
    pack = make_pack([make_row("甲", tokens=["猫", "狗"]), make_row("乙", tokens=[])])

    found = find_words(pack, ["狗", "鱼", "猫", "狗"], rows=[0, 1])

    assert sorted(found) == [(), ("狗", "猫")]


def test_it_gives_no_cosine_to_a_row_without_a_vector():
    rows = [make_row("有", embedding=np.array([2.0, 0.0])), make_row("无")]
    pack = make_pack(rows)

    found = cosine(pack, np.array([1.0, 1.0], np.float32))

    by_text = {pack.text(row): found[row] for row in range(2)}
    assert by_text["有"] == pytest.approx(np.sqrt(0.5), abs=1e-3)
    assert np.isnan(by_text["无"])


def test_it_refuses_a_vector_of_another_size():
    """Acceptance row 83."""
    pack = make_pack([make_row("有", embedding=np.ones(4))])

    with pytest.raises(VectorSizeMismatch):
        cosine(pack, np.ones(3, np.float32))


def test_it_survives_a_vector_of_zeros():
    pack = make_pack([make_row("零", embedding=np.zeros(4))])

    assert cosine(pack, np.zeros(4, np.float32)).tolist() == [0.0]


def test_it_finds_what_happened_or_is_due_in_a_window():
    day = NOW.replace(hour=0)
    window = Window(start=day, end=day + timedelta(days=1))
    before = make_row("之前", occurred_at=day - timedelta(microseconds=1))
    rows = [
        before,
        make_row("开始", occurred_at=day),
        make_row("结束", occurred_at=window.end),
        replace(
            before, id=make_row("").id, text="约定", due_at=day + timedelta(hours=20)
        ),
    ]
    pack = make_pack(rows)

    found = find_window(pack, [window])

    inside = {pack.text(row) for row in np.flatnonzero(found == 0)}
    assert inside == {"开始", "约定"}


def test_it_prefers_the_window_that_was_named_first():
    day = NOW.replace(hour=0)
    narrow = Window(start=day, end=day + timedelta(days=1))
    wide = Window(start=day - timedelta(days=30), end=narrow.end)
    pack = make_pack([make_row("今天", occurred_at=day), make_row("上周", days_ago=8)])

    found = find_window(pack, [narrow, wide])

    assert {pack.text(row): int(found[row]) for row in range(2)} == {
        "今天": 0,
        "上周": 1,
    }
