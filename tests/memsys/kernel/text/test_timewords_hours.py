"""Hours before words that a point may stand before too, and days of this very week."""

from datetime import datetime

import pytest

from memsys.kernel.text.timewords import Direction, find_windows

WEDNESDAY = datetime.fromisoformat("2026-11-25T15:00:00+08:00")


def starts_of(text: str, now: datetime) -> list[str]:
    windows = find_windows(text, now=now, direction=Direction.BOTH)
    return [window.start.isoformat()[:16] for window in windows]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("明晚七点看电影", "2026-11-26T19:00"),
        ("明晚七点看牙", "2026-11-26T19:00"),
        ("今晚八点看直播", "2026-11-25T20:00"),
        ("后天凌晨两点看球", "2026-11-27T02:00"),
        ("周六晚上七点半看演出", "2026-11-28T19:30"),
        ("明天七点要开会", "2026-11-26T07:00"),
        ("明天九点体检", "2026-11-26T09:00"),
        ("明早八点教课", "2026-11-26T08:00"),
        ("明天下午三点说好了去取", "2026-11-26T15:00"),
        ("明天下午三点想去游泳", "2026-11-26T15:00"),
    ],
)
def test_it_reads_the_hour(text: str, start: str) -> None:
    assert starts_of(text, WEDNESDAY) == [start]


@pytest.mark.parametrize(
    "text",
    [
        "明天说三点意见",
        "明天讲两点要求",
        "明天交三点体会",
        "明天写五点建议",
        "明天聊两点看法",
    ],
)
def test_it_takes_no_points_for_hours(text: str) -> None:
    assert starts_of(text, WEDNESDAY) == ["2026-11-26T00:00"]


@pytest.mark.parametrize("day", ["这周五", "本周五", "这个周五"])
def test_it_keeps_this_week_in_this_week_on_the_day_itself(day: str) -> None:
    friday = datetime.fromisoformat("2026-11-27T09:00:00+08:00")

    assert starts_of(f"{day}面试", friday) == ["2026-11-27T00:00"]
