"""Export and erasure of what this app holds of a relationship.

>>> erase(relationship, by="service:ab12", reason_code="user-request", now=now)
... # doctest: +SKIP
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from identity.types import RelationshipRef
from identity.versions import bump_memory_version
from memories.erasure import erase_all
from memories.locks import lock_memories
from memories.models import Memory, Message
from memories.reading import MemoryView, to_view
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import require_scope


@dataclass(frozen=True)
class ExportedMessage:
    """A message as it is exported: after the privacy filter."""

    id: UUID
    author_kind: str
    text: str
    sent_at: datetime


@dataclass(frozen=True)
class Export:
    """All that this app holds of a relationship, superseded values included."""

    memories: tuple[MemoryView, ...]
    messages: tuple[ExportedMessage, ...]


def export(relationship: RelationshipRef) -> Export:
    """Return all content of a relationship. Two queries."""
    require_scope(relationship=relationship.id)
    rows = Memory.objects.of(relationship.id).defer("embedding", "tokens")
    messages = Message.objects.filter(relationship_id=relationship.id)
    return Export(
        memories=tuple(to_view(row) for row in rows.order_by("valid_from", "id")),
        messages=tuple(
            ExportedMessage(row.pk, row.author_kind, row.text, row.sent_at)
            for row in messages.order_by("sent_at", "id")
        ),
    )


def erase(
    relationship: RelationshipRef, *, by: str, reason_code: str, now: datetime
) -> dict[str, int]:
    """Erase all content of a relationship; return counts per store."""
    require_scope(relationship=relationship.id)
    lock_memories(relationship.id, now=now)
    counts = erase_all(relationship, now=now)
    bump_memory_version(relationship.id)
    record(
        Deed(
            chain=deed_chain(relationship.user_id),
            action="relationship.erased",
            actor=by,
            object_ref=f"relationship:{relationship.id}",
            reason_code=reason_code,
            details={"counts": counts},
            subject=relationship.user_id,
        )
    )
    return counts
