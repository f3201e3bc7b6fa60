"""What people put right: the mistaken statements, which messages cannot bring back.

Owns what was held for said before each correction. The versions of a corrected memory
tell it; nothing is kept besides. A message sent after the correction counts again.

>>> load_mistakes(relationship_id).overrule(new_memory)  # doctest: +SKIP
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from uuid import UUID

from memories.lines import Meaning, meaning_of
from memories.models import Memory
from memories.types import SLOTTED_KINDS
from memories.versions import NewMemory


@dataclass(frozen=True)
class Telling:
    """A corrected memory without a slot, and the messages that had told it."""

    lineage: UUID
    kind: str
    subject: str
    evidence: frozenset[UUID]
    until: datetime


@dataclass(frozen=True)
class Mistakes:
    """The mistakes of one relationship, each with until when it is one."""

    meanings: Mapping[Meaning, datetime] = field(default_factory=dict)
    tellings: tuple[Telling, ...] = ()

    def overrule(self, new: NewMemory) -> bool:
        """Say whether a statement repeats what was put right after it was said."""
        if new.kind in SLOTTED_KINDS:
            until = self.meanings.get(meaning_of(new))
            return until is not None and new.said_at <= until
        return self.find_telling(new) is not None

    def find_telling(self, new: NewMemory) -> Telling | None:
        """Find the corrected memory that the messages of a new one told already.

        In other words too: a second reading of them knows no better than a person.
        """
        said = {message for _, message in new.evidence}
        return next(
            (
                one
                for one in self.tellings
                if (one.kind, one.subject) == (new.kind, new.subject)
                and new.said_at <= one.until
                and said
                and said <= one.evidence
            ),
            None,
        )


def load_mistakes(relationship_id: UUID) -> Mistakes:
    """Return what was put right in a relationship. One query."""
    of_it = Memory.objects.of(relationship_id)
    corrected = of_it.current().exclude(corrected_at=None)
    rows = of_it.filter(lineage__in=corrected.values("lineage"))
    ordered = rows.defer("embedding", "tokens").order_by("lineage", "recorded_at", "id")
    meanings: dict[Meaning, datetime] = {}
    tellings: list[Telling] = []
    for _, group in groupby(ordered, key=lambda row: row.lineage):
        versions = list(group)
        last = next(row for row in versions if row.recorded_to is None)
        until = last.corrected_at
        assert until is not None
        if last.kind not in SLOTTED_KINDS:
            tellings.append(_telling(last, until=until))
        for meaning in {*map(meaning_of, versions)} - {meaning_of(last)}:
            meanings[meaning] = max(meanings.get(meaning, until), until)
    return Mistakes(meanings, tuple(tellings))


def _telling(last: Memory, *, until: datetime) -> Telling:
    return Telling(
        lineage=last.lineage,
        kind=last.kind,
        subject=last.subject,
        evidence=frozenset(last.evidence),
        until=until,
    )
