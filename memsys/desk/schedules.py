"""Pages of the periodic jobs: read-only, since their arguments are code.

Jobs and their times are changed in the source, where they are reviewed.

>>> admin.site.register(PeriodicTask, PeriodicTaskAdmin)  # doctest: +SKIP
"""

from typing import Any

from django.utils.translation import gettext_lazy as _

from memsys.kernel.pages.columns import column, shown
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section


def _schedule(row: Any) -> str:
    return str(row.schedule)


def _times(row: Any) -> str:
    return str(row.human_readable)


class PeriodicTaskAdmin(ReadOnlyAdmin):
    ordering = ("name", "pk")
    list_display = (
        shown("name"),
        shown("task"),
        column("schedule", _schedule, label=_("Schedule")),
        "enabled",
        "last_run_at",
    )
    list_select_related = ("interval", "crontab", "solar", "clocked")
    list_filter = ("enabled",)
    sections = (
        section(
            _("Job"),
            shown("name"),
            shown("task"),
            shown("args"),
            shown("kwargs"),
            shown("description"),
        ),
        section(
            _("When"),
            column("schedule", _schedule, label=_("Schedule")),
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
        column("times", _times, label=_("Times")),
        shown("timezone"),
    )
    sections = (
        section(
            None,
            column("times", _times, label=_("Times")),
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
