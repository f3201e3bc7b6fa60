"""Working days: weekends and holidays rest, make-up days are worked."""

from datetime import UTC, date, datetime

import pytest

from consent.working_days import (
    add_working_days,
    count_working_days,
    is_known_year,
    is_working_day,
    to_day,
)


@pytest.mark.parametrize(
    ("day", "works"),
    [
        (date(2026, 9, 30), True),
        (date(2026, 10, 1), False),  # National Day
        (date(2026, 10, 7), False),  # its last day off
        (date(2026, 10, 10), True),  # a Saturday that makes up for it
        (date(2026, 10, 11), False),  # a Sunday
        (date(2026, 2, 14), True),  # a Saturday that makes up for Spring Festival
        (date(2026, 2, 23), False),
        (date(2025, 9, 28), True),  # a Sunday that makes up
    ],
)
def test_it_knows_holidays_and_the_days_that_make_up_for_them(
    day: date, works: bool
) -> None:
    assert is_working_day(day) is works


@pytest.mark.parametrize(
    ("start", "count", "end"),
    [
        (date(2026, 3, 2), 15, date(2026, 3, 23)),  # three plain weeks
        (date(2026, 9, 30), 1, date(2026, 10, 8)),
        (date(2026, 9, 18), 15, date(2026, 10, 15)),  # two holidays, two make-up days
        (date(2026, 2, 13), 1, date(2026, 2, 14)),
        (date(2026, 10, 3), 1, date(2026, 10, 8)),  # received on a holiday
    ],
)
def test_it_counts_working_days_on_from_the_day_after(
    start: date, count: int, end: date
) -> None:
    assert add_working_days(start, count) == end
    assert count_working_days(start, end) == count


def test_no_days_on_is_the_day_itself() -> None:
    assert add_working_days(date(2026, 10, 3), 0) == date(2026, 10, 3)
    assert count_working_days(date(2026, 10, 8), date(2026, 10, 3)) == 0


def test_a_day_is_that_of_china() -> None:
    assert to_day(datetime(2026, 9, 30, 16, 0, tzinfo=UTC)) == date(2026, 10, 1)


def test_of_a_year_that_is_not_announced_only_the_weekends_rest() -> None:
    assert is_known_year(2026)
    assert not is_known_year(2040)
    assert is_working_day(date(2040, 10, 1))
    assert not is_working_day(date(2040, 10, 6))
    assert add_working_days(date(2040, 10, 1), 15) == date(2040, 10, 22)
