"""Old details of the audit: they go after a time, and the chains still verify.

Owns the deletion by age, batch by batch. What is about somebody whom a hold or an open
request keeps stays.

>>> expire_payloads(365, now=now).counts  # doctest: +SKIP
{'audit_payload': 5000}
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q

from consent.models import LegalHold, SubjectRequest
from consent.types import RequestState
from memsys.kernel.audit.models import AuditPayload
from memsys.kernel.expiring import Lapsed

CLASS = "audit_payload"
BATCH = 5000


def expire_payloads(
    days: int, *, now: datetime, is_dry: bool = False, limit: int = BATCH
) -> Lapsed:
    """Delete payloads that are older than so many days; at most `limit` of them.

    A dry run counts up to the limit.
    """
    # The ids of entries begin with the time, in milliseconds.
    oldest = int((now - timedelta(days=days)).timestamp() * 1000)
    old = AuditPayload.objects.filter(entry_id__lt=UUID(int=oldest << 80))
    keepers = _list_kept_subjects()
    free = old.filter(Q(subject=None) | ~Q(subject__in=keepers))
    ids = list(free.order_by("entry_id").values_list("entry_id", flat=True)[:limit])
    kept = old.filter(subject__in=keepers).order_by()[:limit].count() if keepers else 0
    if not is_dry:
        AuditPayload.objects.filter(entry_id__in=ids).delete()
    has_more = len(ids) == limit and not is_dry
    return Lapsed(
        counts={CLASS: len(ids)},
        # Told once, with the last batch.
        kept={} if has_more else {CLASS: kept},
        has_more=has_more,
    )


def _list_kept_subjects() -> Collection[UUID]:
    held = LegalHold.objects.filter(lifted_at=None)
    asked = SubjectRequest.objects.filter(
        state__in=(RequestState.OPEN, RequestState.PAUSED)
    )
    users = [rows.values_list("global_user_id", flat=True) for rows in (held, asked)]
    return {one for part in users for one in part}
