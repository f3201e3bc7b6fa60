"""What an app tells of the data that it holds, so that none is kept too long.

Owns the words that go between whoever looks, night by night, and each app's
`personal_data`: how long each class of data is kept, and the rules that delete what is
kept no longer. Runs nothing, and decides no time.

>>> RetentionRule("notes", ("note",), expire_notes)  # doctest: +SKIP
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class Keeping:
    """One look at a relationship: how many days each class is kept, and when it is now.

    At most `limit` rows go at once. With `is_dry` nothing goes, and all is counted.
    """

    user_id: UUID
    relationship_id: UUID
    days: Mapping[str, int]
    now: datetime
    limit: int
    is_dry: bool = False

    @property
    def most(self) -> int | None:
        """Return how many rows are taken at once; None when all are counted."""
        return None if self.is_dry else self.limit


@dataclass(frozen=True)
class Lapsed:
    """What a rule deleted, or would have deleted, by class of data.

    `kept` would have gone too, but each is kept by a hold of its own. `next_at` is when
    something lapses next, as far as it is known; `active_at` when the two sides were
    last active, None when nothing is kept of them. `has_more` asks for another look.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)
    next_at: datetime | None = None
    active_at: datetime | None = None
    has_more: bool = False


@dataclass(frozen=True)
class RetentionRule:
    """A part of a look, within the open scope of the relationship and its user.

    What is the user's own over all relationships (`is_of_user`) is kept by other holds
    than what is of the relationship.
    """

    name: str
    classes: tuple[str, ...]
    expire: Callable[[Keeping], Lapsed]
    is_of_user: bool = False
