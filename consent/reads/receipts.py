"""Lists the receipts of what was released into a relationship."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from consent.models import ReleaseReceipt
from identity.types import RelationshipRef
from memsys.kernel.scope import require_scope


@dataclass(frozen=True)
class ReceiptView:
    """That fields were released: names, and by which policies and grants in turn."""

    id: UUID
    field_keys: tuple[str, ...]
    policies: tuple[UUID, ...]
    grants: tuple[UUID, ...]
    actor: str
    released_at: datetime


def list_receipts(
    relationship: RelationshipRef,
    *,
    after: tuple[datetime, UUID] | None = None,
    limit: int = 50,
) -> list[ReceiptView]:
    """Return the receipts of a relationship, the oldest first. One query.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this relationship and user is open.
    """
    require_scope(relationship=relationship.id, user=relationship.user_id)
    rows = ReleaseReceipt.objects.filter(
        global_user_id=relationship.user_id, relationship_id=relationship.id
    )
    if after is not None:
        released_at, last = after
        rows = rows.filter(
            Q(released_at__gt=released_at) | Q(released_at=released_at, id__gt=last)
        )
    return [
        ReceiptView(
            id=row.pk,
            field_keys=tuple(row.field_keys),
            policies=tuple(map(UUID, row.policies)),
            grants=tuple(map(UUID, row.grants)),
            actor=row.actor,
            released_at=row.released_at,
        )
        for row in rows.order_by("released_at", "id")[:limit]
    ]
