"""Words of recall: rows that go in, the question, and hits that come out.

Owns the frozen records that cross module borders. Does not own how they are stored
(`pack`), scored (`scoring`, `fusion`) or chosen (`candidates`).

>>> Policy(top_k=3).weight_vector
0.55
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from recall.errors import PolicyOutOfBounds

Vector = npt.NDArray[np.floating[Any]]
MAX_WEIGHT_RECENCY = 0.10
MAX_WEIGHT_IMPORTANCE = 0.05


class Fusion(StrEnum):
    """How the two legs become one score."""

    WEIGHTED = "weighted"
    RRF = "rrf"


class Reason(StrEnum):
    """Why a memory is among the hits: the strongest of its reasons."""

    DATE = "date"
    WORDS = "words"
    MEANING = "meaning"
    RECENT = "recent"
    LAST_TIME = "last_time"
    TABOO = "taboo"
    COMMITMENT = "commitment"
    IDENTITY = "identity"


class TimeWindow(Protocol):
    """A stretch of time that the question named; the end is exclusive."""

    @property
    def start(self) -> datetime: ...

    @property
    def end(self) -> datetime: ...

    @property
    def words(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class MemoryFacts:
    """What is stored of one version of one memory, without its search data.

    `last_said_at` is when its newest evidence was sent, None without evidence.
    """

    id: UUID
    text: str
    kind: str
    tier: str
    dimension: str
    subject: str
    key: str
    value: str
    polarity: int
    importance: float
    stability_days: float
    occurred_at: datetime
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    recorded_to: datetime | None = None
    session: UUID | None
    visibility: str
    status: str
    due_at: datetime | None
    due_until: datetime | None = None
    last_said_at: datetime | None = None
    sensitive_category: str = ""
    evidence: tuple[UUID, ...]


@dataclass(frozen=True, kw_only=True)
class PackRow(MemoryFacts):
    """One row for `build_pack`: facts, index words and perhaps a vector."""

    tokens: Sequence[str]
    embedding: Vector | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked: index words, perhaps a vector, perhaps windows of time.

    `words` keep their repetitions. A question without any of the three is blank and
    asks for what is recent. `is_last_time`: it asks about the last time, 上次.
    """

    words: Sequence[str] = ()
    vector: Vector | None = field(default=None, compare=False)
    windows: Sequence[TimeWindow] = ()
    is_last_time: bool = False

    @property
    def is_blank(self) -> bool:
        return not self.words and self.vector is None and not self.windows


@dataclass(frozen=True, kw_only=True)
class View:
    """From where a relationship is looked at: when, and with which rights.

    Defaults see least. `now` is aware and in the user's zone, so that a day ends when
    the user's does. `valid_at` asks what was true, `known_at` what was known.
    `categories` are the sensitive ones that the user allows.
    """

    now: datetime
    valid_at: datetime | None = None
    known_at: datetime | None = None
    custody: str = "proxy_pool"
    categories: frozenset[str] = frozenset()
    retention_floor: float = 0.05

    @property
    def true_at(self) -> datetime:
        return self.valid_at or self.now

    @property
    def learned_by(self) -> datetime:
        return self.known_at or self.now

    @property
    def is_as_of(self) -> bool:
        return min(self.true_at, self.learned_by) < self.now


@dataclass(frozen=True, kw_only=True)
class CosineScale:
    """Where a model's cosines begin to mean something, and over what span."""

    floor: float
    span: float


@dataclass(frozen=True, kw_only=True)
class Policy:
    """Weights and caps of one recall; the bounds hold wherever it comes from.

    `per_session=None` lifts the cap. `fill` lets rows that match nothing fill the
    list, newest first. Without `cosine_scale` the embedding model decides it.

    Raises:
        PolicyOutOfBounds: a weight or cap is outside its bounds.
    """

    fusion: Fusion = Fusion.WEIGHTED
    weight_vector: float = 0.55
    weight_recency: float = 0.05
    weight_importance: float = 0.03
    date_bonus: float = 0.6
    rrf_k: int = 60
    top_k: int = 5
    per_session: int | None = 3
    pins_per_kind: int = 10
    recency_days: float = 30.0
    fill: bool = False
    cosine_scale: CosineScale | None = None

    def __post_init__(self) -> None:
        bounds = (
            0.0 <= self.weight_vector <= 1.0,
            0.0 <= self.weight_recency <= MAX_WEIGHT_RECENCY,
            0.0 <= self.weight_importance <= MAX_WEIGHT_IMPORTANCE,
            self.date_bonus >= 0.0,
            self.rrf_k >= 1 and self.top_k >= 1 and self.pins_per_kind >= 0,
            self.per_session is None or self.per_session >= 1,
            self.recency_days > 0.0,
            self.cosine_scale is None or self.cosine_scale.span > 0.0,
        )
        if not all(bounds):
            raise PolicyOutOfBounds("a weight or cap is out of bounds")


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Where a score comes from.

    `bm25` and `cosine` are raw; the other five add up to the score.
    """

    bm25: float
    cosine: float | None
    lexical: float
    vector: float
    recency: float
    importance: float
    date: float


@dataclass(frozen=True, kw_only=True)
class Hit(MemoryFacts):
    """A memory that was recalled, and why."""

    score: float
    parts: Parts
    matched_words: tuple[str, ...]
    window: TimeWindow | None
    reason: Reason


@dataclass(frozen=True, kw_only=True)
class Pins:
    """What belongs into every context, each kind with the question's matches first."""

    taboos: tuple[Hit, ...] = ()
    commitments: tuple[Hit, ...] = ()
    identity: tuple[Hit, ...] = ()

    @property
    def hits(self) -> tuple[Hit, ...]:
        return self.taboos + self.commitments + self.identity


@dataclass(frozen=True, kw_only=True)
class Recalled:
    """The answer of one recall: the ranked few, the pinned, and how many were eligible."""

    hits: tuple[Hit, ...]
    pins: Pins
    eligible: int
