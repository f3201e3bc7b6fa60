"""Parts of the day and clock times, as hours of a day: 晚上, 早上七点半, 20:30.

Owns how a part of the day and an hour become a window of one day. Which day that is
comes from the words before; times that stand alone find their day in `scan`.

>>> hours = read_hours(TAIL.match("晚上八点半"))
>>> (hours.start, hours.end)
((20, 30), (21, 30))
"""

import re
from dataclasses import dataclass
from re import Match

from memsys.kernel.text.timewords.numerals import (
    SMALL_NUMBER,
    read_number,
    read_range,
)
from memsys.kernel.text.timewords.phrases import (
    CLOCK,
    DAY_PARTS,
    NIGHT_BEGINS,
    NOON_AND_AFTER,
    NOT_A_CLOCK,
    PART,
    SHORT_PARTS,
)

_SHORT = "|".join(SHORT_PARTS)
# After a day: 昨天晚上, 周五晚八点, 明天8:30. 早点 and 晚点 are not hours. The small
# hours told behind a night, 昨晚凌晨两点, follow it.
TAIL = re.compile(
    rf"\s?(?:那天|当天|那)?的?(?P<part>{PART}|(?:{_SHORT})上?(?!一?点[儿睡起来回吃]|[恋安期]))?"
    r"(?P<late>的?(?:大?半夜|凌晨|后半夜))?"
    rf"(?:(?:大概|大约|差不多|快|的)?{CLOCK}{NOT_A_CLOCK}"
    rf"(?:[到至~-](?P<until>{SMALL_NUMBER})(?:点(?P<until_half>半)?|:\d\d))?)?"
)
# Alone: only with a part of the day, or with minutes, so that 三点建议 is no time.
ALONE = re.compile(
    rf"(?<![每天夜\d])(?P<part>{PART}){CLOCK}{NOT_A_CLOCK}"
    rf"|(?<![\d:第几好差])(?P<bare_hour>{SMALL_NUMBER})点(?:钟|整|(?P<bare_minute>半"
    rf"|(?P<bare_quarter>[一1三3])刻|{SMALL_NUMBER}(?=分))分?)(?!点)"
)

# A part of the day alone is a habit or a plan, unless it goes on to what was done.
DONE = re.compile(
    rf"(?:(?<![\u4e00-\u9fff])|(?<=[我你]))(?P<part>{PART})"
    r"(?=(?:我们?|你|咱们?)?(?:[跟和给对][你我他她])?"
    r"(?:[说聊讲发提问吃喝去干做看梦买]|告诉|答应)(?:到|给)?[你我]?[了过的])"
)


@dataclass(frozen=True)
class Hours:
    """Hours and minutes from a day's midnight; hours above 23 run into the next."""

    start: tuple[int, int]
    end: tuple[int, int]


def read_hours(match: Match[str], prefix: str = "") -> Hours | None:
    """Read a match of `TAIL` or `ALONE`; nothing said gives None."""
    part = None if prefix else match["part"]
    part = part.removesuffix("上") if part and part not in DAY_PARTS else part
    if part and not prefix and match.re is TAIL and match["late"]:
        part = "半夜" if match["late"].lstrip("的大") == "半夜" else "后半夜"
    if not match[prefix + "hour"]:
        return part_hours(part) if part else None
    first, last = read_range(match[prefix + "hour"])
    minute = _minute(match, prefix)
    if last > 24 or minute > 59:
        return None
    hour = _on_the_day(first, part)
    until = _until(match, prefix, hour) or (hour + last - first + 1, minute)
    return Hours((hour, minute), until)


def part_hours(part: str) -> Hours:
    """Give the hours of a part of the day."""
    begin, end = DAY_PARTS.get(part) or SHORT_PARTS[part]
    return Hours((begin, 0), (end, 0))


def _minute(match: Match[str], prefix: str) -> int:
    words = match[prefix + "minute"]
    if not words:
        return 0
    if words == "半":
        return 30
    if match[prefix + "quarter"]:
        return 15 * read_number(match[prefix + "quarter"])
    return read_number(words)


def _until(match: Match[str], prefix: str, start: int = 0) -> tuple[int, int] | None:
    if prefix or "until" not in match.re.groupindex or not match["until"]:
        return None
    hour = read_number(match["until"])
    while hour <= start and hour < NOON_AND_AFTER * 3:
        hour += NOON_AND_AFTER
    return hour, 30 if match["until_half"] else 0


def _on_the_day(hour: int, part: str | None) -> int:
    """Put an hour of the dial on the day's 24; a night's small hours follow it."""
    if not part:
        # Unsaid, people mean the afternoon by 1 to 6 and the morning by 7 to 12.
        return hour + 12 if 1 <= hour <= 6 else hour
    begin = (DAY_PARTS.get(part) or SHORT_PARTS[part])[0]
    if begin >= NIGHT_BEGINS:
        if hour <= 5:
            return hour + 24
        return hour + 12 if hour <= NOON_AND_AFTER else hour
    if begin >= NOON_AND_AFTER or (begin == NOON_AND_AFTER - 1 and hour <= 3):
        return hour + 12 if hour < NOON_AND_AFTER else hour
    return hour % 24 if part != "凌晨" or hour != NOON_AND_AFTER else 0
