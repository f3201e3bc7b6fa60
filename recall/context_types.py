"""Words of the context: what a prompt is made of, and the prompt.

Owns the frozen records that go into `assemble` and come out of it. Does not own their
wording (`wording`).

>>> Quotas().pins
0.3
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from recall.errors import PolicyOutOfBounds
from recall.types import Hit, Pins

MAX_PINS_SHARE = 0.3


class Form(StrEnum):
    """What the caller gets: one string, or a message list for a chat model."""

    TEXT = "text"
    OPENAI = "openai"


class SectionName(StrEnum):
    """The sections of a prompt, in the order in which they stand there."""

    PERSONA = "persona"
    PROFILE = "profile"
    STATE = "state"
    PINNED = "pinned"
    MEMORIES = "memories"
    COMMITMENTS = "commitments"
    SESSION = "session"


class Quota(StrEnum):
    """The purses from which lines are paid; pinned facts and commitments share one."""

    PERSONA = "persona"
    PROFILE = "profile"
    STATE = "state"
    PINS = "pins"
    MEMORIES = "memories"
    SESSION = "session"


@dataclass(frozen=True, kw_only=True)
class Persona:
    """What a persona is like, in the creator's words."""

    name: str
    background: str = ""
    voice: str = ""
    taboos: Sequence[str] = ()
    standard_lines: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One message of the session that is going on."""

    author_kind: str
    text: str
    sent_at: datetime


@dataclass(frozen=True, kw_only=True)
class ReleasedField:
    """A profile field that policy and consent release into this context."""

    label: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Material:
    """All that may enter one context; `turns` from the oldest to the newest."""

    persona: Persona | None = None
    pins: Pins = field(default_factory=Pins)
    hits: Sequence[Hit] = ()
    state: Sequence[str] = ()
    turns: Sequence[Turn] = ()
    released: Sequence[ReleasedField] = ()


@dataclass(frozen=True, kw_only=True)
class Quotas:
    """Shares of the budget, 0..1. What one leaves over the others get, save the pins.

    Raises:
        PolicyOutOfBounds: a share is not 0..1, or that of the pins is above 0.3.
    """

    persona: float = 0.35
    profile: float = 0.05
    state: float = 0.10
    pins: float = MAX_PINS_SHARE
    memories: float = 0.45
    session: float = 0.35

    def __post_init__(self) -> None:
        shares = [self.of(quota) for quota in Quota]
        if not all(0.0 <= share <= 1.0 for share in shares):
            raise PolicyOutOfBounds("a share lies between 0 and 1")
        if self.pins > MAX_PINS_SHARE:
            raise PolicyOutOfBounds("the pins take at most 0.3")

    def of(self, quota: Quota) -> float:
        """Return the share of one purse."""
        share: float = getattr(self, quota.value)
        return share


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line that wants to enter a prompt.

    `text` is fenced; `spoken` is a turn's own text and `role` its part in a message
    list. One that is required is paid before all others, whatever its quota.
    """

    section: SectionName
    quota: Quota
    text: str
    memory: UUID | None = None
    is_flagged: bool = False
    role: str = ""
    spoken: str = ""
    is_required: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    """One section as it stands in the prompt; without lines it does not stand there."""

    name: SectionName
    lines: tuple[Line, ...]


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A line that stayed out. `reason`: `oversize`, `quota` or `budget`."""

    section: SectionName
    memory: UUID | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class ChatMessage:
    """One message for a chat-completions call."""

    role: str
    content: str


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """A prompt within its budget.

    `messages` is empty unless the form is a message list; then `prompt` is its system
    message and `tokens` counts all of them. `used` are the memories inside, in order.
    `prompt` is empty when the budget holds not even the shortest notice.
    """

    prompt: str
    messages: tuple[ChatMessage, ...]
    sections: tuple[Section, ...]
    used: tuple[UUID, ...]
    skipped: tuple[Skipped, ...]
    tokens: int
