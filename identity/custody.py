"""Who may operate a relationship now, and each move of it.

Owns custody and its transfers. The relationship's id never changes, so memory goes
on; what the receiving side inherits is recorded with the move.

>>> move_custody(relationship_id, to=Custody.PROXY_POOL, by="service:ab12",
...              reason_code="window", now=now)  # doctest: +SKIP
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from identity.errors import RelationshipNotFound
from identity.models import CustodyTransfer, Relationship
from identity.querysets import RelationshipQuerySet
from identity.types import Custody, RelationshipRef
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.outbox import emit
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql

SWEEP_LIMIT = 500
INHERITED = ("persona_profile", "memories_normal")


def move_custody(
    relationship_id: UUID, *, to: str, by: str, reason_code: str, now: datetime
) -> bool:
    """Move custody and say whether it moved; it does not when it is there already.

    An explicit move to the creator's pool restarts the custody window.

    Raises:
        RelationshipNotFound: there is no such relationship.
    """
    with transaction.atomic():
        row = Relationship.objects.select_for_update().filter(pk=relationship_id)
        relationship = row.first()
        if relationship is None:
            raise RelationshipNotFound("There is no such relationship.")
        if relationship.custody == to:
            return False
        _move(relationship, to=to, by=by, reason_code=reason_code, now=now)
    return True


def _move(
    relationship: Relationship, *, to: str, by: str, reason_code: str, now: datetime
) -> None:
    CustodyTransfer.objects.create(
        relationship=relationship,
        from_custody=relationship.custody,
        to_custody=to,
        actor=by,
        reason_code=reason_code,
        inherited=list(INHERITED),
        moved_at=now,
    )
    Relationship.objects.filter(pk=relationship.pk).update(custody=to)
    record(
        Deed(
            chain=deed_chain(relationship.global_user_id),
            action="custody.moved",
            actor=by,
            object_ref=f"relationship:{relationship.pk}",
            field_names=("custody",),
            reason_code=reason_code,
        )
    )
    emit(
        "custody.moved",
        user_id=relationship.global_user_id,
        relationship_id=relationship.pk,
        data={"from": relationship.custody, "to": to, "reason_code": reason_code},
    )


def note_creator_message(
    relationship: RelationshipRef, *, sent_at: datetime, now: datetime
) -> None:
    """Restart the custody window; a creator who writes gets the relationship back.

    Runs in the transaction that stores the message. One statement, unless custody
    moves. A message older than the window, imported late, moves nothing.
    """
    parameters: dict[str, Any] = {
        "id": relationship.id,
        "shard": bucket_of(relationship.id),
        # A clock that runs ahead must not lengthen the window.
        "sent_at": min(sent_at, now),
    }
    with connection.cursor() as cursor:
        cursor.execute(load_sql("identity", "note_creator_message"), parameters)
        (custody,) = cursor.fetchone()
    if custody == Custody.PROXY_POOL and sent_at >= _window_start(now):
        _move(
            Relationship.objects.get(pk=relationship.id),
            to=Custody.CREATOR_POOL,
            by="system:custody",
            reason_code="creator-message",
            now=now,
        )


def move_expired(*, now: datetime) -> int:
    """Move what no creator wrote in for the window to the proxy pool; bounded."""
    rows = _expired(_window_start(now)).order_by("id")
    ids = list(rows.values_list("id", flat=True)[:SWEEP_LIMIT])
    return sum(_move_if_expired(one, now=now) for one in ids)


def _window_start(now: datetime) -> datetime:
    return now - timedelta(hours=settings.CUSTODY_WINDOW_HOURS)


def _expired(window_start: datetime) -> RelationshipQuerySet:
    """Keep those with a creator who neither wrote nor was given them since."""
    given = CustodyTransfer.objects.filter(
        shard=OuterRef("shard"),
        relationship_id=OuterRef("id"),
        to_custody=Custody.CREATOR_POOL,
        moved_at__gte=window_start,
    )
    rows: RelationshipQuerySet = (
        Relationship.objects.filter(
            custody=Custody.CREATOR_POOL, created_at__lt=window_start
        )
        .filter(
            Q(last_creator_message_at=None)
            | Q(last_creator_message_at__lt=window_start)
        )
        .filter(~Exists(given))
    )
    return rows


def _move_if_expired(relationship_id: UUID, *, now: datetime) -> bool:
    """Check again under the lock: the creator may have written meanwhile."""
    with transaction.atomic():
        rows = _expired(_window_start(now)).filter(pk=relationship_id)
        row = rows.select_for_update(of=("self",)).first()
        if row is None:
            return False
        _move(
            row,
            to=Custody.PROXY_POOL,
            by="system:custody",
            reason_code="window",
            now=now,
        )
    return True
