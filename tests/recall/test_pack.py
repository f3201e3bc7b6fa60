"""What a pack holds, and in which order."""

from dataclasses import fields, replace
from datetime import timedelta
from uuid import UUID, uuid4

import numpy as np
import pytest

from recall.errors import VectorSizeMismatch
from recall.pack import Pack, to_microseconds
from recall.types import MemoryFacts
from tests.factories.recall import NOW, make_pack, make_row


def make_full_row():
    return make_row(
        "周五晚八点连麦 🌙",
        kind="commitment",
        dimension="commitment",
        subject="persona",
        tier="semantic",
        key="连麦",
        value="周五",
        polarity=-1,
        importance=0.7,
        valid_to=NOW + timedelta(days=3, microseconds=7),
        recorded_to=NOW + timedelta(days=9),
        due_at=NOW + timedelta(days=4),
        evidence=(uuid4(), uuid4(), uuid4()),
        visibility="sensitive",
        status="superseded",
    )


def same_arrays(one: Pack, other: Pack) -> bool:
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(Pack)
    )


def test_it_gives_a_row_back_as_it_was():
    rows = [make_full_row(), make_row("我养了猫", session=None, evidence=())]

    pack = make_pack(rows)

    found = {pack.id(place): pack.facts(place) for place in range(len(pack))}
    for row in rows:
        expected = {
            field.name: getattr(row, field.name) for field in fields(MemoryFacts)
        }
        assert vars(found[row.id]) == expected


def test_it_orders_rows_by_record_time_and_id_whatever_the_input():
    rows = [
        make_row("乙", days_ago=3, id=UUID(int=2)),
        make_row("甲", days_ago=3, id=UUID(int=1)),
        make_row("丙", days_ago=9, id=UUID(int=3)),
    ]

    pack, turned = make_pack(rows), make_pack(rows[::-1])

    assert [pack.text(place) for place in range(3)] == ["丙", "甲", "乙"]
    assert same_arrays(pack, turned)


def test_it_breaks_ties_by_what_happened_later_and_then_by_id():
    rows = [
        make_row("早", id=UUID(int=9), days_ago=9, recorded_at=NOW),
        make_row("晚二", id=UUID(int=2**127 + 5), days_ago=1),
        make_row("晚一", id=UUID(int=2**127 + 4), days_ago=1),
    ]

    pack = make_pack(rows)

    assert [pack.text(place) for place in pack.tie_order] == ["晚一", "晚二", "早"]


def test_it_keeps_times_to_the_microsecond():
    moment = NOW.replace(microsecond=123_457)

    assert to_microseconds(moment) % 1_000_000 == 123_457
    assert (
        make_pack([make_row("猫", occurred_at=moment)]).facts(0).occurred_at == moment
    )


def test_it_brings_vectors_to_unit_length():
    rows = [make_row("一", embedding=np.array([3.0, 4.0])), make_row("二")]

    pack = make_pack(rows)

    assert sorted(pack.has_vector.tolist()) == [False, True]
    assert pack.vectors[pack.has_vector][0].tolist() == pytest.approx(
        [0.6, 0.8], abs=1e-3
    )


def test_it_refuses_vectors_of_two_sizes():
    rows = [make_row("一", embedding=np.ones(3)), make_row("二", embedding=np.ones(4))]

    with pytest.raises(VectorSizeMismatch):
        make_pack(rows)


def test_it_refuses_a_time_without_a_zone():
    row = replace(make_row("猫"), due_at=NOW.replace(tzinfo=None))

    with pytest.raises(TypeError):
        make_pack([row])


def test_it_knows_each_word_of_a_row_once():
    pack = make_pack([make_row("哈哈", tokens=["哈", "哈", "哈哈", "哈"])])

    assert len(pack.terms_of(0)) == 2
    assert sorted(pack.counts.tolist()) == [1, 3]
    assert pack.lengths.tolist() == [4]


def test_it_can_be_empty():
    pack = make_pack([])

    assert len(pack) == 0
    assert pack.is_in("kind", "note").tolist() == []
