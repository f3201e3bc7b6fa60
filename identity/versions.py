"""The memory version of a relationship: it grows when recall could change.

>>> with access_scope(Purpose.JOB, relationship=relationship_id):
...     bump_memory_version(relationship_id)  # doctest: +SKIP
"""

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
