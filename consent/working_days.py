"""Working days in mainland China, by which the due dates of requests are counted.

Owns the count: weekends and statutory holidays rest, make-up days are worked. The
calendar is lunar_python's, which knows the years that the State Council has announced
(2002 to 2026 in version 1.4.8; the year after is announced in autumn, so the package is
brought up to date each December). Of a year that it does not know only the weekends
rest: then a due date comes early, or by as many days late as there are make-up days on
weekends within it, which is one or two.

>>> add_working_days(date(2026, 9, 30), 1)
datetime.date(2026, 10, 8)
"""

from datetime import date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from lunar_python.util import HolidayUtil

ZONE = ZoneInfo("Asia/Shanghai")
DAY = timedelta(days=1)
SATURDAY = 5
# A year has more than thirty entries; of one that is not announced only the first days.
LEAST_ENTRIES = 20


def to_day(moment: datetime) -> date:
    """Return the day that it is in China at a moment."""
    return moment.astimezone(ZONE).date()


@cache
def is_known_year(year: int) -> bool:
    """Say whether the holidays of a year are known here."""
    return len(HolidayUtil.getHolidays(year) or []) >= LEAST_ENTRIES


def is_working_day(day: date) -> bool:
    """Say whether offices work on a day.

    >>> is_working_day(date(2026, 10, 10)), is_working_day(date(2026, 10, 7))
    (True, False)
    """
    told = HolidayUtil.getHoliday(day.year, day.month, day.day)
    if told is not None:
        return bool(told.isWork())
    return day.weekday() < SATURDAY


def add_working_days(day: date, count: int) -> date:
    """Return the day that is so many working days after; the day itself is not one.

    >>> add_working_days(date(2026, 1, 5), 0)
    datetime.date(2026, 1, 5)
    """
    for _ in range(count):
        day += DAY
        while not is_working_day(day):
            day += DAY
    return day


def count_working_days(start: date, end: date) -> int:
    """Return how many working days follow `start` up to `end`, which counts.

    >>> count_working_days(date(2026, 9, 30), date(2026, 10, 8))
    1
    """
    days = (end - start).days
    return sum(is_working_day(start + DAY * ahead) for ahead in range(1, days + 1))
