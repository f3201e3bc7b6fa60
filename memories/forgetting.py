"""What goes when a user no longer allows to keep it: sensitive memories of a category.

Owns the deletion that follows a consent's end. It is no erasure: no tombstone is left,
so what the user says after a new consent may be remembered, and the messages stay for
as long as messages do.

>>> forget_ungranted(relationship, ["diagnosis"], now=now)  # doctest: +SKIP
2
"""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from consent.errors import HeldByLaw
from consent.gate import check_erasable, lock_grants, may_keep_sensitive
from identity.types import RelationshipRef
from identity.versions import note_consolidation
from memories.caches import forget_caches
from memories.erasure import empty_answers
from memories.locks import lock_memories
from memories.models import Memory
from memories.querysets import MemoryQuerySet
from memsys.kernel.scope import require_scope


def forget_ungranted(
    relationship: RelationshipRef, categories: Collection[str], *, now: datetime
) -> int:
    """Delete all versions of memories of categories that are granted no more.

    Returns how many rows went. Waits for whoever is writing memories. What a legal hold
    keeps stays, and nobody is shown it. Asks again under the lock: what was granted anew
    meanwhile is kept.
    """
    require_scope(relationship=relationship.id, user=relationship.user_id)
    now = lock_memories(relationship.id, now=now)
    lock_grants(relationship)
    gone = [one for one in categories if not may_keep_sensitive(relationship, one)]
    of_it = Memory.objects.of(relationship.id)
    doomed = of_it.filter(sensitive_category__in=sorted(gone))
    lineages = _list_free(relationship, doomed)
    if not lineages:
        return 0
    rows = doomed.filter(lineage__in=lineages)
    empty_answers(relationship.id, _list_evidence(rows))
    count = rows.delete()[0]
    of_it.filter(superseded_by__in=lineages).update(superseded_by=None)
    note_consolidation(relationship.id, at=now)
    forget_caches(relationship.id)
    return count


def _list_free(relationship: RelationshipRef, doomed: MemoryQuerySet) -> list[UUID]:
    """Return the memories that no hold keeps; one by one, only if there is one."""
    lineages = sorted(set(doomed.values_list("lineage", flat=True)))
    if not lineages or not _is_held(relationship, None):
        return lineages
    return [one for one in lineages if not _is_held(relationship, one)]


def _is_held(relationship: RelationshipRef, memory_id: UUID | None) -> bool:
    try:
        check_erasable(
            relationship.user_id, relationship_id=relationship.id, memory_id=memory_id
        )
    except HeldByLaw:
        return True
    return False


def _list_evidence(rows: MemoryQuerySet) -> set[UUID]:
    return {one for said in rows.values_list("evidence", flat=True) for one in said}
