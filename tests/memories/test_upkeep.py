"""What the night changes, by rows and the moment alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memories.types import Dimension, Kind, MemoryStatus
from memories.upkeep import SESSIONS_TO_PROMOTE, Remembered, is_promoted, plan

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def make(*, days_ago: float = 10.0, **fields: Any) -> Remembered:
    return Remembered(
        **{
            "row": uuid4(),
            "tier": "episodic",
            "kind": "event",
            "dimension": "life",
            "status": "active",
            "stability_days": 120.0,
            "occurred_at": NOW - timedelta(days=days_ago),
        }
        | fields
    )


remembered = st.builds(
    make,
    days_ago=st.floats(min_value=0, max_value=900),
    kind=st.sampled_from(Kind.values),
    dimension=st.sampled_from(Dimension.values),
    status=st.sampled_from(MemoryStatus.values),
    stability_days=st.floats(min_value=1, max_value=400),
    waits_until=st.none()
    | st.integers(-300, 300).map(lambda days: NOW + timedelta(days=days)),
    said_at=st.none()
    | st.integers(0, 300).map(lambda days: NOW - timedelta(days=days)),
    sessions=st.integers(0, 5),
)
caps = st.integers(1, 12)


def carry_out(memories: list[Remembered], cap: int, now: datetime) -> list[Remembered]:
    """Return the memories after a night."""
    made = plan(memories, cap=cap, now=now)
    changes = {
        **dict.fromkeys(made.archived, {"status": "archived"}),
        **dict.fromkeys(made.restored, {"status": "active"}),
    }
    tiers = dict.fromkeys(made.promoted, {"tier": "semantic"})
    return [
        replace(one, **changes.get(one.row, {}), **tiers.get(one.row, {}))
        for one in memories
    ]


@settings(max_examples=200, deadline=None)
@given(st.lists(remembered, max_size=12), caps)
def test_a_second_night_finds_nothing(memories: list[Remembered], cap: int) -> None:
    after = carry_out(memories, cap, NOW)

    again = plan(after, cap=cap, now=NOW)

    assert (again.promoted, again.archived, again.restored) == ((), (), ())


@settings(max_examples=200, deadline=None)
@given(st.lists(remembered, max_size=12), caps, st.lists(st.integers(0, 700)))
def test_what_is_archived_does_not_depend_on_the_nights_before(
    memories: list[Remembered], cap: int, nights: list[int]
) -> None:
    """Acceptance row 41."""
    often = memories
    for days in nights:
        often = carry_out(often, cap, NOW - timedelta(days=days))

    put_away = [
        [one.status == "archived" for one in carry_out(each, cap, NOW)]
        for each in (memories, often)
    ]

    assert put_away[0] == put_away[1]


@settings(max_examples=200, deadline=None)
@given(st.lists(remembered, max_size=12), caps)
def test_no_more_than_the_cap_stay(memories: list[Remembered], cap: int) -> None:
    free = [one for one in memories if one.status != "restricted"]

    after = carry_out(free, cap, NOW)

    stay = [one for one in after if one.status != "archived"]
    assert len(stay) <= cap
    assert not any(one.is_faded(now=NOW) for one in stay)


@settings(max_examples=200, deadline=None)
@given(st.lists(remembered, max_size=12), caps)
def test_there_is_work_again_when_the_next_one_fades(
    memories: list[Remembered], cap: int
) -> None:
    after = carry_out(memories, cap, NOW)

    next_at = plan(after, cap=cap, now=NOW).next_at

    def is_idle(at: datetime) -> bool:
        made = plan(after, cap=cap, now=at)
        return not (made.promoted or made.archived or made.restored)

    if next_at is None:
        assert is_idle(NOW + timedelta(days=4000))
    else:
        assert next_at > NOW
        assert is_idle(next_at - timedelta(microseconds=1))
        assert not is_idle(next_at)


def test_it_archives_the_weakest_first() -> None:
    memories = [make() for _ in range(5)]

    made = plan(memories, cap=3, now=NOW)

    assert made.archived == tuple(one.row for one in memories[3:])


def test_it_leaves_restricted_memories_alone() -> None:
    faded = make(days_ago=900, status="restricted")

    made = plan([faded, make(status="restricted")], cap=1, now=NOW)

    assert (made.archived, made.restored, made.next_at) == ((), (), None)


def test_it_keeps_what_hurts_and_an_appointment_to_come() -> None:
    """Acceptance row 43."""
    lasting = make(days_ago=5000, kind="taboo")
    coming = make(days_ago=900, kind="commitment", waits_until=NOW + HOUR)

    made = plan([lasting, coming], cap=9, now=NOW)

    assert made.archived == ()


def test_it_remembers_again_what_was_said_again() -> None:
    again = make(days_ago=900, said_at=NOW - HOUR, status="archived")

    made = plan([again], cap=9, now=NOW)

    assert made.restored == (again.row,)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, True),
        ({"kind": "preference"}, True),
        ({"kind": "taboo"}, True),
        ({"sessions": SESSIONS_TO_PROMOTE - 1}, False),
        ({"tier": "semantic"}, False),
        ({"kind": "commitment"}, False),
        ({"kind": "event"}, False),
    ],
)
def test_it_promotes_a_fact_of_three_sessions(
    fields: dict[str, Any], expected: bool
) -> None:
    one = make(**{"kind": "fact", "sessions": SESSIONS_TO_PROMOTE} | fields)

    assert is_promoted(one) is expected
