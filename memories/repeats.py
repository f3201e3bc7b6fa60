"""Makes one memory of what one session said twice, for kinds without slots.

Owns finding such repeats and their rows. The oldest goes on, with the evidence and the
uses of all. What other sessions say is another memory, however alike.

>>> merge_repeats(relationship.id, now=now)  # doctest: +SKIP
1
"""

from datetime import datetime
from uuid import UUID

from django.db import connection

from identity.versions import bump_memory_version
from memories.merging import Merge, strengthen
from memories.models import Memory
from memories.types import SLOTTED_KINDS
from memories.versions import close_version, unite_evidence
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql


def merge_repeats(relationship_id: UUID, *, now: datetime) -> int:
    """Merge the repeats of a relationship under its lock; return how many ended."""
    require_scope(relationship=relationship_id)
    groups = _find_repeats(relationship_id)
    for ids in groups:
        _merge(relationship_id, ids, now=now)
    if groups:
        bump_memory_version(relationship_id)
    return sum(len(ids) - 1 for ids in groups)


def _find_repeats(relationship_id: UUID) -> list[list[UUID]]:
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("memories", "find_repeats"),
            {
                "relationship": relationship_id,
                "shard": bucket_of(relationship_id),
                "slotted_kinds": [str(kind) for kind in SLOTTED_KINDS],
            },
        )
        return [ids for (ids,) in cursor.fetchall()]


def _merge(relationship_id: UUID, ids: list[UUID], *, now: datetime) -> None:
    rows = Memory.objects.of(relationship_id).filter(pk__in=ids)
    by_id = {row.pk: row for row in rows.defer("embedding", "tokens", "text")}
    oldest, *others = (by_id[row_id] for row_id in ids)
    said = {
        one for row in others for one in zip(row.evidence_at, row.evidence, strict=True)
    }
    for row in others:
        close_version(row.pk, now=now, into=oldest.lineage)
    unite_evidence(relationship_id, oldest.lineage, sorted(said))
    merges = [Merge(row.lineage, oldest.lineage) for row in others]
    strengthen(relationship_id, [oldest, *others], merges)
