"""The work of the night on the memories of one relationship.

Owns its order and its scope: merge what says the same, promote what was said in several
sessions, archive what is forgotten or beyond the cap, and note when there is work
again. One relationship is one transaction, so a job that is killed leaves it as it was,
and a second run finds nothing to do.

`archived` moves storage and is nothing that recall asks: recall leaves out at read time
what is forgotten or beyond the cap. So a run changes no answer.

>>> consolidate(relationship_id, now=now)  # doctest: +SKIP
Consolidated(merged=0, promoted=1, archived=12, restored=0)
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from identity.resolution import get_relationship
from identity.scopes import job_scope
from identity.types import RelationshipRef
from identity.versions import bump_memory_version, settle_consolidation
from memories.decay import (
    LASTING_DIMENSIONS,
    LASTING_KINDS,
    RETENTION_FLOOR,
    lifetimes,
)
from memories.locks import lock_memories
from memories.merging import merge_memories
from memories.models import Memory, Message
from memories.querysets import MemoryQuerySet
from memories.repeats import merge_repeats
from memories.types import MemoryStatus, Tier
from memories.upkeep import SESSIONS_TO_PROMOTE, Plan, Remembered, plan
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql

logger = logging.getLogger("memsys.consolidation")

BATCH = 5_000  # ids in one statement
FIELDS = (
    "row", "tier", "kind", "dimension", "status", "stability_days", "occurred_at",
    "waits_until", "said_at",
)  # fmt: skip


@dataclass(frozen=True)
class Consolidated:
    """What a run changed, in memories."""

    merged: int = 0
    promoted: int = 0
    archived: int = 0
    restored: int = 0

    def __add__(self, other: "Consolidated") -> "Consolidated":
        mine, its = asdict(self), asdict(other)
        return Consolidated(**{name: mine[name] + its[name] for name in mine})


class _DryRun(Exception):
    """Takes back what a run has done."""


def consolidate(
    relationship_id: UUID, *, now: datetime, is_dry: bool = False
) -> Consolidated:
    """Do the work of the night on one relationship, in an access scope of its own.

    A dry run does the same and takes it back, so it tells exactly what would be done.

    Raises:
        RelationshipNotFound: there is none.
    """
    relationship = get_relationship(relationship_id)
    done = Consolidated()
    try:
        with job_scope(relationship):
            done = _run(relationship, now=now)
            if is_dry:
                raise _DryRun
    except _DryRun:
        return done
    logger.info(
        "relationship.consolidated",
        extra={"relationship": str(relationship_id), **asdict(done)},
    )
    return done


def _run(relationship: RelationshipRef, *, now: datetime) -> Consolidated:
    recorded_at = lock_memories(relationship.id, now=now)
    merged = len(merge_memories(relationship, now=recorded_at))
    merged += merge_repeats(relationship.id, now=recorded_at)
    made = plan(_read(relationship.id), cap=settings.MEMORY_CAP, now=now)
    _apply(relationship.id, made)
    settle_consolidation([relationship.id], at=made.next_at)
    return Consolidated(
        merged, len(made.promoted), len(made.archived), len(made.restored)
    )


def _read(relationship_id: UUID) -> list[Remembered]:
    """Return the memories known now, the strongest first. Two queries."""
    parameters: dict[str, Any] = {
        "relationship": relationship_id,
        "shard": bucket_of(relationship_id),
        "lifetimes": lifetimes(floor=RETENTION_FLOOR),
        "lasting_kinds": sorted(LASTING_KINDS),
        "lasting_dimensions": sorted(LASTING_DIMENSIONS),
        "evidence": SESSIONS_TO_PROMOTE,
    }
    with connection.cursor() as cursor:
        cursor.execute(load_sql("memories", "list_strength"), parameters)
        rows = cursor.fetchall()
    session_of = _find_sessions(
        relationship_id, [message for row in rows for message in row[-1]]
    )
    return [
        Remembered(
            **dict(zip(FIELDS, facts, strict=True)),
            sessions=len({session_of.get(one) for one in evidence} - {None}),
        )
        for *facts, evidence in rows
    ]


def _find_sessions(relationship_id: UUID, messages: Sequence[UUID]) -> dict[UUID, UUID]:
    """Return the session of each message."""
    found: dict[UUID, UUID] = {}
    for ids in _batches(messages):
        said = Message.objects.filter(relationship_id=relationship_id, pk__in=ids)
        found |= dict(said.values_list("id", "session_id"))
    return found


def _apply(relationship_id: UUID, made: Plan) -> None:
    for rows in _rows(relationship_id, made.promoted):
        rows.update(tier=Tier.SEMANTIC)
    for rows in _rows(relationship_id, made.archived):
        rows.update(status=MemoryStatus.ARCHIVED)
    for rows in _rows(relationship_id, made.restored):
        rows.filter(valid_to=None).update(status=MemoryStatus.ACTIVE)
        rows.exclude(valid_to=None).update(status=MemoryStatus.SUPERSEDED)
    if made.promoted:
        bump_memory_version(relationship_id)


def _rows(relationship_id: UUID, ids: Sequence[UUID]) -> Iterator[MemoryQuerySet]:
    for batch in _batches(ids):
        yield Memory.objects.of(relationship_id).filter(pk__in=batch)


def _batches(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]
