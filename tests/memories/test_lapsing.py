"""When a memory is kept no longer, by table: the class, and the day it is counted from."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from memories.lapsing import Clock, Kept, find_lapse

T = datetime(2026, 1, 1, tzinfo=UTC)
NOW = T + timedelta(days=10)
DAYS = {
    "superseded_value": 180,
    "sensitive_memory": 90,
    "minor_memory": 30,
    "minor_intimate_memory": 0,
    "episodic_memory": 170,
    "semantic_memory": 365,
    "inactive_relationship": 365,
}


def day(number: float) -> datetime:
    return T + timedelta(days=number)


def make(**fields: Any) -> Kept:
    told = {
        "tier": "episodic",
        "kind": "event",
        "recorded_at": T,
        "first_recorded_at": T,
    }
    return Kept(row=UUID(int=1), lineage=UUID(int=2), **told | fields)


def lapse(one: Kept, **clock: Any) -> tuple[str, float]:
    """Return the class, and after how many days from the first of January it lapses."""
    told = {"days": DAYS, "active_at": T, "now": NOW} | clock
    found = find_lapse(one, Clock(**told))
    assert found is not None
    return found.data_class, (found.at - T) / timedelta(days=1)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("episodic_memory", 170)),
        ({"used_at": day(40)}, ("episodic_memory", 210)),
        ({"said_at": day(5)}, ("episodic_memory", 175)),
        ({"corrected_at": day(6)}, ("episodic_memory", 176)),
        # An import of old messages is told today.
        ({"said_at": day(-900)}, ("episodic_memory", 170)),
        # The sender's clock runs ahead.
        ({"said_at": day(900)}, ("episodic_memory", 180)),
        # An appointment waits for its date; what merely names one does not.
        ({"kind": "commitment", "waits_until": day(300)}, ("episodic_memory", 470)),
        ({"kind": "event", "waits_until": day(300)}, ("episodic_memory", 170)),
        ({"valid_to": day(3)}, ("superseded_value", 183)),
        ({"valid_to": day(-90)}, ("superseded_value", 180)),
        ({"recorded_to": day(4)}, ("superseded_value", 184)),
        ({"recorded_to": day(4), "valid_to": day(9)}, ("superseded_value", 184)),
        ({"is_sensitive": True}, ("sensitive_memory", 90)),
        ({"is_sensitive": True, "used_at": day(40)}, ("sensitive_memory", 90)),
        ({"is_sensitive": True, "said_at": day(8)}, ("sensitive_memory", 98)),
    ],
)
def test_it_lapses_by_the_shortest_time(
    fields: dict[str, Any], expected: tuple[str, float]
) -> None:
    assert lapse(make(**fields)) == expected


def test_what_is_true_goes_with_its_relationship() -> None:
    one = make(tier="semantic")

    assert find_lapse(one, Clock(days=DAYS, active_at=T, now=NOW)) is None


@pytest.mark.parametrize(
    ("active", "used", "expected"), [(0, None, 100), (200, None, 300), (0, 210, 310)]
)
def test_where_its_time_is_shorter_it_goes_so_long_after_the_last_activity(
    active: int, used: int | None, expected: float
) -> None:
    one = make(tier="semantic", used_at=None if used is None else day(used))
    shorter = DAYS | {"semantic_memory": 100}

    found = lapse(one, active_at=day(active), days=shorter)

    assert found == ("semantic_memory", expected)


@pytest.mark.parametrize(
    ("fields", "intimate", "expected"),
    [
        ({}, False, ("minor_memory", 30)),
        ({"used_at": day(9)}, False, ("minor_memory", 30)),
        ({"tier": "semantic"}, False, ("minor_memory", 30)),
        ({"is_sensitive": True}, False, ("minor_memory", 30)),
        ({}, True, ("minor_intimate_memory", 0)),
    ],
)
def test_nothing_of_a_minor_is_kept_for_long(
    fields: dict[str, Any], intimate: bool, expected: tuple[str, float]
) -> None:
    """Acceptance: order 21, article 14; no virtual partner for minors."""
    found = lapse(make(**fields), is_minor=True, is_intimate=intimate)

    assert found == expected
