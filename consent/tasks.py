"""The bodies of consent's jobs: parse ids, one service call, retry by the queues' rows.

>>> run_erasure.delay(run_id=str(run_id))  # doctest: +SKIP
"""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError
from django.utils import timezone

from consent import approvals, erasures, exports, reads, retention, settling
from consent.enqueue import CARRY_OUT_CHANGE, SETTLE_USER, send
from consent.errors import ConsentError

logger = logging.getLogger("memsys.jobs")

SWEEP_SECONDS = 40
NIGHT_SECONDS = 200
EXPORT_SECONDS = 1500


def _id(value: Any) -> UUID:
    """Return an id from a task's payload.

    Raises:
        ConsentError: it is missing, blank or no UUID; the task is refused.
    """
    try:
        return UUID(str(value))
    except ValueError as exc:
        raise ConsentError("A job needs the id of what it is for.") from exc


@shared_task(name=erasures.RUN_ERASURE)
def run_erasure(*, run_id: str = "") -> str:
    """Carry out an erasure that is due; what is left the sweep takes up."""
    done = erasures.run(_id(run_id), now=timezone.now())
    return "not_due" if done is None else str(done.state)


@shared_task(name="consent.sweep_erasures")
def sweep_erasures() -> dict[str, int]:
    """Make up for a crash, carry out erasures that are due, and check finished ones."""
    now = timezone.now()
    made_up = erasures.make_up(now=now)
    due, unverified = erasures.list_due(now=now), erasures.list_unverified(now=now)
    try:
        run = _each(due, lambda one, at: erasures.run(one, now=at))
    finally:
        verified = _each(unverified, lambda one, at: erasures.verify(one, now=at))
    return {"made_up": made_up, "run": run, "verified": verified}


# A file takes as long as there is to write; the run's lease is renewed meanwhile.
@shared_task(
    name=exports.RUN_EXPORT,
    soft_time_limit=EXPORT_SECONDS,
    time_limit=EXPORT_SECONDS + 60,
)
def run_export(*, run_id: str = "") -> str:
    """Make the file of an export; one that was cut off the sweep has begun again."""
    done = exports.run(_id(run_id), now=timezone.now())
    return "not_due" if done is None else str(done.state)


@shared_task(name="consent.sweep_exports")
def sweep_exports() -> dict[str, int]:
    """Queue exports again that wait for a worker, and delete files whose time is over."""
    now = timezone.now()
    queued = 0
    for run_id in exports.list_due(now=now):
        if not send(exports.RUN_EXPORT, run_id=run_id):
            break
        queued += 1
    over = exports.list_expired(now=now)
    expired = _each(over, lambda one, at: exports.expire(one, now=at))
    return {"queued": queued, "expired": expired}


@shared_task(name="consent.seal_reads")
def seal_reads() -> int:
    """Commit the digests of the reads noted since the last time to the audit chains."""
    return reads.seal(timezone.now())


@shared_task(name=SETTLE_USER)
def settle_user(*, user_id: str = "") -> str:
    """Delete what a consent carried that has just ended; a sweep makes up for a loss."""
    done = settling.settle(_id(user_id), now=timezone.now())
    return "not_due" if done is None else "settled"


@shared_task(name="consent.settle_grants")
def settle_grants() -> int:
    """End consents whose time is over, and delete what ended ones have carried."""
    due = settling.list_due(now=timezone.now())
    return _each(due, lambda one, at: settling.settle(one, now=at))


@shared_task(name="consent.sweep_retention")
def sweep_retention() -> int:
    """Delete what is kept no longer, page by page; close the night once it is done.

    A relationship that fails holds up neither the others nor the end of the night.
    """
    deadline = time.monotonic() + NIGHT_SECONDS
    night = retention.begin_night(now=timezone.now())
    looked, faults = 0, list[Exception]()
    while time.monotonic() < deadline:
        due = retention.iterate_due(until=night.started_at)
        done, fault = _try_each(
            due, lambda one, at: retention.look(one, night, now=at), until=deadline
        )
        looked += done
        faults += [fault] if fault is not None else []
        # Those that fail stay due; there may be nothing but them.
        if not done:
            break
    if night.finished_at is None and time.monotonic() < deadline:
        retention.finish_night(night, now=timezone.now())
    if faults:
        raise faults[0]
    return looked


@shared_task(name="consent.sweep_changes")
def sweep_changes() -> dict[str, int]:
    """Close what no second person decided in time; queue again what waits for a job."""
    now = timezone.now()
    queued = 0
    for change_id in approvals.list_waiting(now=now):
        if not send(CARRY_OUT_CHANGE, change_id=change_id):
            break
        queued += 1
    return {"expired": approvals.expire_due(now), "queued": queued}


@shared_task(name=CARRY_OUT_CHANGE)
def carry_out_change(*, change_id: str = "") -> str:
    """Carry out a change that was approved and takes long; what is left goes on."""
    done = approvals.carry_out_claimed(_id(change_id), now=timezone.now())
    return "not_waiting" if done is None else str(done.state)


def _each(ids: Sequence[UUID], deed: Callable[[UUID, datetime], object]) -> int:
    """Do a deed for each, while there is time; return how many succeeded.

    One that fails must not hold up all the others. A fault of the program is raised in
    the end.
    """
    done, fault = _try_each(ids, deed, until=time.monotonic() + SWEEP_SECONDS)
    if fault is not None:
        raise fault
    return done


def _try_each(
    ids: Iterable[UUID], deed: Callable[[UUID, datetime], object], *, until: float
) -> tuple[int, Exception | None]:
    """Do a deed for each; return how many succeeded, and a fault of the program."""
    done = 0
    fault: Exception | None = None
    for one in ids:
        if time.monotonic() > until:
            break
        try:
            deed(one, timezone.now())
            done += 1
        except SoftTimeLimitExceeded:
            raise
        except Exception as exc:
            logger.exception("sweep.stuck", extra={"id": str(one)})
            if not isinstance(exc, DatabaseError | ConsentError):
                fault = fault or exc
    return done, fault
