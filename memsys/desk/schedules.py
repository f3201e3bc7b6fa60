"""Pages of the periodic jobs: read-only, since their arguments are code.

Jobs and their times are changed in the source, where they are reviewed.

>>> admin.site.register(PeriodicTask, PeriodicTaskAdmin)  # doctest: +SKIP
"""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memsys.kernel.pages.columns import column, shown
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section


def _schedule(row: Any) -> str:
    return _times(row.crontab) if row.crontab is not None else str(row.scheduler)


def _times(row: Any) -> str:
    """Return the times of a crontab in words."""
    days = (row.day_of_month, row.month_of_year, row.day_of_week)
    is_daily = days == ("*", "*", "*") and (row.hour + row.minute).isdecimal()
    words = (
        _("every day at %(hour)s:%(minute)s (%(zone)s)")
        if is_daily
        else _(
            "minute %(minute)s, hour %(hour)s, day %(day)s, month %(month)s, weekday "
            "%(weekday)s (%(zone)s)"
        )
    )
    return words % {
        "minute": row.minute.zfill(2) if is_daily else row.minute,
        "hour": row.hour.zfill(2) if is_daily else row.hour,
        "day": row.day_of_month,
        "month": row.month_of_year,
        "weekday": row.day_of_week,
        "zone": row.timezone,
    }


class PeriodicTaskAdmin(ReadOnlyAdmin):
    ordering = ("name", "pk")
    list_display = (
        shown("name"),
        shown("task"),
        column("schedule", _schedule, label=gettext_lazy("Schedule")),
        "enabled",
        "last_run_at",
    )
    list_select_related = ("interval", "crontab", "solar", "clocked")
    list_filter = ("enabled",)
    sections = (
        section(
            gettext_lazy("Job"),
            shown("name"),
            shown("task"),
            shown("args"),
            shown("kwargs"),
            shown("description"),
        ),
        section(
            gettext_lazy("When"),
            column("schedule", _schedule, label=gettext_lazy("Schedule")),
            "enabled",
            "one_off",
            "start_time",
            "expires",
            "last_run_at",
            "total_run_count",
        ),
    )


class IntervalScheduleAdmin(ReadOnlyAdmin):
    list_display = ("id", "every", "period")
    sections = (section(None, "every", "period"),)


class CrontabScheduleAdmin(ReadOnlyAdmin):
    list_display = (
        "id",
        column("times", _times, label=gettext_lazy("Times")),
        shown("timezone"),
    )
    sections = (
        section(
            None,
            column("times", _times, label=gettext_lazy("Times")),
            "minute",
            "hour",
            "day_of_month",
            "month_of_year",
            "day_of_week",
            shown("timezone"),
        ),
    )


class SolarScheduleAdmin(ReadOnlyAdmin):
    list_display = ("id", "event", "latitude", "longitude")
    sections = (section(None, "event", "latitude", "longitude"),)


class ClockedScheduleAdmin(ReadOnlyAdmin):
    list_display = ("id", "clocked_time")
    sections = (section(None, "clocked_time"),)
