"""What an erasure is about, what it would do, and what it did.

>>> Target(user_id, relationship_id).kind  # doctest: +SKIP
'relationship'
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from consent.models import ErasureRun
from consent.types import ErasureTarget


@dataclass(frozen=True)
class Target:
    """One memory, one relationship, or all of a user."""

    user_id: UUID
    relationship_id: UUID | None = None
    memory_id: UUID | None = None

    def __post_init__(self) -> None:
        """Refuse a memory without its relationship.

        Raises:
            ValueError: the relationship is missing.
        """
        if self.memory_id is not None and self.relationship_id is None:
            raise ValueError("A memory is erased in its relationship.")

    @property
    def kind(self) -> ErasureTarget:
        if self.memory_id is not None:
            return ErasureTarget.MEMORY
        if self.relationship_id is not None:
            return ErasureTarget.RELATIONSHIP
        return ErasureTarget.USER


def target_of(run: ErasureRun) -> Target:
    """Return what a run is about."""
    return Target(run.global_user_id, run.relationship_id, run.memory)


@dataclass(frozen=True)
class Stay:
    """Something that an erasure leaves, and why: `why` is a sentence, translatable."""

    code: str
    why: Any
    holds: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Preview:
    """What an erasure would delete by store, what would stay, and what bars it."""

    target: Target
    counts: Mapping[str, int]
    stays: tuple[Stay, ...]
    holds: tuple[UUID, ...] = ()
    undo_hours: int = 0


@dataclass(frozen=True)
class Receipt:
    """What anybody who has its code may know of an erasure: no ids, no names."""

    code: str
    target: str
    state: str
    requested_at: datetime
    finished_at: datetime | None
    verified_at: datetime | None
    counts: Mapping[str, int] = field(default_factory=dict)
    residue: Mapping[str, int] = field(default_factory=dict)
    stays: tuple[Stay, ...] = ()
