"""The bodies of consent's jobs: parse ids, one service call, retry by the queues' rows.

>>> run_erasure.delay(run_id=str(run_id))  # doctest: +SKIP
"""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from celery import shared_task
from django.db import DatabaseError
from django.utils import timezone

from consent import approvals, erasures, reads, settling
from consent.enqueue import CARRY_OUT_CHANGE, SETTLE_USER, send
from consent.errors import ConsentError

logger = logging.getLogger("memsys.jobs")

SWEEP_SECONDS = 40


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
    return {
        "made_up": made_up,
        "run": _each(due, lambda one, at: erasures.run(one, now=at)),
        "verified": _each(unverified, lambda one, at: erasures.verify(one, now=at)),
    }


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
    """Do a deed for each, while there is time; return how many succeeded."""
    deadline, done = time.monotonic() + SWEEP_SECONDS, 0
    for one in ids:
        if time.monotonic() > deadline:
            break
        try:
            deed(one, timezone.now())
            done += 1
        except (DatabaseError, ConsentError):
            # One that fails must not hold up all the others.
            logger.exception("sweep.stuck", extra={"id": str(one)})
    return done
