"""Time words, by table: what they mean to a query and to a message."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsys.kernel.text.timewords import Direction, Window, find_windows
from memsys.kernel.text.timewords.festivals import FESTIVALS

MONDAY = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
SHARED = Path(__file__).resolve().parents[5] / "shared" / "data" / "time_zh.jsonl"

# What was said, first day, last day: asked on Monday 2026-11-30.
ASKED_DAYS = [
    ("大前天你说了什么", "2026-11-27", "2026-11-27"),
    ("尋日我講咗咩", "2026-11-29", "2026-11-29"),
    ("上礼拜五我哭了", "2026-11-27", "2026-11-27"),
    ("上個禮拜六去哪", "2026-11-28", "2026-11-28"),
    ("上周的周三", "2026-11-25", "2026-11-25"),
    ("上上个星期三", "2026-11-18", "2026-11-18"),
    ("上周一到周三我在出差", "2026-11-23", "2026-11-25"),
    ("周末我去干嘛了", "2026-11-28", "2026-11-29"),
    ("这个周末去了哪", "2026-11-28", "2026-11-29"),
    ("周一我心情好吗", "2026-11-23", "2026-11-23"),
    ("上个月初我说想换工作", "2026-10-01", "2026-10-10"),
    ("上个月25号到这个月3号", "2026-10-25", "2026-11-03"),
    ("10月底我在干嘛", "2026-10-21", "2026-10-31"),
    ("八月中旬我去了哪", "2026-08-11", "2026-08-20"),
    ("去年十月我说过什么", "2025-10-01", "2025-10-31"),
    ("2026年3月我在哪", "2026-03-01", "2026-03-31"),
    ("24年10月我在干嘛", "2024-10-01", "2024-10-31"),
    ("二零二六年五月一号", "2026-05-01", "2026-05-01"),
    ("2026-10-01我说了啥", "2026-10-01", "2026-10-01"),
    ("12月3号那天", "2025-12-03", "2025-12-03"),
    ("11月3号到5号我在上海", "2026-11-03", "2026-11-05"),
    ("25号我去了哪", "2026-11-25", "2026-11-25"),
    ("去年冬天堆雪人", "2025-12-01", "2026-02-28"),
    ("上半年我换工作了吗", "2026-01-01", "2026-06-30"),
    ("暑假我去了哪", "2026-07-01", "2026-08-31"),
    ("去年年底", "2025-12-01", "2025-12-31"),
    ("一周前我说了什么", "2026-11-23", "2026-11-29"),
    ("十天前", "2026-11-20", "2026-11-20"),
    ("一年前的今天", "2025-11-30", "2025-11-30"),
    ("三年前我在哪", "2023-01-01", "2023-12-31"),
    ("最近一个月", "2026-10-30", "2026-11-30"),
    ("今年端午", "2026-06-19", "2026-06-19"),
    ("去年除夕", "2025-01-28", "2025-01-28"),
    ("去年春节", "2025-01-28", "2025-02-04"),
    ("大年初三去拜年", "2026-02-19", "2026-02-19"),
    ("农历八月十五", "2026-09-25", "2026-09-25"),
    ("去年腊月二十三", "2026-02-10", "2026-02-10"),
    ("今年清明", "2026-04-05", "2026-04-05"),
    ("母亲节我送了什么", "2026-05-10", "2026-05-10"),
    ("舊年聖誕", "2025-12-25", "2025-12-25"),
    ("去年双十一我买了啥", "2025-11-11", "2025-11-11"),
]

ASKED_HOURS = [
    ("前天凌晨我发的消息", "2026-11-28T00:00", "2026-11-28T06:00"),
    ("今天凌晨两点", "2026-11-30T02:00", "2026-11-30T03:00"),
    ("昨晚十一点半我在哪", "2026-11-29T23:30", "2026-11-30T00:30"),
    ("昨晚两点我还没睡", "2026-11-30T02:00", "2026-11-30T03:00"),
    ("今天早上7:40", "2026-11-30T07:40", "2026-11-30T08:40"),
    ("上周六晚上八点", "2026-11-28T20:00", "2026-11-28T21:00"),
    ("昨天下午三点到五点", "2026-11-29T15:00", "2026-11-29T17:00"),
    ("周日那天晚上", "2026-11-29T18:00", "2026-11-30T06:00"),
    ("晚上八点我说的", "2026-11-29T20:00", "2026-11-29T21:00"),
    ("两个小时前", "2026-11-30T12:30", "2026-11-30T13:30"),
    ("刚刚我说啥", "2026-11-30T14:00", "2026-11-30T15:00"),
]

# Messages point either way; the words around a bare date decide.
TOLD_DAYS = [
    ("周五晚八点连麦", "2026-12-04"),
    ("下周六一起看电影", "2026-12-12"),
    ("12月3号是我们的纪念日", "2026-12-03"),
    ("11月3号我买的", "2026-11-03"),
    ("周三跟朋友吃了火锅", "2026-11-25"),
    ("周一要开会", "2026-12-07"),
    ("距离考试还有九天", "2026-12-09"),
    ("过两天去看你", "2026-12-02"),
    ("三天后出发", "2026-12-03"),
    ("12号就能换宿舍了", "2026-12-12"),
    ("28号去的医院", "2026-11-28"),
    ("春节回家", "2027-02-05"),
    ("年底去日本", "2026-12-01"),
    ("聽晚食飯", "2026-12-01"),
    ("我报了4月26号的半马", "2027-04-26"),
    ("马上月底了，下个月3号交房租", "2026-12-03"),
]

NO_TIME = [
    *("我们三个人七上八下", "周周是我同学", "一月不见", "上次你说的歌", "下次一定"),
    *("有一天我们会见面", "他一天到晚加班", "给我三点建议", "一点也不开心", "第三天"),
    *(
        "提前三天",
        "三天打鱼两天晒网",
        "百年好合",
        "当前天气怎么样",
        "以前年轻",
        "后天性近视",
    ),
    *("晚上周杰伦开演唱会", "晚上月亮好圆", "楼下周边有什么", "周游世界", "周末愉快"),
    *(
        "我今年二十五岁",
        "我今年25了",
        "3号线坐到头",
        "三号球员",
        "我穿38号鞋",
        "住三号楼",
    ),
    *("升级到2.0版本了", "比分是三比一", "比分21:19", "订单号20260315001234"),
    *(
        "我给你打赏了520元",
        "双十一买的东西真多",
        "新年快乐",
        "明日方舟好玩",
        "清明上河图",
    ),
    *("每天晚上九点跟你说晚安", "每周三晚上打羽毛球", "周一到周五都上班", "我喜欢夏天"),
    *("大学打球撕裂过半月板", "元宵真好吃", "晚一点睡", "好一点了", "we are here"),
]


def asked(text: str, now: datetime = MONDAY) -> list[Window]:
    return find_windows(text, now=now, direction=Direction.PAST)


def told(text: str, now: datetime = MONDAY) -> list[Window]:
    return find_windows(text, now=now, direction=Direction.BOTH)


@pytest.mark.parametrize(("text", "first", "last"), ASKED_DAYS)
def test_it_finds_the_days_that_a_query_names(text: str, first: str, last: str) -> None:
    window = asked(text)[0]

    last_day = (window.end - timedelta(days=1)).date().isoformat()
    assert (window.start.date().isoformat(), last_day) == (first, last)


@pytest.mark.parametrize(("text", "start", "end"), ASKED_HOURS)
def test_it_finds_the_hours_that_a_query_names(text: str, start: str, end: str) -> None:
    window = asked(text)[0]

    found = [moment.isoformat()[:16] for moment in (window.start, window.end)]
    assert (found, window.granularity) == ([start, end], "hour")


@pytest.mark.parametrize(("text", "day"), TOLD_DAYS)
def test_it_points_where_a_message_points(text: str, day: str) -> None:
    assert told(text)[-1].start.date().isoformat() == day


@pytest.mark.parametrize("text", NO_TIME)
@pytest.mark.parametrize("direction", list(Direction))
def test_it_finds_no_time_in_false_friends(text: str, direction: Direction) -> None:
    """Acceptance row 38."""
    assert find_windows(text, now=MONDAY, direction=direction) == []


def test_it_takes_last_weekend_on_a_sunday_for_the_one_before() -> None:
    """Acceptance row 36."""
    sunday = datetime.fromisoformat("2026-03-15T20:00:00+08:00")

    [window] = asked("上周末", sunday)

    assert window.start.isoformat() == "2026-03-07T00:00:00+08:00"
    assert window.end.isoformat() == "2026-03-09T00:00:00+08:00"


def test_it_keeps_to_the_zone_of_now() -> None:
    moment = datetime.fromisoformat("2026-03-15T23:30:00+00:00")
    shanghai = moment.astimezone(ZoneInfo("Asia/Shanghai"))

    days = [
        asked("昨天", now)[0].start.date().isoformat() for now in (moment, shanghai)
    ]

    assert days == ["2026-03-14", "2026-03-15"]


def test_it_counts_hours_as_they_pass_when_the_clocks_change() -> None:
    now = datetime(2026, 3, 8, 4, 0, tzinfo=ZoneInfo("America/New_York"))

    [window] = asked("两个小时前", now)

    assert now.astimezone(ZoneInfo("UTC")) - window.start.astimezone(
        ZoneInfo("UTC")
    ) == timedelta(hours=2, minutes=30)


def test_it_takes_a_weekday_whose_hour_has_not_come_for_today() -> None:
    noon = datetime.fromisoformat("2026-12-04T12:00:00+08:00")

    [window] = told("周五晚八点连麦", noon)

    assert window.start.isoformat() == "2026-12-04T20:00:00+08:00"


def test_it_gives_the_words_as_they_stand_in_the_text() -> None:
    text = "我聽日同下個禮拜六都得閒"

    assert [window.words for window in told(text)] == ["聽日", "下個禮拜六"]


@given(
    text=st.text("上下周月年一三十号前后半天点早晚1我了 到", max_size=30),
    direction=st.sampled_from(list(Direction)),
)
def test_it_gives_forward_windows_whose_words_are_in_the_text(
    text: str, direction: Direction
) -> None:
    windows = find_windows(text, now=MONDAY, direction=direction)

    assert all(window.start < window.end for window in windows)
    assert all(window.words in text for window in windows)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared set is not here")
def test_it_reads_the_shared_set() -> None:
    rows = [json.loads(line) for line in SHARED.read_text("utf-8").splitlines()]
    timed = [row for row in rows if row["start"]]

    right = sum(_is_right(row) for row in timed)
    false_hits = sum(
        bool(asked(row["text"], datetime.fromisoformat(row["now"])))
        for row in rows
        if not row["start"]
    )

    assert right >= 0.95 * len(timed)
    assert false_hits == 0


def _is_right(row: dict[str, str]) -> bool:
    windows = asked(row["text"], datetime.fromisoformat(row["now"]))
    if not windows:
        return False
    start, end = (datetime.fromisoformat(row[key]) for key in ("start", "end"))
    found, hour = windows[0], timedelta(hours=1)
    if row["granularity"] == "hour":
        return start - hour <= found.start <= end + hour and found.end <= end + 2 * hour
    slack = 1 if end - start > timedelta(days=1) else 0
    last = found.end - timedelta(seconds=1)
    return (
        abs((found.start.date() - start.date()).days) <= slack
        and abs((last.date() - end.date()).days) <= slack
    )


@pytest.mark.parametrize("name", sorted(FESTIVALS))
def test_it_knows_each_festival_by_its_bare_name(name: str) -> None:
    now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")

    (window,) = find_windows(f"{name}我们去哪了", now=now, direction=Direction.PAST)

    assert window.start <= now
    assert window.start.year in (2025, 2026)
