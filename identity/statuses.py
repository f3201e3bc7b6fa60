"""Pausing, ending and restricting relationships, each with its audit row.

Owns which status may follow which. The gate reads the status with every request, so a
change works on the next one.

>>> set_status(relationship_id, RelationshipStatus.PAUSED, by="service:ab12",
...            reason_code="asked")  # doctest: +SKIP
True
"""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from identity.errors import RelationshipNotFound, StatusConflict
from identity.models import Relationship
from identity.querysets import RelationshipQuerySet
from identity.types import RelationshipStatus
from memsys.kernel.audit.chain import Deed, deed_chain, record

ACTIVE = RelationshipStatus.ACTIVE
PAUSED = RelationshipStatus.PAUSED
RESTRICTED = RelationshipStatus.RESTRICTED
ENDED = RelationshipStatus.ENDED

# What a relationship may become by a plain wish. A restriction is taken back by whoever
# restricted it, and an end together with the erasure that it brings, or never.
WISHES: dict[str, tuple[Collection[str], RelationshipStatus]] = {
    "pause": ((ACTIVE,), PAUSED),
    "resume": ((PAUSED,), ACTIVE),
    "end": ((ACTIVE, PAUSED, RESTRICTED), ENDED),
}


def set_status(
    relationship_id: UUID,
    to: str,
    *,
    by: str,
    reason_code: str,
    come_from: Collection[str] | None = None,
) -> bool:
    """Give a relationship a status; False when it has it. Two statements.

    `come_from` are the statuses that it may have now, any but ended by default.

    Raises:
        RelationshipNotFound: there is no such relationship.
        StatusConflict: its status now is none that this may follow.
    """
    with transaction.atomic():
        rows = Relationship.objects.select_for_update(no_key=True)
        row = rows.filter(pk=relationship_id).first()
        if row is None:
            raise RelationshipNotFound("There is no such relationship.")
        if row.status == to:
            return False
        if row.status not in (come_from or (ACTIVE, PAUSED, RESTRICTED)):
            raise StatusConflict("The status of the relationship does not allow this.")
        _change([row], to, by=by, reason_code=reason_code)
    return True


def carry_wish(
    relationship_id: UUID, wish: str, *, by: str, reason_code: str
) -> tuple[str, bool]:
    """Pause, resume or end a relationship; return its status, and whether it is new.

    Raises:
        RelationshipNotFound: there is no such relationship.
        StatusConflict: it is ended, or restricted and may only be ended.
    """
    come_from, to = WISHES[wish]
    is_changed = set_status(
        relationship_id, to, by=by, reason_code=reason_code, come_from=come_from
    )
    return to.value, is_changed


def restrict_all(
    relationship_ids: Collection[UUID], *, by: str, reason_code: str
) -> dict[UUID, str]:
    """Close relationships to both, content kept; return the status of each before.

    What is ended stays so and is not among them. Two statements.
    """
    rows = _lock(relationship_ids).exclude(status=ENDED)
    before = list(rows)
    found = {row.pk: str(row.status) for row in before}
    changed = [row for row in before if row.status != RESTRICTED]
    if changed:
        _change(changed, RESTRICTED, by=by, reason_code=reason_code)
    return found


def release_all(
    before: dict[UUID, str],
    *,
    by: str,
    reason_code: str,
    come_from: Collection[str] = (RESTRICTED,),
) -> None:
    """Give relationships the status that they had; those of `come_from` alone."""
    for status in sorted(set(before.values())):
        ids = [one for one, was in before.items() if was == status]
        rows = list(_lock(ids).filter(status__in=come_from).exclude(status=status))
        if rows:
            _change(rows, status, by=by, reason_code=reason_code)


def _lock(relationship_ids: Collection[UUID]) -> RelationshipQuerySet:
    rows: RelationshipQuerySet = (
        Relationship.objects.filter(pk__in=relationship_ids)
        .order_by("id")
        .select_for_update(no_key=True)
    )
    return rows


def _change(rows: list[Relationship], to: str, *, by: str, reason_code: str) -> None:
    Relationship.objects.filter(pk__in=[row.pk for row in rows]).update(status=to)
    for row in rows:
        record(
            Deed(
                chain=deed_chain(row.global_user_id),
                action="relationship.status_set",
                actor=by,
                object_ref=f"relationship:{row.pk}",
                field_names=("status",),
                reason_code=reason_code,
                details={"from": str(row.status), "to": str(to)},
                subject=row.global_user_id,
            )
        )
