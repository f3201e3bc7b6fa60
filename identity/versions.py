"""The memory version of a relationship, and the work that waits on its memories.

Owns the columns by which jobs find that work, so that none scans everything. The
version grows when recall could change.

>>> with access_scope(Purpose.JOB, relationship=relationship_id):
...     bump_memory_version(relationship_id)  # doctest: +SKIP
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Q, Value
from django.db.models.functions import Least

from identity.models import Relationship
from memsys.kernel.scope import require_scope

BUMP_LATE = 50
CONSOLIDATE_AT = "consolidate_at"


def bump_memory_version(relationship_id: UUID) -> None:
    """Raise the version by one, once and late in the open scope's transaction."""
    scope = require_scope(relationship=relationship_id)
    scope.finish(
        "memory_version",
        BUMP_LATE,
        lambda: _bump(relationship_id, scope.notes.get(CONSOLIDATE_AT)),
    )


def note_consolidation(relationship_id: UUID, *, at: datetime) -> None:
    """Raise the version, and note in the same statement that memories changed.

    The nightly job looks at the relationship when `at` has come.
    """
    notes = require_scope(relationship=relationship_id).notes
    notes[CONSOLIDATE_AT] = min(at, notes.get(CONSOLIDATE_AT, at))
    bump_memory_version(relationship_id)


def _bump(relationship_id: UUID, consolidate_at: datetime | None) -> None:
    changed: dict[str, Any] = {"memory_version": F("memory_version") + 1}
    if consolidate_at is not None:
        # PostgreSQL's LEAST passes over null.
        changed["consolidate_at"] = Least("consolidate_at", Value(consolidate_at))
    Relationship.objects.filter(pk=relationship_id).update(**changed)


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


def list_due_consolidations(
    *, now: datetime, limit: int, after: tuple[datetime, UUID] | None = None
) -> list[tuple[datetime, UUID]]:
    """Return since when which relationships wait for the nightly job, by that time.

    `after` is the last one of the page before.
    """
    rows = Relationship.objects.filter(consolidate_at__lte=now)
    if after is not None:
        since, last = after
        rows = rows.filter(
            Q(consolidate_at__gt=since) | Q(consolidate_at=since, id__gt=last)
        )
    ordered = rows.order_by("consolidate_at", "id").values_list("consolidate_at", "id")
    return [(since, row_id) for since, row_id in ordered[:limit] if since is not None]


def settle_consolidation(
    relationship_ids: Sequence[UUID], *, at: datetime | None
) -> None:
    """Set when the nightly job has work again; None for no more as things stand."""
    Relationship.objects.filter(pk__in=relationship_ids).update(consolidate_at=at)
