"""The line of a slot: no order of arrival changes what was true when."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from uuid import UUID

from hypothesis import assume, given
from hypothesis import strategies as st

from memories.slot_lines import Ended, Period, join, merge, place, withdraw

DAY_0 = datetime(2026, 1, 1, tzinfo=UTC)


def said(number: int, value: str, day: int) -> Period:
    at = DAY_0 + timedelta(days=day)
    return Period(UUID(int=number), value, 1, at, None, None, ((at, UUID(int=number)),))


def line_of(statements: list[Period]) -> dict[UUID, Period]:
    line: dict[UUID, Period] = {}
    for number, one in enumerate(statements):
        placement = place(list(line.values()), one, resumed_as=UUID(int=1000 + number))
        more = (placement.new, placement.reinforced, placement.resumed)
        changed = (*placement.changed, *(period for period in more if period))
        line |= {period.lineage: period for period in changed}
    return line


def value_at(line: dict[UUID, Period], day: int) -> str | None:
    at = DAY_0 + timedelta(days=day)
    return next((one.value for one in line.values() if one.holds_at(at)), None)


def test_it_closes_the_old_value_when_the_new_one_begins() -> None:
    line = line_of([said(1, "梅西", 1), said(2, "C罗", 9)])

    assert line[UUID(int=1)].valid_to == DAY_0 + timedelta(days=9)
    assert line[UUID(int=1)].superseded_by == UUID(int=2)
    assert value_at(line, 20) == "C罗"


def test_it_puts_a_late_import_into_the_past() -> None:
    """Acceptance rows 33 and 34."""
    line = line_of([said(1, "成都", 9), said(2, "西安", 1)])

    assert [value_at(line, day) for day in (0, 3, 10)] == [None, "西安", "成都"]


def test_it_keeps_a_value_that_came_back() -> None:
    line = line_of([said(1, "A", 1), said(2, "B", 5), said(3, "A", 9)])

    assert [value_at(line, day) for day in (2, 6, 10)] == ["A", "B", "A"]


def test_it_lets_the_later_recorded_win_at_equal_times() -> None:
    line = line_of([said(1, "A", 1), said(2, "B", 1)])

    assert value_at(line, 1) == "B"


def test_it_only_reinforces_what_is_said_again() -> None:
    placement = place([said(1, "A", 1)], said(2, "A", 5), resumed_as=UUID(int=9))

    assert placement.reinforced is not None
    assert placement.reinforced.lineage == UUID(int=1)
    assert len(placement.reinforced.said) == 2
    assert placement.new is None
    assert placement.changed == ()


def test_it_resumes_what_was_said_again_after_a_late_import() -> None:
    line = line_of([said(1, "A", 0), said(2, "A", 2), said(3, "B", 1)])

    assert [value_at(line, day) for day in (0, 1, 2, 3)] == ["A", "B", "A", "A"]


def test_it_does_not_reach_over_what_was_erased() -> None:
    gone = line_of([said(1, "A", 1), said(2, "B", 5), said(3, "C", 9)])
    del gone[UUID(int=2)]

    placement = place(list(gone.values()), said(4, "C", 3), resumed_as=UUID(int=9))

    assert placement.new is not None
    assert placement.new.valid_to == DAY_0 + timedelta(days=5)


def test_it_follows_on_what_is_true_for_a_while_only() -> None:
    line = line_of([said(1, "A", 5), said(2, "B", 5)])

    placement = place(list(line.values()), said(3, "B", 1), resumed_as=UUID(int=9))

    assert placement.reinforced is not None
    assert placement.reinforced.lineage == UUID(int=2)


def test_it_knows_what_the_same_messages_said() -> None:
    told = [said(1, "A", 1), said(2, "B", 1), said(3, "C", 5)]
    line = line_of(told)

    for one in told:
        placement = place(list(line.values()), one, resumed_as=UUID(int=9))

        assert (placement.changed, placement.new) == ((), None)


def test_what_was_put_right_stands_against_what_was_said_before() -> None:
    right = replace(said(1, "A", 1), settled_until=DAY_0 + timedelta(days=6))

    before, after = (
        place([right], said(number, "B", number), resumed_as=UUID(int=9))
        for number in (6, 7)
    )

    assert (before.overruled, before.new) == (right, None)
    assert after.new is not None


def test_a_merge_leaves_what_was_put_right() -> None:
    first = replace(said(1, "A", 1), valid_to=DAY_0 + timedelta(days=5))
    second = said(2, "A", 5)
    right = replace(second, settled_until=DAY_0)

    assert merge([first, right]).ended == ()
    assert merge([second, first]).ended == (Ended(UUID(int=2), UUID(int=1)),)


def test_what_moves_into_an_empty_line_keeps_its_time() -> None:
    moved = said(1, "A", 1)

    placement = join([], moved, at=DAY_0 + timedelta(days=9))

    assert placement.new == moved


def test_what_moves_after_a_gap_begins_when_it_was_put_right() -> None:
    past = replace(said(2, "B", 1), valid_to=DAY_0 + timedelta(days=3))
    at = DAY_0 + timedelta(days=9)

    placement = join([past], said(1, "A", 0), at=at)

    assert placement.new is not None
    assert placement.new.valid_from == at


statements = st.lists(
    st.tuples(st.sampled_from("ABC"), st.integers(0, 12)), min_size=1, max_size=8
)


@given(statements)
def test_it_never_overlaps_and_leaves_one_open(pairs: list[tuple[str, int]]) -> None:
    line = line_of([said(n, value, day) for n, (value, day) in enumerate(pairs, 1)])

    real = sorted(
        (one for one in line.values() if one.valid_to != one.valid_from),
        key=lambda one: one.valid_from,
    )
    assert sum(one.valid_to is None for one in real) == 1
    assert all(
        one.valid_to is not None and one.valid_to <= following.valid_from
        for one, following in pairwise(real)
    )


@given(statements.filter(lambda pairs: len({d for _, d in pairs}) == len(pairs)))
def test_it_does_not_depend_on_the_order_of_arrival(
    pairs: list[tuple[str, int]],
) -> None:
    told = [said(n, value, day) for n, (value, day) in enumerate(pairs, 1)]

    in_order = line_of(sorted(told, key=lambda one: one.valid_from))
    backwards = line_of(sorted(told, key=lambda one: one.valid_from, reverse=True))
    as_came = line_of(told)

    for day in range(14):
        expected = value_at(in_order, day)
        assert value_at(backwards, day) == expected
        assert value_at(as_came, day) == expected


@given(statements, st.tuples(st.sampled_from("ABC"), st.integers(0, 12)))
def test_what_is_withdrawn_was_never_said(
    pairs: list[tuple[str, int]], mistaken: tuple[str, int]
) -> None:
    told = [said(n, value, day) for n, (value, day) in enumerate(pairs, 1)]
    before = line_of(told)
    last = said(100, *mistaken)
    line = line_of([*told, last])
    assume(last.lineage in line)

    placement = withdraw(list(line.values()), last.lineage)

    line |= {one.lineage: one for one in placement.changed}
    for ended in placement.ended:
        del line[ended.lineage]
    assert [value_at(line, day) for day in range(14)] == [
        value_at(before, day) for day in range(14)
    ]
