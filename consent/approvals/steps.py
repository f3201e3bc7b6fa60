"""The steps of a request: asked for, approved or refused, withdrawn, expired.

Owns who may take which step and when. Every step locks the row and looks at its state,
so that of two at once the second finds it decided.
"""

import hmac
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DataError, IntegrityError, connection, transaction

from consent.approvals.approved import check_unchanged, lock
from consent.approvals.kinds import (
    BarsPersons,
    ChangeKind,
    PreparesPayload,
    TakesLong,
    get_kind,
    hash_payload,
)
from consent.approvals.records import BY_SYSTEM, close, record_step, staff
from consent.enqueue import CARRY_OUT_CHANGE, enqueue
from consent.errors import (
    ChangeClosed,
    ConsentError,
    InvalidChange,
    NotTheRequester,
    SamePerson,
    StaleChange,
)
from consent.models import ChangeRequest
from consent.types import ChangeState
from memsys.kernel.text.clean import clean_text

MAX_WORDS = 500
MAX_REF = 200
EXPIRE_LIMIT = 500
BY_DATABASE = "refused-by-database"


def propose(
    kind: str,
    payload: Mapping[str, Any],
    *,
    object_ref: str,
    reason: str,
    by: int,
    now: datetime,
) -> ChangeRequest:
    """Ask for a change; another person has `CHANGE_REQUEST_HOURS` to decide.

    What is asked for never changes: who wants something else asks anew.

    Raises:
        UnknownChangeKind: there is no such kind.
        InvalidChange: the payload is not one of this kind, or no reason was given.
    """
    of_kind = get_kind(kind)
    if isinstance(of_kind, PreparesPayload):
        payload = of_kind.prepare(payload)
    digest = hash_payload(payload)
    of_kind.check(payload)
    words = _clean(reason, field="reason", is_needed=True)
    if len(object_ref) > MAX_REF:
        raise InvalidChange("object_ref", f"at most {MAX_REF} characters")
    with transaction.atomic():
        request = ChangeRequest.objects.create(
            kind=kind,
            object_ref=object_ref,
            payload=dict(payload),
            payload_hash=digest,
            reason=words,
            requested_by=by,
            requested_at=now,
            expires_at=now + timedelta(hours=settings.CHANGE_REQUEST_HOURS),
        )
        record_step(request, "change.proposed", by=staff(by), words=words)
    return request


def approve(
    id: UUID, *, by: int, payload_hash: str, now: datetime, note: str = ""
) -> ChangeRequest:
    """Approve a change and carry it out, once, in one transaction.

    `payload_hash` is the one that the person was shown. A change that cannot be carried
    out is `failed` with a code in its result, and nothing of it is done; one that takes
    long is `approved` until its job is done.

    Raises:
        ChangeNotFound, ChangeClosed: there is nothing to decide (any more).
        StaleChange: it is not what the person was shown.
        SamePerson: they asked for it, or gain by it.
    """
    words = _clean(note, field="note")
    with transaction.atomic():
        request = _lock_open(id, now=now)
        kind = get_kind(request.kind)
        _check_decider(request, kind, by=by)
        _check_hash(request, shown=payload_hash)
        _decide(request, ChangeState.APPROVED, by=by, now=now, words=words)
        result = _carry_out(kind, request, now=now)
        record_step(request, "change.approved", by=staff(by), words=words)
        if result is not None:
            close(request, result, by=staff(by), now=now)
    return request


def refuse(id: UUID, *, by: int, note: str, now: datetime) -> ChangeRequest:
    """Refuse a change, with the reason.

    Raises:
        ChangeNotFound, ChangeClosed: there is nothing to decide (any more).
        SamePerson: they asked for it: then it is theirs to withdraw.
        InvalidChange: no reason was given.
    """
    words = _clean(note, field="note", is_needed=True)
    with transaction.atomic():
        request = _lock_open(id, now=now)
        _check_decider(request, get_kind(request.kind), by=by)
        _decide(request, ChangeState.REFUSED, by=by, now=now, words=words)
        record_step(request, "change.refused", by=staff(by), words=words)
    return request


def withdraw(id: UUID, *, by: int, now: datetime) -> ChangeRequest:
    """Take back what one asked for oneself.

    Raises:
        ChangeNotFound, ChangeClosed: there is nothing to withdraw (any more).
        NotTheRequester: somebody else asked for it.
    """
    with transaction.atomic():
        request = _lock_open(id, now=now)
        if request.requested_by != by:
            raise NotTheRequester("Somebody else asked for this.")
        _decide(request, ChangeState.WITHDRAWN, by=by, now=now)
        record_step(request, "change.withdrawn", by=staff(by))
    return request


def expire_due(now: datetime) -> int:
    """Close what nobody decided in time; return how many, at most 500 at a time."""
    with transaction.atomic():
        rows = ChangeRequest.objects.filter(state=ChangeState.OPEN, expires_at__lte=now)
        waiting = rows.select_for_update(skip_locked=True).order_by("expires_at", "id")
        due = list(waiting[:EXPIRE_LIMIT])
        for request in due:
            request.state = ChangeState.EXPIRED
            request.save(update_fields=["state"])
            record_step(request, "change.expired", by=BY_SYSTEM)
    return len(due)


def may_decide(request: ChangeRequest, *, by: int, now: datetime) -> bool:
    """Say whether a person could decide this; their role is the desk's to ask."""
    is_open = request.state == ChangeState.OPEN and now < request.expires_at
    return is_open and by not in _barred(request, get_kind(request.kind))


def describe(request: ChangeRequest) -> list[tuple[Any, Any]]:
    """Return what would change, as the person who decides is to see it."""
    return get_kind(request.kind).describe(request.payload)


def _carry_out(
    kind: ChangeKind, request: ChangeRequest, *, now: datetime
) -> dict[str, Any] | None:
    """Carry out a change, all of it or nothing; None when a job will.

    What the kind does not foresee is an error of ours: it takes the approval with it,
    and the request stays open.
    """
    if isinstance(kind, TakesLong):
        enqueue(CARRY_OUT_CHANGE, change_id=request.pk)
        return None
    try:
        with transaction.atomic():
            result = kind.carry_out(request.payload, request=request, now=now)
            # References are checked at the commit, when it is too late to tell.
            connection.check_constraints()
        return result
    except ConsentError as exc:
        return {"error": exc.code}
    except (IntegrityError, DataError):
        return {"error": BY_DATABASE}


def _lock_open(id: UUID, *, now: datetime) -> ChangeRequest:
    request = lock(id)
    if request.state != ChangeState.OPEN or now >= request.expires_at:
        raise ChangeClosed("There is nothing to decide any more.")
    return request


def _barred(request: ChangeRequest, kind: ChangeKind) -> set[int]:
    gaining = kind.list_barred(request.payload) if isinstance(kind, BarsPersons) else ()
    return {request.requested_by, *gaining}


def _check_decider(request: ChangeRequest, kind: ChangeKind, *, by: int) -> None:
    if by in _barred(request, kind):
        raise SamePerson("Another person must decide this.")


def _check_hash(request: ChangeRequest, *, shown: str) -> None:
    if not hmac.compare_digest(request.payload_hash.encode(), shown.encode()):
        raise StaleChange("This is not what was shown.")
    check_unchanged(request)


def _decide(
    request: ChangeRequest,
    state: ChangeState,
    *,
    by: int,
    now: datetime,
    words: str = "",
) -> None:
    request.state, request.decided_by, request.decided_at = state, by, now
    request.decision_note = words
    request.save(
        update_fields=["state", "decided_by", "decided_at", "decision_note"],
    )


def _clean(text: str, *, field: str, is_needed: bool = False) -> str:
    words = clean_text(text)
    if len(words) > MAX_WORDS or (is_needed and not words):
        raise InvalidChange(field, f"1 to {MAX_WORDS} characters")
    return words
