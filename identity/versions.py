"""The memory version of a relationship: it grows when recall could change.

>>> with access_scope(Purpose.JOB, relationship=relationship_id):
...     bump_memory_version(relationship_id)  # doctest: +SKIP
"""

from datetime import datetime
from uuid import UUID

from django.db.models import F

from identity.models import Relationship
from memsys.kernel.scope import require_scope

BUMP_LATE = 50


def bump_memory_version(relationship_id: UUID) -> None:
    """Raise the version by one, once and late in the open scope's transaction."""
    require_scope(relationship=relationship_id).finish(
        "memory_version", BUMP_LATE, lambda: _bump(relationship_id)
    )


def _bump(relationship_id: UUID) -> None:
    Relationship.objects.filter(pk=relationship_id).update(
        memory_version=F("memory_version") + 1
    )


def read_memory_version(relationship_id: UUID) -> int:
    """Return the version as the current snapshot sees it. One query."""
    return Relationship.objects.values_list("memory_version", flat=True).get(
        pk=relationship_id
    )


def mark_vectors_missing(relationship_id: UUID, *, now: datetime) -> None:
    """Note that memories were written without vectors; the sweep makes up for it."""
    Relationship.objects.filter(pk=relationship_id).update(vectors_missing_at=now)


def list_vectors_missing(*, limit: int) -> list[tuple[UUID, datetime]]:
    """Return relationships whose memories lack vectors, and since when."""
    rows = Relationship.objects.filter(vectors_missing_at__isnull=False)
    ordered = rows.order_by("vectors_missing_at", "id")
    return [
        (row_id, since)
        for row_id, since in ordered.values_list("id", "vectors_missing_at")[:limit]
        if since is not None
    ]


def clear_vectors_missing(relationship_id: UUID, *, since: datetime) -> None:
    """Take the note back, unless more were written without vectors meanwhile."""
    Relationship.objects.filter(pk=relationship_id, vectors_missing_at=since).update(
        vectors_missing_at=None
    )
