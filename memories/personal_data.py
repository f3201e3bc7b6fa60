"""Export, erasure and expiry of what this app holds of a relationship.

>>> erase(relationship, by="service:ab12", reason_code="user-request", now=now)
... # doctest: +SKIP
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from consent.gate import check_erasable
from identity.resolution import get_relationship
from identity.types import RelationshipRef
from identity.versions import bump_memory_version
from memories.erasure import erase_all
from memories.errors import MemoryNotFound
from memories.exported import export_sections
from memories.forgetting import forget_ungranted
from memories.locks import lock_memories
from memories.models import Memory, Message, MessageFingerprint, ModelAnswer
from memories.retention import CLASSES, expire_content
from memories.sensitive.table import load_table
from memories.services import erase_memory
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.erasing import ANY_TARGET, Erasure, ErasureStep
from memsys.kernel.expiring import RetentionRule
from memsys.kernel.scope import require_scope

__all__ = [
    "ERASURE_STEPS",
    "RETENTION_RULES",
    "erase",
    "export_sections",
    "forget_categories",
    "list_sensitive_categories",
]


def erase(
    relationship: RelationshipRef,
    *,
    by: str,
    reason_code: str,
    now: datetime,
    until: datetime | None = None,
) -> dict[str, int]:
    """Erase all content of a relationship, or what was stored until a moment.

    Raises:
        HeldByLaw: a legal hold keeps it, or a part of it.
    """
    require_scope(relationship=relationship.id)
    check_erasable(relationship.user_id, relationship_id=relationship.id)
    lock_memories(relationship.id, now=now)
    counts = erase_all(relationship, now=now, until=until)
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


def erase_content(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Erase one memory with its evidence, or all content of a relationship."""
    assert erasure.relationship_id is not None
    relationship = get_relationship(erasure.relationship_id)
    if erasure.memory_id is None:
        return erase(
            relationship,
            by=erasure.by,
            reason_code=erasure.reason_code,
            now=now,
            until=erasure.until,
        )
    try:
        return erase_memory(
            relationship,
            erasure.memory_id,
            by=erasure.by,
            reason_code=erasure.reason_code,
            now=now,
        )
    except MemoryNotFound:
        # Erased meanwhile by another wish: there is nothing left to do.
        return {"memories": 0}


def count_content(erasure: Erasure) -> dict[str, int]:
    """Return how much there is of a memory or relationship. At most four queries."""
    assert erasure.relationship_id is not None
    of_it = {"relationship_id": erasure.relationship_id}
    until = erasure.until
    memories = Memory.objects.filter(**of_it)
    if erasure.memory_id is not None:
        return {"memories": memories.filter(lineage=erasure.memory_id).count()}
    messages = Message.objects.filter(**of_it)
    fingerprints = MessageFingerprint.objects.filter(**of_it)
    answers = ModelAnswer.objects.filter(**of_it)
    if until is not None:
        memories = memories.filter(recorded_at__lte=until)
        messages = messages.filter(received_at__lte=until)
        fingerprints = fingerprints.filter(message__received_at__lte=until)
        answers = answers.filter(received_at__lte=until)
    return {
        "memories": memories.count(),
        "messages": messages.count(),
        "fingerprints": fingerprints.count(),
        "answers": answers.count(),
    }


def list_sensitive_categories() -> Mapping[str, str]:
    """Return what needs a grant of its own to be kept: the codes with their labels."""
    return {one.code: one.label for one in load_table().categories}


def forget_categories(
    relationship: RelationshipRef, categories: Collection[str], *, now: datetime
) -> int:
    """Delete what is kept of sensitive categories that are granted no more.

    Asked inside a scope of the relationship and its user, once a consent has ended.
    """
    return forget_ungranted(relationship, categories, now=now)


ERASURE_STEPS = (
    ErasureStep("memories.content", ANY_TARGET, erase_content, count_content),
)
RETENTION_RULES = (RetentionRule("memories.content", CLASSES, expire_content),)
