"""What is left of a memory after a time, and what makes it last."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.decay import (
    RETENTION_FLOOR,
    fades_at,
    fades_from,
    is_faded,
    is_lasting,
    lifetimes,
    retention,
    stability_days,
)

THEN = datetime(2026, 1, 1, tzinfo=UTC)
ages = st.floats(min_value=0, max_value=5000)
strengths = st.floats(min_value=0, max_value=1)
uses = st.integers(min_value=0, max_value=10_000)


def after(days: float) -> datetime:
    return THEN + timedelta(days=days)


def test_it_keeps_a_third_after_one_stability():
    left = retention(now=after(100), t0=THEN, stability_days=100)

    assert left == pytest.approx(math.exp(-1))


def test_it_gives_the_same_value_however_often_it_is_asked():
    """Acceptance row 41."""
    once = retention(now=after(100), t0=THEN, stability_days=120)
    for days in range(50):
        retention(now=after(days), t0=THEN, stability_days=120)

    assert retention(now=after(100), t0=THEN, stability_days=120) == once


def test_it_fades_nothing_before_its_beginning():
    assert retention(now=THEN, t0=after(30), stability_days=1) == 1.0


@pytest.mark.parametrize("stability", [0.0, -1.0, math.nan])
def test_it_refuses_a_stability_that_is_not_positive(stability: float):
    with pytest.raises(ValueError, match="positive"):
        retention(now=after(1), t0=THEN, stability_days=stability)


@given(ages, strengths, strengths, uses, uses)
def test_it_never_fades_a_stronger_memory_faster(
    age: float, importance: float, more: float, used: int, more_used: int
):
    low, high = sorted([importance, more])
    seldom, often = sorted([used, more_used])

    weak = stability_days(importance=low, uses=seldom)
    strong = stability_days(importance=high, uses=often)

    assert weak <= strong
    assert retention(now=after(age), t0=THEN, stability_days=weak) <= retention(
        now=after(age), t0=THEN, stability_days=strong
    )


@pytest.mark.parametrize(
    ("importance", "used"), [(-0.1, 0), (1.1, 0), (math.nan, 0), (0.5, -1)]
)
def test_it_refuses_what_cannot_be_a_strength(importance: float, used: int):
    with pytest.raises(ValueError, match="importance|uses"):
        stability_days(importance=importance, uses=used)


def test_it_keeps_a_memory_of_middling_importance_for_two_years():
    stability = stability_days(importance=0.5, uses=0)

    assert not is_faded(now=after(730), t0=THEN, stability_days=stability)


@given(ages, st.floats(min_value=0.1, max_value=1000))
def test_it_calls_faded_what_has_sunk_to_the_floor(age: float, stability: float):
    left = retention(now=after(age), t0=THEN, stability_days=stability)

    faded = is_faded(now=after(age), t0=THEN, stability_days=stability)

    assert faded == (left <= RETENTION_FLOOR) or left == pytest.approx(RETENTION_FLOOR)


def test_it_refuses_a_floor_that_is_never_or_always_reached():
    for floor in (0.0, 1.0):
        with pytest.raises(ValueError, match="floor"):
            lifetimes(floor=floor)


@given(st.floats(min_value=0.001, max_value=3000))
def test_it_tells_the_very_moment_at_which_a_memory_is_faded(stability: float):
    moment = fades_at(t0=THEN, stability_days=stability)

    asked = {"t0": THEN, "stability_days": stability}
    assert is_faded(now=moment, **asked)
    assert not is_faded(now=moment - timedelta(microseconds=2), **asked)


def test_it_begins_to_fade_what_was_said_again_from_then_on():
    said = {"kind": "fact", "occurred_at": THEN, "waits_until": None}

    assert fades_from(**said, said_at=after(300)) == after(300)
    assert fades_from(**said, said_at=THEN - timedelta(days=3)) == THEN
    assert fades_from(**said | {"waits_until": after(9)}, said_at=after(3)) == after(3)


def test_it_begins_to_fade_a_commitment_when_its_date_has_come():
    """Acceptance row 43."""
    due = after(60)

    begins = fades_from(kind="commitment", occurred_at=THEN, waits_until=due)

    assert begins == due
    assert retention(now=after(59), t0=begins, stability_days=1) == 1.0


def test_it_fades_other_kinds_from_when_they_happened():
    for kind, due in (("event", after(60)), ("commitment", None)):
        assert fades_from(kind=kind, occurred_at=THEN, waits_until=due) == THEN


@pytest.mark.parametrize(
    ("kind", "dimension", "lasting"),
    [
        ("taboo", "taste", True),
        ("preference", "taboo", True),
        ("fact", "identity", True),
        ("fact", "life", False),
        ("note", "other", False),
    ],
)
def test_it_keeps_who_the_user_is_and_what_hurts(
    kind: str, dimension: str, lasting: bool
):
    assert is_lasting(kind=kind, dimension=dimension) is lasting
