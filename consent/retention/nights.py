"""The work of one night over all relationships, as a row that tells how it went.

Owns the beginning, the count and the end. A night takes what was due when it began, in
as many runs of the job as it needs; when it has looked at all of it, it deletes old
details of the audit and closes with one entry in the chain `retention`. When a time of
keeping has changed since the night before, everything is looked at.

>>> night = begin_night(now=now)  # doctest: +SKIP
>>> for one in list_due(night): look(one, night, now=now)  # doctest: +SKIP
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction

from consent.models import RetentionRun
from consent.retention.classes import read_days
from consent.retention.payloads import expire_payloads
from consent.retention.rules import add_up
from consent.working_days import to_day
from identity.retention import bring_all_retention_forward, list_due_retention
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.scope import require_scope

RETENTION_CHAIN = "retention"
BY = "system:retention"
DUE_LIMIT = 500
BATCHES = 20  # of old details of the audit in one run
COUNT_LATE = 96  # right before the audit rows


def begin_night(*, now: datetime, is_again: bool = False) -> RetentionRun:
    """Return the night's row, made by whoever comes first.

    With `is_again` one that began before takes what is due `now`, and is closed anew.
    """
    night = to_day(now)
    found = RetentionRun.objects.filter(pk=night).first()
    if found is not None and not is_again:
        return found
    days = read_days()
    last = RetentionRun.objects.order_by("-night").first()
    if last is not None and last.days != days:
        # Before the row tells it: one that is killed here does it again.
        for _count in bring_all_retention_forward(at=now):
            pass
    begun = {"days": days, "started_at": now, "finished_at": None}
    if is_again:
        return RetentionRun.objects.update_or_create(night=night, defaults=begun)[0]
    return RetentionRun.objects.get_or_create(night=night, defaults=begun)[0]


def list_due(night: RetentionRun) -> list[UUID]:
    """Return relationships that the night has not looked at yet; bounded."""
    due = list_due_retention(now=night.started_at, limit=DUE_LIMIT)
    return [relationship_id for _, relationship_id in due]


def iterate_due(*, until: datetime) -> Iterator[UUID]:
    """Yield each relationship that is due by then once, page by page.

    One that fails stays due, and those behind it come all the same.
    """
    after: tuple[datetime, UUID] | None = None
    while page := list_due_retention(now=until, limit=DUE_LIMIT, after=after):
        yield from (relationship_id for _, relationship_id in page)
        after = page[-1]


def add_counts(
    night: RetentionRun, counts: Mapping[str, int], kept: Mapping[str, int]
) -> None:
    """Add one look to the night's row, late in the open scope's transaction."""
    require_scope().finish(
        "retention-run", COUNT_LATE, lambda: _add(night, counts, kept, looked=1)
    )


def _add(
    night: RetentionRun,
    counts: Mapping[str, int],
    kept: Mapping[str, int],
    *,
    looked: int = 0,
) -> None:
    row = RetentionRun.objects.select_for_update().get(pk=night.pk)
    row.looked += looked
    row.counts, row.kept = add_up([row.counts, counts]), add_up([row.kept, kept])
    row.save(update_fields=["looked", "counts", "kept"])


def finish_night(night: RetentionRun, *, now: datetime) -> bool:
    """Delete old details of the audit, and close the night once there are none left.

    Returns whether it is closed; it is not while there are more than some batches of
    them. In parallel or twice it is closed once.
    """
    days = RetentionRun.objects.get(pk=night.pk).days
    for _batch in range(BATCHES):
        with transaction.atomic():
            part = expire_payloads(days["audit_payload"], now=now)
            if part.counts or part.kept:
                _add(night, part.counts, part.kept)
        if not part.has_more:
            return _close(night, now=now)
    return False


def _close(night: RetentionRun, *, now: datetime) -> bool:
    with transaction.atomic():
        row = RetentionRun.objects.select_for_update().get(pk=night.pk)
        if row.finished_at is None:
            row.finished_at = now
            row.save(update_fields=["finished_at"])
            _record(row)
    return True


def _record(row: RetentionRun) -> None:
    record(
        Deed(
            chain=RETENTION_CHAIN,
            action="retention.ran",
            actor=BY,
            object_ref=f"night:{row.pk:%Y%m%d}",
            details={"looked": row.looked, "counts": row.counts, "kept": row.kept},
        )
    )
