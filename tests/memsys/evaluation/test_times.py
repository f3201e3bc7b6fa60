"""What counts as read right in a labelled sentence with time words."""

from datetime import datetime
from pathlib import Path

import pytest

from memsys.evaluation.files import read_records
from memsys.evaluation.times import TimeLine, TimeResult, is_right, measure_times
from memsys.kernel.text.timewords import Window

HERE = Path(__file__).parent
NOW = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
DAY = ("2026-11-03T00:00", "2026-11-03T23:59:59")
WEEK = ("2026-11-02T00:00", "2026-11-08T23:59:59")
EVENING = ("2026-11-03T18:00", "2026-11-03T23:59")


def at(text: str, zone: str = "+08:00") -> datetime:
    return datetime.fromisoformat(text + zone)


def is_read(
    expected: tuple[str, str], start: datetime, end: datetime, granularity: str = "day"
) -> bool:
    line = TimeLine(
        text="那天",
        now=NOW,
        start=at(expected[0]),
        end=at(expected[1]),
        granularity=granularity,
    )
    return is_right(line, Window(start, end, "那天", granularity))


DAYS = [
    (DAY, "2026-11-03T00:00", "2026-11-04T00:00", True),
    (DAY, "2026-11-03T09:00", "2026-11-03T12:00", True),
    (DAY, "2026-11-02T00:00", "2026-11-03T00:00", False),
    (DAY, "2026-11-03T00:00", "2026-11-05T00:00", False),
    (WEEK, "2026-11-02T00:00", "2026-11-09T00:00", True),
    (WEEK, "2026-11-01T00:00", "2026-11-10T00:00", True),
    (WEEK, "2026-11-03T00:00", "2026-11-08T00:00", True),
    (WEEK, "2026-10-31T00:00", "2026-11-09T00:00", False),
    (WEEK, "2026-11-02T00:00", "2026-11-11T00:00", False),
]


@pytest.mark.parametrize(("expected", "start", "end", "right"), DAYS)
def test_it_compares_days_and_allows_one_where_there_are_several(
    expected: tuple[str, str], start: str, end: str, right: bool
) -> None:
    assert is_read(expected, at(start), at(end)) is right


HOURS = [
    ("2026-11-03T18:00", "2026-11-04T00:00", True),
    ("2026-11-03T17:00", "2026-11-04T01:59", True),
    ("2026-11-03T22:00", "2026-11-03T23:00", True),
    ("2026-11-03T16:59", "2026-11-04T00:00", False),
    ("2026-11-03T18:00", "2026-11-04T02:00", False),
]


@pytest.mark.parametrize(("start", "end", "right"), HOURS)
def test_it_allows_hours_some_slack(start: str, end: str, right: bool) -> None:
    assert is_read(EVENING, at(start), at(end), "hour") is right


def test_it_compares_in_the_zone_of_now() -> None:
    start, end = at("2026-11-02T16:00", "+00:00"), at("2026-11-03T15:59", "+00:00")
    line = TimeLine(text="那天", now=NOW, start=start, end=end)

    found = Window(at("2026-11-03T00:00"), at("2026-11-04T00:00"), "那天", "day")

    assert is_right(line, found)


def test_it_counts_sentences_with_and_without_a_window() -> None:
    lines = read_records(HERE / "times.jsonl", TimeLine)

    assert measure_times(lines) == TimeResult(
        total=2, right=1, no_window=2, false_hits=1
    )
