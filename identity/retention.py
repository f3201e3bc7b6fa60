"""When each relationship is looked at next for what is kept no longer.

Owns the columns by which the nightly job finds that work, so that it scans nothing, and
the mark that a user was told of a relationship that lies idle. What is deleted, and
after which time, is not decided here.

>>> list_due_retention(now=now, limit=500)  # doctest: +SKIP
[UUID('0192…')]
"""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from identity.models import Relationship

BATCH = 5000


def list_due_retention(
    *, now: datetime, limit: int, after: tuple[datetime, UUID] | None = None
) -> list[tuple[datetime, UUID]]:
    """Return since when which relationships wait to be looked at, by that time.

    `after` is the last one of the page before. One query.
    """
    rows = Relationship.objects.filter(retention_at__lte=now)
    if after is not None:
        since, last = after
        later = Q(retention_at=since, id__gt=last) | Q(retention_at__gt=since)
        rows = rows.filter(later)
    ordered = rows.order_by("retention_at", "id").values_list("retention_at", "id")
    return [(since, row_id) for since, row_id in ordered[:limit] if since is not None]


def find_due(relationship_id: UUID, *, now: datetime) -> Relationship | None:
    """Return a relationship that is due, or None. One query.

    Whoever looks has locked the user before; the relationship itself is not locked,
    since those who write memories lock it last.
    """
    rows = Relationship.objects.filter(pk=relationship_id, retention_at__lte=now)
    return rows.first()


def is_first_of_user(row: Relationship) -> bool:
    """Say whether it is the user's first one, with which their own data goes. One query."""
    own = Relationship.objects.of_user(row.global_user_id)
    return not own.filter(pk__lt=row.pk).exists()


def settle_retention(
    row: Relationship, *, at: datetime, noticed_at: datetime | None
) -> None:
    """Note when a relationship is looked at next, and since when its user knows.

    A time that was brought forward since the row was read stands. At most two
    statements.
    """
    rows = Relationship.objects.filter(pk=row.pk)
    if noticed_at != row.inactive_noticed_at:
        rows.update(inactive_noticed_at=noticed_at)
    rows.filter(retention_at=row.retention_at).update(retention_at=at)


def bring_retention_forward(user_id: UUID, *, at: datetime) -> int:
    """Have all relationships of a user looked at from a moment on. One statement."""
    return Relationship.objects.of_user(user_id).bring_retention_forward(at)


def bring_all_retention_forward(*, at: datetime, batch: int = BATCH) -> Iterator[int]:
    """Have all relationships looked at from a moment on, so many at a time."""
    later = Relationship.objects.filter(retention_at__gt=at)
    ordered = later.order_by("retention_at", "id").values_list("id", flat=True)
    while ids := list(ordered[:batch]):
        yield later.filter(pk__in=ids).update(retention_at=at)
