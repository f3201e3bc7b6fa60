"""Doing again, after a restore, what the ledger knows and the database does not.

Line by line in the ledger's order: what was stored up to the line's `covers_until` is
erased again, under the same id and receipt. A hold that the restored database has stops
it: what is held is restricted, and erased once the hold is lifted. A hold that was placed
after the dump is placed again before what comes after it.

>>> [done.outcome for done in replay(now=now)]  # doctest: +SKIP
['erased', 'nobody']
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from consent import ledger
from consent.erasures.running import LEASE, work
from consent.erasures.steps import Wish, list_steps
from consent.erasures.stores import list_stays
from consent.erasures.targets import Target
from consent.erasures.wishes import identify, restrict
from consent.models import ErasureRun, LegalHold
from consent.types import ErasureState, ErasureTarget
from identity.models import GlobalUser, Relationship
from memsys.kernel.audit.chain import Deed, deed_chain, record

ACTOR = "system:replay"
CRASH_LINES = 1  # what a crash between a line and its commit can leave


@dataclass(frozen=True)
class Replayed:
    """What became of one line: erased, blocked, or nobody (not in this database).

    Of a hold: held or lifted.
    """

    number: int
    target: str
    outcome: str


def make_up(*, now: datetime) -> int:
    """Do what a crash may have left undone, and refuse all that is more; return it.

    Raises:
        LedgerBehind: the database was restored; `manage.py erasures replay` must run.
        LedgerDamaged: the ledger is missing, cut or edited.
    """
    # What cannot be loaded is found at the start, and not by the first erasure.
    list_steps()
    if ledger.count_missing() == CRASH_LINES:
        return len(list(replay(now=now)))
    ledger.check()
    return 0


def replay(*, now: datetime) -> Iterator[Replayed]:
    """Erase again what the database does not know of; yield each line as it is done.

    Raises:
        LedgerDamaged: the ledger is missing, cut or edited.
    """
    for line in ledger.read_lines(after=ledger.read_known()):
        yield Replayed(line.number, line.entry.target, _replay_line(line, now=now))


def _replay_line(line: ledger.Line, *, now: datetime) -> str:
    """Do one line again; it is known only when all of it is done."""
    entry = line.entry
    if not _is_known(entry):
        _know(line)
        return "nobody"
    if entry.target in (ledger.HOLD_PLACED, ledger.HOLD_LIFTED):
        outcome = _hold_again(entry)
        _know(line)
        return outcome
    wish = Wish(entry.by, entry.reason_code, until=entry.covers_until)
    found = _prepare(entry, now=now)
    while found.state == ErasureState.RUNNING:
        # Its line is in the ledger already.
        found = work(found, wish, first=lambda run: None, now=now)
        if found.state == ErasureState.RUNNING:
            found = _prepare(entry, now=now)
    if found.state == ErasureState.BLOCKED:
        _close_held(found)
    _know(line)
    return "blocked" if found.state == ErasureState.BLOCKED else "erased"


def _hold_again(entry: ledger.Entry) -> str:
    """Place a hold that the dump does not have, or lift one that it still has."""
    with transaction.atomic():
        rows = LegalHold.objects.select_for_update()
        found = rows.filter(pk=entry.run).first()
        if entry.target == ledger.HOLD_LIFTED:
            if found is not None and found.lifted_at is None:
                found.lifted_by, found.lifted_at = entry.by, entry.covers_until
                found.save(update_fields=["lifted_by", "lifted_at"])
                blocked = ErasureRun.objects.filter(
                    global_user_id=entry.user, state=ErasureState.BLOCKED
                )
                blocked.update(run_from=entry.covers_until)
                _note_hold(entry, "hold.lifted")
            return "lifted"
        if found is None:
            LegalHold.objects.create(
                id=entry.run,
                global_user_id=entry.user,
                relationship_id=entry.relationship,
                memory=entry.memory,
                reason_code=entry.reason_code,
                case_ref=entry.receipt,
                placed_by=entry.by,
                placed_at=entry.requested_at,
            )
            _note_hold(entry, "hold.placed")
        return "held"


def _note_hold(entry: ledger.Entry, action: str) -> None:
    hold_id = entry.run
    record(
        Deed(
            chain=deed_chain(entry.user),
            action=action,
            actor=ACTOR,
            object_ref=f"hold:{hold_id}",
            reason_code=entry.reason_code,
            subject=entry.user,
        )
    )


def _close_held(found: ErasureRun) -> None:
    """Restrict what a hold keeps, as it was before the restore."""
    with transaction.atomic():
        if found.target != ErasureTarget.MEMORY and not found.status_before:
            restrict(found, by=ACTOR)


def _is_known(entry: ledger.Entry) -> bool:
    """Say whether the database has what was erased: it may be older than that."""
    if not GlobalUser.objects.filter(pk=entry.user).exists():
        return False
    of_user = Relationship.objects.of_user(entry.user)
    one = entry.relationship
    return one is None or of_user.filter(pk=one).exists()


def _prepare(entry: ledger.Entry, *, now: datetime) -> ErasureRun:
    """Return the run of a line, made if the database never had it, and leased."""
    lease: dict[str, Any] = {
        "state": ErasureState.RUNNING,
        "lease_until": now + LEASE,
        "covers_until": entry.covers_until,
    }
    with transaction.atomic():
        rows = ErasureRun.objects.select_for_update()
        found = rows.filter(pk=entry.run).first()
        if found is not None and found.state == ErasureState.DONE:
            return found
        if found is not None:
            ErasureRun.objects.filter(pk=entry.run).update(finished_at=None, **lease)
            return ErasureRun.objects.get(pk=entry.run)
        target = Target(entry.user, entry.relationship, entry.memory)
        return ErasureRun.objects.create(
            id=entry.run,
            **identify(target),
            **lease,
            requested_by=entry.by,
            reason_code=entry.reason_code,
            requested_at=entry.requested_at,
            run_from=entry.requested_at,
            stays=list_stays(entry.target),
            receipt_code=entry.receipt,
        )


def _know(line: ledger.Line) -> None:
    """Mark the line, unless another process has replayed it meanwhile."""
    with transaction.atomic():
        if ledger.lock_next(line):
            ledger.note_known(line)
