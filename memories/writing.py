"""Writes memories: slots superseded in versions, the rest accumulated.

Owns the only place where memory rows are made or closed, but for corrections. One
writer at a time per relationship; see `locks`.

>>> write_memories(relationship, [new_memory], now=now)  # doctest: +SKIP
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from identity.types import RelationshipRef
from identity.versions import bump_memory_version
from memories.evidence import mask_messages
from memories.locks import lock_memories
from memories.models import Memory
from memories.slot_lines import Period, Placement, place
from memories.tombstones import load_tombstones
from memories.types import SLOTTED_KINDS
from memories.versions import (
    NewMemory,
    Slot,
    close_version,
    insert_version,
    record_version,
    unite_evidence,
)
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.text.clean import fold


@dataclass(frozen=True)
class Written:
    """What became of a batch: lineages made, lineages said again, and blocked ones."""

    made: tuple[UUID, ...]
    reinforced: tuple[UUID, ...]
    blocked: int


def write_memories(
    relationship: RelationshipRef, news: Sequence[NewMemory], *, now: datetime
) -> Written:
    """Write what a session or a person says; oldest statement first.

    Raises:
        ScopeMissing: no access scope is open.
    """
    require_scope(relationship=relationship.id)
    now = lock_memories(relationship.id, now=now)
    tombstones = load_tombstones(relationship.id)
    blocked = [one for one in news if tombstones.block(one)]
    kept_out = set(map(id, blocked))
    allowed = [one for one in news if id(one) not in kept_out]
    _mask_evidence(relationship.id, blocked)
    lines = _load_lines(relationship.id, allowed)
    known = _load_loose(relationship.id, allowed)
    made: list[UUID] = []
    reinforced: list[UUID] = []
    for one in sorted(allowed, key=lambda new: new.said_at):
        if one.kind in SLOTTED_KINDS:
            lineage, is_new = _write_slotted(relationship, one, lines, now=now)
        else:
            lineage, is_new = _write_loose(relationship, one, known, now=now)
        (made if is_new else reinforced).append(lineage)
    if allowed:
        bump_memory_version(relationship.id)
    return Written(tuple(made), tuple(reinforced), len(blocked))


def _mask_evidence(relationship_id: UUID, blocked: Sequence[NewMemory]) -> None:
    """Mask messages that say again, from before, what was erased."""
    if blocked:
        said = {message for one in blocked for _, message in one.evidence}
        mask_messages(relationship_id, said)


def _load_lines(
    relationship_id: UUID, news: Sequence[NewMemory]
) -> dict[Slot, dict[UUID, tuple[UUID, Period]]]:
    """Return per slot the current version of each memory in it. One query."""
    lines: dict[Slot, dict[UUID, tuple[UUID, Period]]] = defaultdict(dict)
    keys = {one.key for one in news if one.kind in SLOTTED_KINDS}
    if not keys:
        return lines
    rows = (
        Memory.objects.of(relationship_id)
        .current()
        .filter(key__in=sorted(keys), kind__in=SLOTTED_KINDS)
    )
    for row in rows.defer("embedding", "tokens", "text").iterator():
        period = Period(
            row.lineage,
            fold(row.value),
            row.polarity,
            row.valid_from,
            row.valid_to,
            row.superseded_by,
            tuple(zip(row.evidence_at, row.evidence, strict=True)),
        )
        lines[row.subject, row.dimension, row.key][row.lineage] = (row.pk, period)
    return lines


def _write_slotted(
    relationship: RelationshipRef,
    new: NewMemory,
    lines: dict[Slot, dict[UUID, tuple[UUID, Period]]],
    *,
    now: datetime,
) -> tuple[UUID, bool]:
    line = lines[new.slot]
    bucket = bucket_of(relationship.id)
    lineage = new_id(bucket=bucket)
    wanted = Period(
        lineage, fold(new.value), new.polarity, new.said_at, None, None, new.evidence
    )
    periods = [period for _, period in line.values()]
    placement = place(periods, wanted, resumed_as=new_id(bucket=bucket))
    _revise(placement, line, now=now)
    if placement.new is not None:
        row = insert_version(relationship, new, placement.new, now=now)
        line[lineage] = (row.pk, placement.new)
        return lineage, True
    assert placement.reinforced is not None
    again = placement.reinforced
    line[again.lineage] = (line[again.lineage][0], again)
    unite_evidence(relationship.id, again.lineage, new.evidence)
    return again.lineage, False


def _revise(
    placement: Placement, line: dict[UUID, tuple[UUID, Period]], *, now: datetime
) -> None:
    """Close each changed version, then record it with its new bounds."""
    closed = [line[period.lineage][0] for period in placement.changed]
    for row_id in closed:
        close_version(row_id, now=now)
    for row_id, period in zip(closed, placement.changed, strict=True):
        line[period.lineage] = (record_version(row_id, period, now=now), period)
    if placement.resumed is not None:
        resumed = placement.resumed
        line[resumed.lineage] = (record_version(closed[0], resumed, now=now), resumed)


def _load_loose(
    relationship_id: UUID, news: Sequence[NewMemory]
) -> dict[tuple[UUID | None, str, str, str], UUID]:
    """Return slotless memories of the same sessions by what they say. One query."""
    sessions = {one.source_session for one in news if one.kind not in SLOTTED_KINDS}
    if not sessions - {None}:
        return {}
    rows = (
        Memory.objects.of(relationship_id)
        .current()
        .filter(source_session_id__in=sorted(s for s in sessions if s is not None))
    )
    return {
        (session, kind, subject, fold(text)): lineage
        for session, kind, subject, text, lineage in rows.exclude(
            kind__in=SLOTTED_KINDS
        ).values_list("source_session_id", "kind", "subject", "text", "lineage")
    }


def _write_loose(
    relationship: RelationshipRef,
    new: NewMemory,
    known: dict[tuple[UUID | None, str, str, str], UUID],
    *,
    now: datetime,
) -> tuple[UUID, bool]:
    said = (new.source_session, new.kind, new.subject, fold(new.statement.text))
    if new.source_session is not None and said in known:
        unite_evidence(relationship.id, known[said], new.evidence)
        return known[said], False
    lineage = new_id(bucket=bucket_of(relationship.id))
    period = Period(lineage, new.value, new.polarity, new.said_at, None, None)
    insert_version(relationship, new, period, now=now)
    known[said] = lineage
    return lineage, True
