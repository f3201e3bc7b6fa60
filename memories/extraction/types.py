"""What goes into extraction and what comes out of it.

Owns the two data classes that cross to services, and the codes of their fields.

>>> "ai_edited" in PERSONA_AUTHORS
True
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

USER, PERSONA = "user", "persona"
RULES = "rules"
PERSONA_AUTHORS = frozenset(("ai", "ai_edited", "creator", "operator"))


@dataclass(frozen=True)
class SessionMessage:
    """One message of a session; `author_kind` as stored, `sent_at` aware."""

    id: UUID
    author_kind: str
    text: str
    sent_at: datetime


@dataclass(frozen=True)
class CandidateFact:
    """A statement worth remembering, before slots are resolved.

    `text` is in the words and the script of the message. `occurred_at` is when it was
    said, or when it happened for events; `due_at` is the day of a commitment. Where
    more days than one are named, `due_until` is when the last of them ends.
    `polarity` is 1, -1, or 0 where liking and affirming mean nothing. With `only_ends`
    it is worth a memory only where it ends another one.
    """

    kind: str
    subject: str
    dimension: str
    key: str
    value: str
    polarity: int
    text: str
    evidence: tuple[UUID, ...]
    importance: float
    occurred_at: datetime
    due_at: datetime | None = None
    due_until: datetime | None = None
    author: str = RULES
    only_ends: bool = False


@dataclass(frozen=True)
class Found:
    """What a session tells: its facts, and what takes back plans of any session."""

    facts: list[CandidateFact]
    endings: list[CandidateFact]
