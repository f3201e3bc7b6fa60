"""What an app tells of the data that it holds, so that all of it can be erased.

Owns the words that go between whoever runs an erasure and each app's `personal_data`:
what is to be erased, and the steps that do it. Runs nothing.

>>> ErasureStep("notes", WHOLE_TARGETS, erase_notes, count_notes)  # doctest: +SKIP
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

MEMORY, RELATIONSHIP, USER = "memory", "relationship", "user"


@dataclass(frozen=True)
class Erasure:
    """What is to be erased: one memory, one relationship, or all of a user.

    A step within a relationship gets its id whatever the target is. `until` bounds what
    was stored up to a moment; None stands for everything there is.
    """

    user_id: UUID
    target: str
    relationship_id: UUID | None = None
    memory_id: UUID | None = None
    until: datetime | None = None
    by: str = ""
    reason_code: str = ""


@dataclass(frozen=True)
class ErasureStep:
    """A part of an erasure that is done whole or not at all.

    `erase` deletes and returns how much, by store; `count` tells how much there is, for
    the preview before and the check after. Both run in an open access scope: of the
    relationship and its user, or of the user alone (`is_of_user`).
    """

    name: str
    targets: frozenset[str]
    erase: Callable[[Erasure, datetime], Mapping[str, int]]
    count: Callable[[Erasure], Mapping[str, int]]
    is_of_user: bool = False


ANY_TARGET = frozenset({MEMORY, RELATIONSHIP, USER})
WHOLE_TARGETS = frozenset({RELATIONSHIP, USER})
