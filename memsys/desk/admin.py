"""Registers the pages that span apps, and those of other packages' models in our look.

Other packages register pages of their own; they are imported first and replaced.
"""

from typing import Any

import django.contrib.auth.admin as account_pages
import django_celery_beat.admin as schedule_pages
import django_otp.plugins.otp_static.admin as code_pages
import django_otp.plugins.otp_totp.admin as device_pages
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from consent.models import (
    AccessBatch,
    ChangeRequest,
    ErasureRun,
    ExportRun,
    LegalHold,
    PolicyVersion,
    ProfileField,
    ReleasePolicy,
    SubjectRequest,
)
from identity.models import GlobalUser, Relationship
from memories.models import ChatSession, ModelAttempt
from memsys.desk.accounts import RoleAdmin, StaffUserAdmin
from memsys.desk.people import AttemptAdmin, PersonAdmin, PolicyAdmin, SessionAdmin
from memsys.desk.registers.governance import (
    AccessBatchAdmin,
    LegalHoldAdmin,
    PolicyVersionAdmin,
    ProfileFieldAdmin,
    ReleasePolicyAdmin,
)
from memsys.desk.registers.queues import (
    ChangeRequestAdmin,
    ErasureRunAdmin,
    ExportRunAdmin,
    SubjectRequestAdmin,
)
from memsys.desk.relationships import RelationshipAdmin
from memsys.desk.schedules import (
    ClockedScheduleAdmin,
    CrontabScheduleAdmin,
    IntervalScheduleAdmin,
    PeriodicTaskAdmin,
    SolarScheduleAdmin,
)
from recall.models import RecallPolicy

assert account_pages
assert schedule_pages
assert code_pages
assert device_pages

# Their pages would show the secrets of devices.
for device in (TOTPDevice, StaticDevice):
    admin.site.unregister(device)

admin.site.register(Relationship, RelationshipAdmin)
admin.site.register(SubjectRequest, SubjectRequestAdmin)
admin.site.register(ChangeRequest, ChangeRequestAdmin)
admin.site.register(ErasureRun, ErasureRunAdmin)
admin.site.register(ExportRun, ExportRunAdmin)
admin.site.register(LegalHold, LegalHoldAdmin)
admin.site.register(PolicyVersion, PolicyVersionAdmin)
admin.site.register(ProfileField, ProfileFieldAdmin)
admin.site.register(ReleasePolicy, ReleasePolicyAdmin)
admin.site.register(AccessBatch, AccessBatchAdmin)

PAGES: dict[Any, Any] = {
    GlobalUser: PersonAdmin,
    ChatSession: SessionAdmin,
    ModelAttempt: AttemptAdmin,
    RecallPolicy: PolicyAdmin,
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
