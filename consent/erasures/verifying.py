"""Looking again, a day and five weeks later, that what was erased is gone.

Owns the check of a finished run and its receipt. What is found is an alarm and stays on
the receipt; nothing is deleted by it.

>>> verify(run_id, now=now).residue  # doctest: +SKIP
{}
"""

import logging
from datetime import datetime, timedelta
from uuid import UUID

from consent.erasures.steps import count
from consent.erasures.stores import describe_stays
from consent.erasures.targets import Receipt, target_of
from consent.erasures.wishes import OPEN_STATES, bucket_of_receipt
from consent.errors import ErasureNotFound
from consent.models import ErasureRun
from consent.types import ErasureState

logger = logging.getLogger("memsys.erasures")

LAST_CHECK = timedelta(days=35)  # the longest life of a backup
DUE_LIMIT = 200


def list_unverified(*, now: datetime) -> list[UUID]:
    """Return finished runs whose check is due, the oldest first."""
    rows = ErasureRun.objects.filter(verify_from__lte=now, state=ErasureState.DONE)
    ordered = rows.order_by("verify_from", "id").values_list("id", flat=True)
    return list(ordered[:DUE_LIMIT])


def count_late(*, before: datetime) -> int:
    """Return how many runs were due before a moment, and are not over. One query.

    What a hold blocks is tried again every minute, and is not late.
    """
    rows = ErasureRun.objects.filter(state__in=OPEN_STATES, run_from__lt=before)
    return rows.exclude(state=ErasureState.BLOCKED).count()


def verify(run_id: UUID, *, now: datetime) -> ErasureRun:
    """Count what is left from before an erasure; what there is, is an alarm.

    Opens a scope for each relationship.

    Raises:
        ErasureNotFound: there is no such erasure, or it is not done.
    """
    run = ErasureRun.objects.filter(pk=run_id, state=ErasureState.DONE).first()
    if run is None:
        raise ErasureNotFound("There is no such erasure that is done.")
    left = count(target_of(run), until=run.covers_until)
    run.residue = {store: rows for store, rows in left.items() if rows}
    run.verified_at = now
    run.verify_from = _next_check(run, now=now)
    run.save(update_fields=["residue", "verified_at", "verify_from"])
    if run.residue:
        logger.error(
            "erasure.residue", extra={"erasure": str(run.pk), "residue": run.residue}
        )
    return run


def _next_check(run: ErasureRun, *, now: datetime) -> datetime | None:
    assert run.finished_at is not None
    last = run.finished_at + LAST_CHECK
    if now < last:
        return last
    # Something is left after the last one: look until it is gone.
    return now + timedelta(days=1) if run.residue else None


def find_receipt(code: str) -> Receipt | None:
    """Return the receipt with a code, as anybody may see it who has the code."""
    text = code.strip().upper()
    bucket = bucket_of_receipt(text)
    if bucket is None:
        return None
    run = ErasureRun.objects.filter(shard=bucket, receipt_code=text).first()
    return to_receipt(run) if run is not None else None


def to_receipt(run: ErasureRun) -> Receipt:
    """Return what anybody may know of a run who has its code."""
    return Receipt(
        code=run.receipt_code,
        target=str(run.target),
        state=str(run.state),
        requested_at=run.requested_at,
        finished_at=run.finished_at,
        verified_at=run.verified_at,
        counts=run.counts,
        residue=run.residue,
        stays=describe_stays(run.stays),
    )
