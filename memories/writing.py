"""Writes memories: slots superseded in versions, the rest accumulated.

Owns what a batch of statements, their withdrawal and a merge make of the memories.
Corrections are `corrections`'. One writer at a time per relationship; see `locks`.

>>> write_memories(relationship, [new_memory], now=now)  # doctest: +SKIP
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from identity.types import RelationshipRef
from identity.versions import note_consolidation
from memories.evidence import mask_messages
from memories.lines import Line, load_lines, slot_of
from memories.locks import lock_memories
from memories.mistakes import Mistakes, load_mistakes
from memories.models import Memory, Message
from memories.plans import Plans, list_plan_keys
from memories.sensitive.screening import screen
from memories.slot_lines import Period, place, withdraw
from memories.slots import slot_key
from memories.slots.senses import is_favourite, own_key, sense
from memories.tombstones import load_tombstones
from memories.types import SLOTTED_KINDS, Kind, MemoryAuthor
from memories.versions import (
    NewMemory,
    Slot,
    close_version,
    insert_version,
    unite_evidence,
)
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.text.clean import fold

Lines = Mapping[Slot, Line]
Loose = dict[tuple[UUID | None, str, str, str], UUID]


@dataclass(frozen=True)
class Written:
    """What became of a batch: lineages made, lineages said again, and what was not kept.

    `blocked` were erased, `overruled` put right by a person, after they were said.
    `dropped` counts by category the sensitive ones that the user has not allowed.
    """

    made: tuple[UUID, ...]
    reinforced: tuple[UUID, ...]
    blocked: int
    overruled: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)


def write_memories(
    relationship: RelationshipRef, news: Sequence[NewMemory], *, now: datetime
) -> Written:
    """Write what a session or a person says; oldest statement first.

    What is said only to end another memory makes none where there is none to end.

    Raises:
        ScopeMissing: no access scope is open.
    """
    require_scope(relationship=relationship.id)
    now = lock_memories(relationship.id, now=now)
    tombstones = load_tombstones(relationship.id)
    blocked = [one for one in news if tombstones.block(one)]
    kept_out = set(map(id, blocked))
    _mask_evidence(relationship.id, blocked)
    screened = screen(relationship, [one for one in news if id(one) not in kept_out])
    batch = _Batch(relationship, screened.kept)
    made: list[UUID] = []
    reinforced: list[UUID] = []
    overruled = 0
    for one in sorted(batch.news, key=lambda new: new.said_at):
        if not batch.may_write(one):
            continue
        lineage, is_new = batch.write(one, now=now)
        if lineage is None:
            overruled += 1
        else:
            (made if is_new else reinforced).append(lineage)
    if made or reinforced:
        note_consolidation(relationship.id, at=now)
    return Written(
        made=tuple(made),
        reinforced=tuple(reinforced),
        blocked=len(blocked),
        overruled=overruled,
        dropped=screened.dropped,
    )


def _mask_evidence(relationship_id: UUID, blocked: Sequence[NewMemory]) -> None:
    """Mask messages that say again, from before, what was erased."""
    if blocked:
        said = {message for one in blocked for _, message in one.evidence}
        mask_messages(relationship_id, said)


def _in_own_slot(new: NewMemory) -> NewMemory:
    return replace(new, key=own_key(kind=new.kind, key=new.key, value=new.value))


class _Batch:
    """Statements that are written together, and what is remembered of their slots."""

    def __init__(
        self, relationship: RelationshipRef, news: Sequence[NewMemory]
    ) -> None:
        self.news = [_in_own_slot(one) for one in news]
        slotted = [one for one in self.news if one.kind in SLOTTED_KINDS]
        keys = {key for one in slotted for key in (one.key, _plain_key(one))}
        keys |= list_plan_keys(relationship.id, slotted)
        self._relationship = relationship
        self._lines: Lines = load_lines(relationship.id, keys=keys)
        self._plans = Plans(self._lines, time_zone=relationship.time_zone)
        self._loose = _load_loose(relationship.id, self.news)
        self._mistakes = load_mistakes(relationship.id) if self.news else Mistakes()

    def may_write(self, new: NewMemory) -> bool:
        """Say whether a statement says something here, as it is or by what it ends."""
        new = self._where_it_counts(new)
        line = self._lines[new.slot]
        if line.knows(new.evidence):
            return True
        holding = line.find_at(new.said_at)
        said = _to_period(new, self._relationship.id)  # the lineage plays no part
        if new.only_ends:
            return holding is not None and not holding.says_same(said)
        return not _denies_nothing(said, holding)

    def write(self, new: NewMemory, *, now: datetime) -> tuple[UUID | None, bool]:
        """Return the lineage that says it, None if overruled, and if it is new."""
        if new.kind not in SLOTTED_KINDS:
            return self._write_loose(new, now=now)
        new = self._where_it_counts(new)
        line = self._lines[new.slot]
        wanted = _to_period(new, self._new_lineage())
        placement = place(line.periods, wanted, resumed_as=self._new_lineage())
        if placement.reinforced is None and self._mistakes.overrule(new):
            return None, False
        if placement.overruled is not None:
            return None, False
        line.apply(placement, now=now)
        if placement.new is not None:
            row = insert_version(self._relationship, new, placement.new, now=now)
            line.set(row.pk, placement.new)
            if (moot := _find_moot(line, placement.new)) is not None:
                line.apply(withdraw(line.periods, moot.lineage), now=now)
            return wanted.lineage, True
        assert placement.reinforced is not None
        line.reinforce(placement.reinforced)
        again = placement.reinforced.lineage
        unite_evidence(self._relationship.id, again, new.evidence)
        return again, False

    def _where_it_counts(self, new: NewMemory) -> NewMemory:
        """Let 不喜欢梅西了 end him as the favourite, and no one else.

        What is off ends the plan that it names.
        """
        if new.kind == Kind.COMMITMENT:
            return self._plans.where_it_counts(new)
        plain = _plain_key(new)
        if plain == new.key:
            return new
        alone = replace(new, key=plain)
        holding = self._lines[new.slot].find_at(new.said_at)
        said = sense(kind=new.kind, key=new.key, value=new.value)
        is_told = self._lines[alone.slot].knows(new.evidence)
        return alone if is_told or holding is None or holding.value != said else new

    def _write_loose(
        self, new: NewMemory, *, now: datetime
    ) -> tuple[UUID | None, bool]:
        said = (new.source_session, new.kind, new.subject, fold(new.statement.text))
        if new.source_session is not None and said in self._loose:
            unite_evidence(self._relationship.id, self._loose[said], new.evidence)
            return self._loose[said], False
        if self._mistakes.overrule(new):
            return None, False
        period = _to_period(new, self._new_lineage())
        insert_version(self._relationship, new, period, now=now)
        self._loose[said] = period.lineage
        return period.lineage, True

    def _new_lineage(self) -> UUID:
        return new_id(bucket=bucket_of(self._relationship.id))


def _denies_nothing(said: Period, holding: Period | None) -> bool:
    """Tell whether 不住上海了 is said while another city holds already."""
    if not said.value or said.polarity >= 0 or holding is None:
        return False
    return holding.value != said.value


def _find_moot(line: Line, new: Period) -> Period | None:
    """Find 不住上海了 where, as is now known, it was another city that held."""
    following = next((p for p in line.periods if p.valid_from == new.valid_to), None)
    if following is None or not new.value or new.polarity < 0:
        return None
    return following if _denies_nothing(following, new) else None


def _plain_key(new: NewMemory) -> str:
    """Return the slot of a thing that is liked no more, or that of the statement."""
    if new.polarity >= 0 or not is_favourite(kind=new.kind, key=new.key):
        return new.key
    return slot_key(kind=new.kind, about=new.value) or new.key


def _to_period(new: NewMemory, lineage: UUID) -> Period:
    said = sense(kind=new.kind, key=new.key, value=new.value)
    return Period(
        lineage, said, new.polarity, new.said_at, None, None, tuple(new.evidence)
    )


def _load_loose(relationship_id: UUID, news: Sequence[NewMemory]) -> Loose:
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


@dataclass(frozen=True)
class Withdrawn:
    """What became of memories to be taken back: those that were, and those that stay.

    One stays that another session said too, or that a person or the model wrote.
    """

    taken: tuple[UUID, ...]
    kept: tuple[UUID, ...]


def withdraw_memories(
    relationship: RelationshipRef, lineages: Collection[UUID], *, now: datetime
) -> Withdrawn:
    """Take back what the rules made of a session, as if it was never said.

    What it superseded is true again. It leaves no tombstone: it is no erasure. One
    that is gone already is passed over.
    """
    require_scope(relationship=relationship.id)
    now = lock_memories(relationship.id, now=now)
    of_it = Memory.objects.of(relationship.id).current()
    rows = list(of_it.filter(lineage__in=sorted(lineages)).defer("embedding", "tokens"))
    session_of = _load_sessions(relationship.id, rows)
    taken = [row for row in rows if _is_of_rules_alone(row, session_of)]
    keys = {row.key for row in taken if row.kind in SLOTTED_KINDS}
    lines = load_lines(relationship.id, keys=keys)
    # The newest first: what an older one superseded may be taken back too.
    for row in sorted(taken, key=lambda one: one.valid_from, reverse=True):
        line = lines[slot_of(row)]
        if row.kind not in SLOTTED_KINDS:
            close_version(row.pk, now=now)
        elif line.find(row.lineage) is not None:
            line.apply(withdraw(line.periods, row.lineage), now=now)
    if taken:
        note_consolidation(relationship.id, at=now)
    gone = tuple(row.lineage for row in taken)
    return Withdrawn(gone, tuple(r.lineage for r in rows if r.lineage not in gone))


def _is_of_rules_alone(row: Memory, session_of: Mapping[UUID, UUID]) -> bool:
    own = row.source_session_id
    is_own = all(session_of.get(message, own) == own for message in row.evidence)
    return is_own and row.author == MemoryAuthor.RULES


def _load_sessions(relationship_id: UUID, rows: Sequence[Memory]) -> dict[UUID, UUID]:
    """Return the session of each message of evidence. One query."""
    ids = sorted({message for row in rows for message in row.evidence})
    said = Message.objects.filter(relationship_id=relationship_id, id__in=ids)
    return dict(said.values_list("id", "session_id"))
