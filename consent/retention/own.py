"""What this app itself keeps no longer: profile values, closed requests, old proofs.

Owns the rules over them. A value goes by the days of its field; a request goes with its
words and its letter. Proofs, which are receipts of releases and reminders about AI, are
only ever added by the application: a function of the database deletes them, and none
that is younger than the law's floor, whatever it is told.

>>> [one.name for one in RULES]
['consent.profile', 'consent.requests', 'consent.proofs']
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Min, QuerySet

from consent.models import (
    DisclosureReminder,
    ProfileField,
    ProfileValue,
    ReleaseReceipt,
    SubjectRequest,
    SubjectRequestNote,
)
from consent.types import RequestState
from memsys.kernel.expiring import Keeping, Lapsed, RetentionRule
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql

PROFILE, REQUEST = "profile_value", "subject_request"
RECEIPT, REMINDER = "release_receipt", "disclosure_reminder"
CLOSED = (RequestState.DONE, RequestState.REFUSED)


def expire_values(keeping: Keeping) -> Lapsed:
    """Delete the values of a user's profile whose fields keep them no longer."""
    rows = ProfileValue.objects.filter(global_user_id=keeping.user_id)
    told = rows.values_list("pk", "updated_at", "field__retention_days")
    ends: dict[Any, datetime] = {
        key: at + timedelta(days=days) for key, at, days in told
    }
    gone = [key for key, end in ends.items() if end <= keeping.now]
    if gone and not keeping.is_dry:
        rows.filter(pk__in=gone).delete()
    # A value that is told after this look lapses no sooner than this.
    shortest = ProfileField.objects.aggregate(days=Min("retention_days"))["days"]
    ends[None] = keeping.now + timedelta(days=shortest or 1)
    return Lapsed(counts={PROFILE: len(gone)}, next_at=_next(ends, keeping.now))


def expire_requests(keeping: Keeping) -> Lapsed:
    """Delete closed requests with their words and letters."""
    days = timedelta(days=keeping.days[REQUEST])
    rows = _closed(keeping.user_id)
    told = rows.values_list("pk", "closed_at")
    ends = {key: at + days for key, at in told if at is not None}
    gone = [key for key, end in ends.items() if end <= keeping.now][: keeping.most]
    if gone and not keeping.is_dry:
        notes = SubjectRequestNote.objects.filter(global_user_id=keeping.user_id)
        notes.filter(request_id__in=gone).delete()
        rows.filter(pk__in=gone).delete()
    return Lapsed(
        counts={REQUEST: len(gone)},
        next_at=_next(ends, keeping.now),
        has_more=len(gone) == keeping.limit and not keeping.is_dry,
    )


def expire_proofs(keeping: Keeping) -> Lapsed:
    """Delete receipts and reminders whose time is over."""
    ends = {
        code: keeping.now - timedelta(days=keeping.days[code])
        for code in (RECEIPT, REMINDER)
    }
    own = {"global_user_id": keeping.user_id}
    receipts = ReleaseReceipt.objects.filter(**own, released_at__lt=ends[RECEIPT])
    reminders = DisclosureReminder.objects.filter(**own, shown_at__lt=ends[REMINDER])
    counts = {RECEIPT: receipts.count(), REMINDER: reminders.count()}
    if any(counts.values()) and not keeping.is_dry:
        with connection.cursor() as cursor:
            cursor.execute(
                load_sql("consent", "expire_proofs"),
                {
                    "user": keeping.user_id,
                    "shard": bucket_of(keeping.user_id),
                    "receipts_before": ends[RECEIPT],
                    "reminders_before": ends[REMINDER],
                },
            )
            counts = dict(zip((RECEIPT, REMINDER), cursor.fetchone(), strict=True))
    return Lapsed(counts=counts)


def _closed(user_id: UUID) -> QuerySet[SubjectRequest]:
    return SubjectRequest.objects.filter(global_user_id=user_id, state__in=CLOSED)


def _next(ends: dict[Any, datetime], now: datetime) -> datetime | None:
    return min((end for end in ends.values() if end > now), default=None)


RULES = (
    RetentionRule("consent.profile", (PROFILE,), expire_values, is_of_user=True),
    RetentionRule("consent.requests", (REQUEST,), expire_requests, is_of_user=True),
    RetentionRule(
        "consent.proofs", (RECEIPT, REMINDER), expire_proofs, is_of_user=True
    ),
)
