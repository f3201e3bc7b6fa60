"""Registers the pages that span apps, and those of other packages' models in our look.

Other packages register pages of their own; they are imported first and replaced.
"""

from typing import Any

import django.contrib.auth.admin as account_pages
import django_celery_beat.admin as schedule_pages
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)

from identity.models import Relationship
from memsys.desk.accounts import RoleAdmin, StaffUserAdmin
from memsys.desk.relationships import RelationshipAdmin
from memsys.desk.schedules import (
    ClockedScheduleAdmin,
    CrontabScheduleAdmin,
    IntervalScheduleAdmin,
    PeriodicTaskAdmin,
    SolarScheduleAdmin,
)

assert account_pages
assert schedule_pages

admin.site.register(Relationship, RelationshipAdmin)

PAGES: dict[Any, Any] = {
    User: StaffUserAdmin,
    Group: RoleAdmin,
    PeriodicTask: PeriodicTaskAdmin,
    IntervalSchedule: IntervalScheduleAdmin,
    CrontabSchedule: CrontabScheduleAdmin,
    SolarSchedule: SolarScheduleAdmin,
    ClockedSchedule: ClockedScheduleAdmin,
}
for model, page in PAGES.items():
    admin.site.unregister(model)
    admin.site.register(model, page)
