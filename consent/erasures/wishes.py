"""Asking for an erasure, and taking the wish back while there is time.

Owns the wait in between: what is to be erased is restricted, neither recalled nor
written, and gets back the status that it had when the wish is undone.

>>> run = request(target, by="user:0192…", reason_code="user-request",
...               at_once=False, now=now)  # doctest: +SKIP
"""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from consent.enqueue import enqueue
from consent.erasures.steps import count, list_relationships
from consent.erasures.stores import describe_stays, list_stays
from consent.erasures.targets import Preview, Target, target_of
from consent.errors import ErasureNotFound, ErasureNotUndoable, HeldByLaw
from consent.gate import check_erasable
from consent.models import ErasureRun
from consent.types import ErasureState, ErasureTarget
from identity.errors import RelationshipNotFound
from identity.models import GlobalUser, Relationship
from identity.statuses import release_all, restrict_all
from identity.types import RelationshipStatus
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.sharding.ids import BUCKET_MASK, bucket_of

RUN_ERASURE = "consent.run_erasure"
OPEN_STATES = (ErasureState.WAITING, ErasureState.BLOCKED, ErasureState.RUNNING)
RANDOM_CHARS = 20


def preview(target: Target) -> Preview:
    """Return what an erasure would delete and leave. A scope for each relationship."""
    holds = find_holds(target)
    return Preview(
        target=target,
        counts=count(target),
        stays=describe_stays(list_stays(target.kind.value, holds=holds)),
        holds=holds,
        undo_hours=settings.ERASURE_UNDO_HOURS,
    )


def find_holds(target: Target) -> tuple[UUID, ...]:
    """Return the legal holds that bar an erasure."""
    with transaction.atomic():
        try:
            check_erasable(
                target.user_id,
                relationship_id=target.relationship_id,
                memory_id=target.memory_id,
            )
        except HeldByLaw as exc:
            return tuple(exc.holds)
    return ()


def request(
    target: Target,
    *,
    by: str,
    reason_code: str,
    at_once: bool,
    now: datetime,
    longest: timedelta | None = None,
) -> ErasureRun:
    """Ask for an erasure; what it is about is restricted from now on.

    It can be undone for `ERASURE_UNDO_HOURS`, but not for longer than `longest`, and
    not if it is wanted at once; one memory is always erased at once. Asked for again
    while it waits, it is the same one.

    Raises:
        RelationshipNotFound: there is no such user, or the relationship is not theirs.
    """
    at_once = at_once or target.kind is ErasureTarget.MEMORY
    run_from = now if at_once else now + _find_wait(longest)
    with transaction.atomic():
        lock_user(target)
        run = _find_open(target)
        if run is None:
            run = _make(
                target, by=by, reason_code=reason_code, run_from=run_from, now=now
            )
        elif run.state == ErasureState.WAITING and (at_once or longest is not None):
            _hasten(run, run_from, at_once=at_once, by=by)
        if at_once and run.state == ErasureState.RUNNING:
            enqueue(RUN_ERASURE, run_id=run.pk)
    return run


def undo(run_id: UUID, *, by: str, now: datetime) -> ErasureRun:
    """Take a wish back; what it restricted is as it was before.

    One that a hold has blocked before its first step can be taken back at any time.

    Raises:
        ErasureNotFound: there is no such erasure.
        ErasureNotUndoable: its time is over, or it was wanted at once.
    """
    with transaction.atomic():
        run = ErasureRun.objects.select_for_update().filter(pk=run_id).first()
        if run is None:
            raise ErasureNotFound("There is no such erasure.")
        if not _may_undo(run, now=now):
            raise ErasureNotUndoable("It cannot be undone any more.")
        run.state, run.finished_at = ErasureState.UNDONE, now
        run.save(update_fields=["state", "finished_at"])
        release(run, by=by, is_undone=True)
        note(run, "erasure.undone", by=by)
    return run


def _may_undo(run: ErasureRun, *, now: datetime) -> bool:
    if run.state == ErasureState.BLOCKED:
        return not run.steps
    return run.state == ErasureState.WAITING and run.run_from > now


def lock_user(target: Target) -> None:
    """Let one wish about a user at a time be made or ended.

    Raises:
        RelationshipNotFound: there is no such user, or the relationship is not theirs.
    """
    users = GlobalUser.objects.select_for_update(no_key=True)
    if users.filter(pk=target.user_id).first() is None:
        raise RelationshipNotFound("There is no such user.")
    one = target.relationship_id
    of_user = Relationship.objects.of_user(target.user_id)
    if one is not None and not of_user.filter(pk=one).exists():
        raise RelationshipNotFound("There is no such relationship of this user.")


def new_receipt_code(user_id: UUID) -> str:
    """Return a code that tells nothing to others, and us where to look for it."""
    chance = secrets.token_hex(RANDOM_CHARS // 2)
    return f"{chance}{bucket_of(user_id) ^ _mask(chance):03x}".upper()


def bucket_of_receipt(code: str) -> int | None:
    """Return the bucket that a receipt's code stands for; None if it is no code."""
    text = code.lower()
    if len(text) != RANDOM_CHARS + 3 or not set(text) <= set("0123456789abcdef"):
        return None
    return int(text[RANDOM_CHARS:], 16) ^ _mask(text[:RANDOM_CHARS])


def _mask(chance: str) -> int:
    return int.from_bytes(sha256(chance.encode()).digest()[:2], "big") & BUCKET_MASK


def _find_open(target: Target) -> ErasureRun | None:
    rows = ErasureRun.objects.filter(**identify(target), state__in=OPEN_STATES)
    return rows.select_for_update().order_by("requested_at", "id").first()


def _find_wait(longest: timedelta | None) -> timedelta:
    wait = timedelta(hours=settings.ERASURE_UNDO_HOURS)
    return wait if longest is None else min(wait, longest)


def _hasten(run: ErasureRun, run_from: datetime, *, at_once: bool, by: str) -> None:
    if not at_once and run.run_from <= run_from:
        return
    run.run_from = run_from
    run.state = ErasureState.RUNNING if at_once else ErasureState.WAITING
    run.save(update_fields=["state", "run_from"])
    note(run, "erasure.hastened", by=by)


def _make(
    target: Target, *, by: str, reason_code: str, run_from: datetime, now: datetime
) -> ErasureRun:
    holds, at_once = find_holds(target), run_from == now
    state = ErasureState.WAITING
    if at_once:
        state = ErasureState.BLOCKED if holds else ErasureState.RUNNING
    run = ErasureRun.objects.create(
        **identify(target),
        state=state,
        requested_by=by,
        reason_code=reason_code,
        requested_at=now,
        run_from=run_from,
        stays=list_stays(target.kind.value, holds=holds),
        receipt_code=new_receipt_code(target.user_id),
    )
    if target.kind is not ErasureTarget.MEMORY:
        restrict(run, by=by)
    note(run, "erasure.requested", by=by, details={"at_once": at_once})
    if holds:
        note(run, "erasure.blocked", by=by, details={"holds": [str(h) for h in holds]})
    return run


def identify(target: Target) -> dict[str, Any]:
    """Return the columns by which a run names its target."""
    return {
        "global_user_id": target.user_id,
        "target": target.kind,
        "relationship_id": target.relationship_id,
        "memory": target.memory_id,
    }


def restrict(run: ErasureRun, *, by: str) -> None:
    """Close what a run is about, and remember in it what the status was."""
    ids = list_relationships(target_of(run))
    before = restrict_all(ids, by=by, reason_code="erasure")
    # What another run has restricted already, or ended, was something else before.
    for other in _overlapping(run):
        before |= {
            one: other.status_before[str(one)]
            for one in ids
            if str(one) in other.status_before
        }
    run.status_before = {str(one): status for one, status in before.items()}
    run.save(update_fields=["status_before"])


def release(run: ErasureRun, *, by: str, is_undone: bool = False) -> None:
    """Open again what a run has restricted, unless another one needs it closed.

    Undone, an erasure of one relationship takes back the end that it came with.
    """
    still = {one for other in _overlapping(run) for one in other.status_before}
    before = {
        UUID(one): RelationshipStatus.RESTRICTED.value if one in still else status
        for one, status in run.status_before.items()
    }
    come_from = [RelationshipStatus.RESTRICTED]
    if is_undone and run.target == ErasureTarget.RELATIONSHIP:
        come_from.append(RelationshipStatus.ENDED)
    release_all(before, come_from=come_from, by=by, reason_code="erasure")


def _overlapping(run: ErasureRun) -> QuerySet[ErasureRun]:
    rows = ErasureRun.objects.filter(
        ~Q(pk=run.pk), global_user_id=run.global_user_id, state__in=OPEN_STATES
    )
    return rows.order_by("requested_at", "id")


def note(
    run: ErasureRun, action: str, *, by: str, details: dict[str, Any] | None = None
) -> None:
    """Record a deed about a run in the transaction that does it."""
    record(
        Deed(
            chain=deed_chain(run.global_user_id),
            action=action,
            actor=by,
            object_ref=f"erasure:{run.pk}",
            reason_code=run.reason_code,
            subject=run.global_user_id,
            details={"target": run.target, **(details or {})},
        )
    )
