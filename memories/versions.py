"""The rows of memories: a first version, one with other bounds, one that ends.

Owns what a row holds and the statements that make or close one. Which row changes and
why is `writing`'s.

>>> insert_version(relationship, new, period, now=now)  # doctest: +SKIP
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from identity.types import RelationshipRef
from identity.versions import mark_vectors_missing
from memories.decay import stability_days
from memories.models import Memory
from memories.slot_lines import Period, Said
from memories.statements import PreparedStatement
from memories.types import MemoryStatus, Tier, Visibility
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.sql import load_sql

Slot = tuple[str, str, str]


@dataclass(frozen=True)
class NewMemory:
    """A memory to write; `said_at` is when its newest evidence was sent.

    `evidence` holds each message that says it, with its time. With `only_ends` it is
    no memory where there is none that it ends.
    """

    kind: str
    subject: str
    dimension: str
    key: str
    value: str
    polarity: int
    statement: PreparedStatement
    evidence: tuple[Said, ...]
    source_session: UUID | None
    importance: float
    said_at: datetime
    occurred_at: datetime
    due_at: datetime | None
    author: str
    due_until: datetime | None = None
    tier: str = Tier.EPISODIC.value
    visibility: str = Visibility.NORMAL.value
    sensitive_category: str = ""
    is_flagged: bool = False
    only_ends: bool = False

    @property
    def slot(self) -> Slot:
        """Subject, dimension and key: what the memory is about."""
        return self.subject, self.dimension, self.key


def insert_version(
    relationship: RelationshipRef, new: NewMemory, period: Period, *, now: datetime
) -> Memory:
    """Insert the first version of a memory. One statement."""
    return Memory.objects.create(
        global_user_id=relationship.user_id,
        relationship_id=relationship.id,
        lineage=period.lineage,
        tier=new.tier,
        kind=new.kind,
        subject=new.subject,
        dimension=new.dimension,
        key=new.key,
        value=new.value,
        polarity=new.polarity,
        text=new.statement.text,
        evidence=[message for _, message in sorted(new.evidence)],
        evidence_at=[at for at, _ in sorted(new.evidence)],
        source_session_id=new.source_session,
        importance=new.importance,
        stability_days=stability_days(importance=new.importance, uses=0),
        occurred_at=new.occurred_at,
        due_at=new.due_at,
        due_until=new.due_until,
        valid_from=period.valid_from,
        valid_to=period.valid_to,
        recorded_at=now,
        superseded_by=period.superseded_by,
        status=status_of(period),
        visibility=new.visibility,
        sensitive_category=new.sensitive_category,
        author=new.author,
        is_flagged=new.is_flagged,
        embedding=to_column(relationship.id, new.statement, now=now),
        embedding_model=new.statement.embedding_model,
        tokens=list(new.statement.tokens),
    )


def to_column(
    relationship_id: UUID, statement: PreparedStatement, *, now: datetime
) -> HalfVector | None:
    """Return a statement's vector for its column; note it when there is none."""
    if statement.embedding is None:
        mark_vectors_missing(relationship_id, now=now)
        return None
    return HalfVector(statement.embedding)


def record_version(made_from: UUID, period: Period, *, now: datetime) -> UUID:
    """Record a version with a period's bounds; the rest is that of another row."""
    row_id = new_id(bucket=bucket_of(made_from))
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("memories", "revise_version"),
            {
                "id": made_from,
                "new_id": row_id,
                "shard": bucket_of(made_from),
                "lineage": period.lineage,
                "now": now,
                "valid_from": period.valid_from,
                "valid_to": period.valid_to,
                "superseded_by": period.superseded_by,
                "corrected_at": period.settled_until,
                "status": status_of(period),
                "evidence": [message for _, message in period.said],
                "evidence_at": [at for at, _ in period.said],
            },
        )
    return row_id


def close_version(row_id: UUID, *, now: datetime, into: UUID | None = None) -> None:
    """End what is known of one version; `into` is the memory that has it from now on.

    One statement.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("memories", "close_version"),
            {"id": row_id, "shard": bucket_of(row_id), "now": now, "into": into},
        )


def unite_evidence(
    relationship_id: UUID, lineage: UUID, evidence: Sequence[Said]
) -> None:
    """Add evidence to a memory that was said again. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("memories", "unite_evidence"),
            {
                "lineage": lineage,
                "shard": bucket_of(relationship_id),
                "relationship": relationship_id,
                "evidence": [message for _, message in evidence],
                "evidence_at": [at for at, _ in evidence],
            },
        )


def status_of(period: Period) -> str:
    """Return the status that a period's bounds mean."""
    is_open = period.valid_to is None
    return MemoryStatus.ACTIVE if is_open else MemoryStatus.SUPERSEDED
