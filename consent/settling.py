"""What a consent's end means for the data that was kept by it.

Owns the work on a user's grants once some have ended: those whose time is over end by
an event, and what was kept of sensitive categories, or of a child without its
guardian's consent, goes. `GlobalUser.consents_due_at` is the queue. Safe to run twice.

>>> settle(user_id, now=now)  # doctest: +SKIP
Settled(expired=1, forgotten=2, closed=0)
"""

import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from uuid import UUID

from django.conf import settings
from django.db.models import Min

from consent import consents, erasures, holds
from consent.allowances import read_allowances
from consent.models import ConsentGrant
from consent.profiles import forget_values_of_child
from consent.types import GUARDIAN, SENSITIVE, GrantStatus, scope_document
from identity.adjacency import list_relationships_of_user
from identity.models import GlobalUser
from identity.resolution import get_relationship
from identity.scopes import job_scope
from identity.types import AgeBand, RelationshipRef, RelationshipStatus
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import Purpose, access_scope

logger = logging.getLogger("memsys.consents")

BY = "system:consents"
LEASE = timedelta(minutes=5)
# What a legal hold keeps is looked at again after so long.
HELD_RETRY = timedelta(days=1)
DUE_LIMIT = 500
REASON = "consent-ended"

Forget = Callable[..., int]


@dataclass(frozen=True)
class Settled:
    """How many grants expired, rows went, and relationships of a child were closed.

    `values` are those of a child's profile that went.
    """

    expired: int = 0
    forgotten: int = 0
    closed: int = 0
    values: int = 0


def list_due(*, now: datetime) -> list[UUID]:
    """Return the users with work on their grants, the longest due first."""
    rows = GlobalUser.objects.filter(consents_due_at__lte=now)
    due = rows.order_by("consents_due_at", "id").values_list("id", flat=True)
    return list(due[:DUE_LIMIT])


def settle(user_id: UUID, *, now: datetime) -> Settled | None:
    """Do the work on a user's grants; None when it is not due, or another has it.

    One that dies in the middle is taken up again after five minutes.
    """
    lease = now + LEASE
    due = GlobalUser.objects.filter(pk=user_id, consents_due_at__lte=now)
    if not due.update(consents_due_at=lease):
        return None
    expired, ended = _expire(user_id, now=now)
    forgotten = closed = 0
    for relationship in _list_concerned(user_id, ended):
        forgotten += _forget(relationship, ended, now=now)
        closed += _close(relationship, ended, now=now)
    values = _forget_values(user_id, now=now) if GUARDIAN in ended else 0
    _hand_back(user_id, lease=lease, now=now)
    done = Settled(expired, forgotten, closed, values)
    logger.info("consents.settled", extra={"user": str(user_id), **vars(done)})
    return done


def _expire(user_id: UUID, *, now: datetime) -> tuple[int, frozenset[str]]:
    """End what has run out; return how many, and each scope of which something ended."""
    with access_scope(Purpose.JOB, user=user_id):
        _lock(user_id)
        rows = ConsentGrant.objects.filter(global_user_id=user_id)
        over = rows.filter(status=GrantStatus.GRANTED, expires_at__lte=now)
        locked = list(over.select_for_update().order_by("id"))
        for grant in locked:
            consents.expire(grant, by=BY, now=now)
        ended = rows.exclude(status=GrantStatus.GRANTED)
        return len(locked), frozenset(ended.values_list("scope", flat=True))


def _list_concerned(user_id: UUID, ended: Collection[str]) -> Iterator[RelationshipRef]:
    documents = {scope_document(scope) for scope in ended}
    if documents & {SENSITIVE, GUARDIAN}:
        for relationship_id in list_relationships_of_user(user_id):
            yield get_relationship(relationship_id)


def _forget(
    relationship: RelationshipRef, ended: Collection[str], *, now: datetime
) -> int:
    """Delete what was kept by consents that ended; in one transaction with the deed."""
    categories = [
        scope.partition(":")[2]
        for scope in sorted(ended)
        if scope_document(scope) == SENSITIVE
    ]
    if not categories or relationship.is_synthetic:
        return 0
    with job_scope(relationship):
        count = sum(
            forget(relationship, categories, now=now) for forget in _list_forgetting()
        )
        if count:
            record(
                Deed(
                    chain=deed_chain(relationship.user_id),
                    action="consent.data_deleted",
                    actor=BY,
                    object_ref=f"relationship:{relationship.id}",
                    reason_code=REASON,
                    subject=relationship.user_id,
                    details={"rows": count},
                )
            )
    return count


def _list_forgetting() -> Iterator[Forget]:
    """Yield what deletes sensitive data: `forget_categories` of each app that has it."""
    for path in settings.PERSONAL_DATA_MODULES:
        forget = getattr(import_module(path), "forget_categories", None)
        if forget is not None:
            yield forget


def _close(
    relationship: RelationshipRef, ended: Collection[str], *, now: datetime
) -> int:
    """Have all of a child's relationship erased that has lost its guardian's consent.

    Source: PIPL, articles 31 and 47: without the guardian's consent it must go.
    """
    is_child = relationship.age_band == AgeBand.UNDER_14 and GUARDIAN in ended
    # What is restricted is under an erasure, or was restricted for a reason of its own.
    if not is_child or relationship.status == RelationshipStatus.RESTRICTED:
        return 0
    with job_scope(relationship):
        if read_allowances(relationship, now=now).allows(GUARDIAN):
            return 0
    target = erasures.Target(relationship.user_id, relationship.id)
    if not any(erasures.preview(target).counts.values()):
        return 0
    erasures.request(
        target,
        by=BY,
        reason_code=REASON,
        at_once=True,
        now=now,
    )
    return 1


def _forget_values(user_id: UUID, *, now: datetime) -> int:
    """Delete a child's profile when no guardian consents; not while a hold keeps it."""
    with access_scope(Purpose.JOB, user=user_id):
        # Until this commits no other hold is placed.
        if holds.list_keeping(user_id, relationship_id=None, memory_id=None):
            return 0
        count = forget_values_of_child(user_id, now=now)
        if count:
            record(
                Deed(
                    chain=deed_chain(user_id),
                    action="consent.data_deleted",
                    actor=BY,
                    object_ref=f"user:{user_id}",
                    reason_code=REASON,
                    subject=user_id,
                    details={"rows": count},
                )
            )
    return count


def _hand_back(user_id: UUID, *, lease: datetime, now: datetime) -> None:
    """Note when there is work again, unless something ended while this ran."""
    with access_scope(Purpose.JOB, user=user_id):
        _lock(user_id)
        rows = ConsentGrant.objects.filter(
            global_user_id=user_id, status=GrantStatus.GRANTED, expires_at__gt=now
        )
        at: datetime | None = rows.aggregate(first=Min("expires_at"))["first"]
        if holds.list_active(user_id).exists():
            at = min(at or now + HELD_RETRY, now + HELD_RETRY)
        # A consent that has ended since has put an earlier time in its place.
        own = GlobalUser.objects.filter(pk=user_id, consents_due_at=lease)
        own.update(consents_due_at=at)


def _lock(user_id: UUID) -> None:
    """Let nobody record a consent of this user until the transaction ends."""
    GlobalUser.objects.select_for_update(no_key=True).get(pk=user_id)
