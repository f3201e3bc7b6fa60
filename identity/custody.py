"""Who may operate a relationship now, and each move of it.

Owns custody and its transfers. The relationship's id never changes, so memory goes
on; what the receiving side inherits is recorded with the move.

>>> move_custody(relationship_id, to=Custody.PROXY_POOL, by="service:ab12",
...              reason_code="window", now=now)  # doctest: +SKIP
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from identity.errors import RelationshipNotFound
from identity.models import CustodyTransfer, Relationship
from identity.types import Custody, RelationshipRef
from memsys.kernel.audit.chain import Deed, deed_chain, record

SWEEP_LIMIT = 500
INHERITED = ("persona_profile", "memories_normal")


def move_custody(
    relationship_id: UUID, *, to: str, by: str, reason_code: str, now: datetime
) -> bool:
    """Move custody and say whether it moved; it does not when it is there already.

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


def note_creator_message(
    relationship: RelationshipRef, *, sent_at: datetime, now: datetime
) -> None:
    """Restart the custody window; a creator who writes gets the relationship back.

    Runs in the transaction that stores the message.
    """
    Relationship.objects.filter(pk=relationship.id).filter(
        Q(last_creator_message_at=None) | Q(last_creator_message_at__lt=sent_at)
    ).update(last_creator_message_at=sent_at)
    if relationship.custody == Custody.PROXY_POOL:
        row = Relationship.objects.select_for_update().get(pk=relationship.id)
        if row.custody == Custody.PROXY_POOL:
            _move(
                row,
                to=Custody.CREATOR_POOL,
                by="system:custody",
                reason_code="creator-message",
                now=now,
            )


def move_expired(*, now: datetime) -> int:
    """Move what no creator wrote in for the window to the proxy pool; bounded."""
    window_start = now - timedelta(hours=settings.CUSTODY_WINDOW_HOURS)
    rows = Relationship.objects.filter(
        custody=Custody.CREATOR_POOL, created_at__lt=window_start
    ).filter(
        Q(last_creator_message_at=None) | Q(last_creator_message_at__lt=window_start)
    )
    ids = list(rows.order_by("id").values_list("id", flat=True)[:SWEEP_LIMIT])
    return sum(_move_if_expired(one, window_start, now=now) for one in ids)


def _move_if_expired(
    relationship_id: UUID, window_start: datetime, *, now: datetime
) -> bool:
    """Check again under the lock: the creator may have written meanwhile."""
    with transaction.atomic():
        row = Relationship.objects.select_for_update().get(pk=relationship_id)
        written_at = row.last_creator_message_at
        is_late = written_at is None or written_at < window_start
        if row.custody != Custody.CREATOR_POOL or not is_late:
            return False
        _move(
            row,
            to=Custody.PROXY_POOL,
            by="system:custody",
            reason_code="window",
            now=now,
        )
    return True
