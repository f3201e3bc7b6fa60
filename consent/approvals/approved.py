"""What was approved and is not done in the same breath.

Owns the changes that a job carries out, claimed for a while so that one worker has
each, and what a result gains later. The rows are the queue: a sweep finds what a lost
broker forgot.

>>> list_waiting(now=now)  # doctest: +SKIP
[UUID('0193…')]
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from consent.approvals.kinds import get_kind, hash_payload
from consent.approvals.records import BY_SYSTEM, close
from consent.errors import ChangeNotFound, ConsentError, StaleChange
from consent.models import ChangeRequest
from consent.types import ChangeState

SWEEP_LIMIT = 100
LEASE = timedelta(minutes=6)  # a job is killed after five
HELD_UNTIL = "held_until"


def lock(id: UUID) -> ChangeRequest:
    """Return a request, locked until the open transaction ends.

    Raises:
        ChangeNotFound: there is none.
    """
    request = ChangeRequest.objects.select_for_update().filter(pk=id).first()
    if request is None:
        raise ChangeNotFound("There is no such request.")
    return request


def check_unchanged(request: ChangeRequest) -> None:
    """Refuse what is not word for word what was asked for.

    Raises:
        StaleChange: the payload and its hash do not belong together.
    """
    if hash_payload(request.payload) != request.payload_hash:
        raise StaleChange("This is not what was asked for.")


def list_waiting(*, now: datetime) -> list[UUID]:
    """Return what is approved and no worker has, the oldest first."""
    rows = ChangeRequest.objects.filter(state=ChangeState.APPROVED)
    oldest = rows.order_by("decided_at", "id")[:SWEEP_LIMIT]
    return [request.pk for request in oldest if not _is_held(request, now=now)]


def carry_out_claimed(id: UUID, *, now: datetime) -> ChangeRequest | None:
    """Carry out what was approved and takes long; None when another worker has it.

    Outside of a transaction: the kind opens its own, and keeps with `add_result` how
    far it is. What it does not foresee is raised; the sweep tries again later. What was
    edited after the approval fails, and nothing of it is done.

    Raises:
        ChangeNotFound: there is none.
    """
    request = _claim(id, now=now)
    if request is None:
        return None
    kind = get_kind(request.kind)
    try:
        check_unchanged(request)
        result = kind.carry_out(request.payload, request=request, now=now)
    except ConsentError as exc:
        result = {"error": exc.code}
    return _finish(id, result, now=now)


def _claim(id: UUID, *, now: datetime) -> ChangeRequest | None:
    with transaction.atomic():
        request = lock(id)
        if request.state != ChangeState.APPROVED or _is_held(request, now=now):
            return None
        add_result(request, **{HELD_UNTIL: (now + LEASE).isoformat()})
    return request


def add_result(request: ChangeRequest, **values: Any) -> None:
    """Add ids, codes and counts to the result of a request that is locked or claimed.

    What a job keeps here it finds again when it has to go on.
    """
    request.result = {**request.result, **values}
    request.save(update_fields=["result"])


def _finish(id: UUID, result: dict[str, Any], *, now: datetime) -> ChangeRequest:
    with transaction.atomic():
        request = lock(id)
        if request.state == ChangeState.APPROVED:
            close(request, result, by=BY_SYSTEM, now=now)
    return request


def _is_held(request: ChangeRequest, *, now: datetime) -> bool:
    until = request.result.get(HELD_UNTIL)
    return until is not None and now < datetime.fromisoformat(until)
