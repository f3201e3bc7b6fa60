"""What is found in the tables when all is over, by plain SQL past every policy.

Owns the statements and the shape of their rows. Judges nothing.

>>> read_findings(connections["maintenance"]).memories  # doctest: +SKIP
5120
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SQL = Path(__file__).parent / "sql"
Slot = tuple[str, str]  # relationship, key
Said = tuple[str, int]  # value, polarity


@dataclass(frozen=True)
class FoundSession:
    """A session as it is stored, and the attempts made for it by their outcome."""

    id: str
    relationship: str
    status: str
    extraction: str
    labels: Sequence[str]
    answers: int
    answered: int
    unusable: int
    lost: int
    unreachable: int
    under_way: int

    @property
    def attempts(self) -> int:
        tried = self.answered + self.unusable + self.lost
        return tried + self.unreachable + self.under_way


@dataclass(frozen=True)
class Findings:
    """All that the tables say of the week.

    `slots_twice` and `loose_twice` count memories that should not be there.
    """

    sessions: Sequence[FoundSession]
    messages: Sequence[str]
    memories: int
    slots_twice: int
    loose_twice: int
    standing: Mapping[Slot, Said]


def read_findings(connection: Any) -> Findings:
    """Read everything. Four statements, on a login with BYPASSRLS."""
    with connection.cursor() as cursor:
        sessions = [FoundSession(*row) for row in _fetch(cursor, "sessions")]
        messages = [name for (name,) in _fetch(cursor, "messages")]
        ((memories, slots_twice, loose_twice),) = _fetch(cursor, "memories")
        standing = {
            (relationship, key): (value, polarity)
            for relationship, key, value, polarity in _fetch(cursor, "standing")
        }
    return Findings(
        sessions, messages, memories, slots_twice, int(loose_twice), standing
    )


def _fetch(cursor: Any, name: str) -> list[tuple[Any, ...]]:
    cursor.execute((_SQL / f"{name}.sql").read_text(encoding="utf-8"))
    return list(cursor.fetchall())
