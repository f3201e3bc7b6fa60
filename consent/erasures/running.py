"""Carrying out an erasure: step by step, each in one transaction with its record.

A run that is killed goes on where it was: what a step deleted and that it is done are
committed together. A lease keeps two workers from one run; a legal hold stops the steps
that it is about and no others, and the run waits for its end. Before the first step
commits, the erasure stands in the ledger.

>>> run(run_id, now=now).state  # doctest: +SKIP
'done'
"""

import logging
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q

from consent import ledger
from consent.erasures.steps import Planned, Wish, plan
from consent.erasures.stores import list_stays
from consent.erasures.targets import Target, target_of
from consent.erasures.wishes import (
    OPEN_STATES,
    identify,
    lock_user,
    new_receipt_code,
    note,
    release,
)
from consent.errors import HeldByLaw, LedgerError
from consent.gate import check_erasable
from consent.holds import note_refusal
from consent.models import ErasureRun
from consent.types import ErasureState
from memsys.kernel.erasing import Erasure
from memsys.kernel.outbox import emit
from memsys.kernel.scope import require_scope

logger = logging.getLogger("memsys.erasures")

ACTOR = "system:erasure"
LEASE = timedelta(minutes=6)  # longer than a job may take
WORK_SECONDS = 200
BLOCKED_RETRY = timedelta(minutes=15)  # the end of a hold has it tried at once
FIRST_CHECK = timedelta(hours=24)
LEDGER_LATE = 95  # before the audit rows, after all else
DUE_LIMIT = 200

Deed = Callable[[ErasureRun], None]


class _Lost(Exception):
    """Another worker has the run."""


def list_due(*, now: datetime) -> list[UUID]:
    """Return runs that wait for a worker, the oldest first."""
    rows = ErasureRun.objects.filter(_is_due(now))
    return list(
        rows.order_by("run_from", "id").values_list("id", flat=True)[:DUE_LIMIT]
    )


def run(run_id: UUID, *, now: datetime) -> ErasureRun | None:
    """Carry out what is due of an erasure; None when it is not, or is being done.

    It may end `blocked`, with all gone that no hold keeps, or `running` when there was
    no time for all of it.

    Raises:
        LedgerError: no line can be written; nothing was erased.
    """
    found = _claim(run_id, now=now)
    if found is None:
        return None
    wish = Wish(found.requested_by, found.reason_code)
    return work(found, wish, first=_write_line, now=now)


def work(found: ErasureRun, wish: Wish, *, first: Deed, now: datetime) -> ErasureRun:
    """Do the steps of a run that is held; `first` is part of the first transaction."""
    try:
        return _work(found, wish, first=first, now=now)
    except LedgerError:
        _give_back(found)
        raise
    except _Lost:
        return ErasureRun.objects.get(pk=found.pk)


def _work(found: ErasureRun, wish: Wish, *, first: Deed, now: datetime) -> ErasureRun:
    began = time.monotonic()
    refused: list[HeldByLaw] = []
    # Asked again at the end: a relationship may have begun meanwhile.
    while waiting := [] if refused else _list_waiting(found, wish):
        for planned in waiting:
            if time.monotonic() - began > WORK_SECONDS:
                return _give_back(found)
            try:
                _do(found, planned, first=first, now=_later(now, began))
            except HeldByLaw as exc:
                # What is held stays, and all else goes.
                refused.append(exc)
    return _block(found, refused, now=now) if refused else _finish(found, now=now)


def erase_now(
    target: Target, *, by: str, reason_code: str, now: datetime
) -> ErasureRun:
    """Erase a memory or relationship at once, in the scope of it that is open.

    All or nothing, and all of it is in the transaction of the scope.

    Raises:
        HeldByLaw: a legal hold keeps it, or a part of it.
        LedgerError: at the end of the scope, when no line can be written.
    """
    require_scope(relationship=target.relationship_id, user=target.user_id)
    began = time.monotonic()
    lock_user(target)
    _check_holds(target)
    done = ErasureRun.objects.create(
        **identify(target),
        state=ErasureState.RUNNING,
        requested_by=by,
        reason_code=reason_code,
        requested_at=now,
        run_from=now,
        receipt_code=new_receipt_code(target.user_id),
    )
    for planned in plan(target, Wish(by, reason_code)):
        _note_step(done, planned, planned.step.erase(planned.erasure, now), now=now)
    done.covers_until = _later(now, began)
    _write_line(done)
    _close(done, now=now)
    return done


def _is_due(now: datetime) -> Q:
    is_free = Q(lease_until=None) | Q(lease_until__lte=now)
    return is_free & Q(state__in=OPEN_STATES, run_from__lte=now)


def _later(now: datetime, began: float) -> datetime:
    """Return the caller's time, gone on since a reading of the monotonic clock."""
    return now + timedelta(seconds=time.monotonic() - began)


def _claim(run_id: UUID, *, now: datetime) -> ErasureRun | None:
    """Lease a run that is due to this worker. One statement to take it, one to read."""
    rows = ErasureRun.objects.filter(_is_due(now), pk=run_id)
    until = now + LEASE
    if not rows.update(state=ErasureState.RUNNING, lease_until=until):
        return None
    return ErasureRun.objects.filter(pk=run_id, lease_until=until).first()


def _list_waiting(found: ErasureRun, wish: Wish) -> list[Planned]:
    done = {one["step"] for one in found.steps}
    steps = plan(target_of(found), wish)
    return [planned for planned in steps if planned.key not in done]


def _do(found: ErasureRun, planned: Planned, *, first: Deed, now: datetime) -> None:
    """Do one step in one transaction.

    Raises:
        HeldByLaw: a hold keeps it.
        _Lost: the lease is another's.
    """
    began = time.monotonic()
    with planned.open():
        held = _lock(found)
        _check_holds(planned.erasure)
        _give_time()
        is_first = held.covers_until is None or not held.steps
        _note_step(held, planned, planned.step.erase(planned.erasure, now), now=now)
        if held.covers_until is None:
            # What was on its way in when it began has been waited for, and is gone.
            held.covers_until = _later(now, began)
        held.save(update_fields=["steps", "counts", "covers_until"])
        if is_first:
            first(held)
    found.steps, found.counts = held.steps, held.counts
    found.covers_until = held.covers_until


def _lock(found: ErasureRun) -> ErasureRun:
    rows = ErasureRun.objects.select_for_update()
    held = rows.filter(pk=found.pk, lease_until=found.lease_until).first()
    if held is None:
        raise _Lost
    return held


def _check_holds(what: Target | Erasure) -> None:
    check_erasable(
        what.user_id,
        relationship_id=what.relationship_id,
        memory_id=what.memory_id,
    )


def _give_time() -> None:
    """Let the deletes of a large relationship take longer than a request may."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '120s'")


def _note_step(
    held: ErasureRun, planned: Planned, counts: Any, *, now: datetime
) -> None:
    done = {"step": planned.key, "counts": dict(counts), "at": now.isoformat()}
    held.steps = [*held.steps, done]
    total = Counter(held.counts)
    total.update(counts)  # keeps what is zero, other than a sum
    held.counts = dict(total)


def _write_line(held: ErasureRun) -> None:
    """Write the ledger's line last in the open scope, before its audit rows."""
    scope = require_scope(user=held.global_user_id)
    scope.finish(f"ledger:{held.pk}", LEDGER_LATE, lambda: ledger.append_erasure(held))


def _finish(found: ErasureRun, *, now: datetime) -> ErasureRun:
    """End a run whose steps are all done. A transaction of its own.

    Raises:
        _Lost: the lease is another's.
    """
    with transaction.atomic():
        held = _lock(found)
        _close(held, now=now)
    return held


def _close(held: ErasureRun, *, now: datetime) -> None:
    held.state, held.finished_at, held.lease_until = ErasureState.DONE, now, None
    held.verify_from = now + FIRST_CHECK
    held.stays = list_stays(str(held.target))
    held.save()
    release(held, by=ACTOR)
    emit(
        "erasure.done",
        user_id=held.global_user_id,
        relationship_id=held.relationship_id,
        data={
            "erasure": str(held.pk),
            "target": str(held.target),
            "memory": str(held.memory) if held.memory is not None else None,
            "receipt": held.receipt_code,
        },
    )
    note(held, "erasure.done", by=ACTOR, details={"counts": held.counts})


def _block(found: ErasureRun, refused: list[HeldByLaw], *, now: datetime) -> ErasureRun:
    """Leave a run to wait for the end of holds, and tell which; retried later.

    Raises:
        _Lost: the lease is another's.
    """
    holds = sorted({hold for one in refused for hold in one.holds})
    with transaction.atomic():
        held = _lock(found)
        stays = list_stays(str(held.target), holds=holds)
        is_new = stays[0] not in held.stays
        held.state, held.lease_until, held.stays = ErasureState.BLOCKED, None, stays
        held.run_from = now + BLOCKED_RETRY
        held.save(update_fields=["state", "lease_until", "run_from", "stays"])
        for one in {one.object_ref: one for one in refused if is_new}.values():
            note_refusal(one, by=ACTOR)
    return held


def _give_back(found: ErasureRun) -> ErasureRun:
    ErasureRun.objects.filter(pk=found.pk, lease_until=found.lease_until).update(
        lease_until=None
    )
    return ErasureRun.objects.get(pk=found.pk)
