"""Parts of today that a clause opens with: 晚上准备做饭, 上午把证领了.

Owns when a bare part of the day is today's. A part with a day of its own (昨天晚上) is
a time word like any other and is found by `timewords`.

>>> from datetime import datetime
>>> now = datetime.fromisoformat("2026-03-15T20:00:00+08:00")
>>> [window.start.hour for window in find_parts("我上午把证领了", now=now).values()]
[8]
"""

import re
from datetime import datetime, timedelta

from memsys.kernel.text.timewords import Window

PART_OF_TODAY = "part"
DAY_BEGINS = 5

_HOURS = {
    "早上": (5, 12), "早晨": (5, 12), "上午": (8, 12), "中午": (11, 14), "下午": (12, 18), "傍晚": (17, 20),
    "晚上": (18, 30), "待会儿": (0, 24), "待会": (0, 24), "等会儿": (0, 24), "等会": (0, 24), "一会儿": (0, 24),
}  # fmt: skip
_OPENS = re.compile(
    r"(?:^|(?<=[,，。!！?？;；\s~～…]))(?:我|那|就|我们|刚|刚刚)?"
    rf"(?P<part>{'|'.join(sorted(_HOURS, key=len, reverse=True))})(?![好安]|\d|[一二三四五六七八九十]+点|的)"
)


def find_parts(folded: str, *, now: datetime) -> dict[int, Window]:
    """Find bare parts of today with their places; none while it is still night."""
    if now.hour < DAY_BEGINS:
        return {}
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    found: dict[int, Window] = {}
    for match in _OPENS.finditer(folded):
        begin, finish = _HOURS[match["part"]]
        is_soon = begin == 0
        found[match.start("part")] = Window(
            now if is_soon else midnight + timedelta(hours=begin),
            midnight + timedelta(hours=finish),
            match["part"],
            PART_OF_TODAY,
        )
    return found
