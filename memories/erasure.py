"""Removes memories and what they were made from, from every store there is.

Owns which rows go when one memory or a whole relationship is erased, and the caches
that follow. An erased message keeps its id and date; its words are gone.

>>> erase_lineage(relationship, memory_id, now=now)  # doctest: +SKIP
{'memories': 2, 'messages': 1, 'fingerprints': 1}
"""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from identity.types import RelationshipRef
from memories.locks import lock_intake
from memories.models import ChatSession, Memory, Message, MessageFingerprint
from memories.tombstones import bury, bury_everything
from memories.types import SessionStatus
from memsys.kernel.scope import require_scope

ERASED_TEXT = "[已删除]"


def erase_lineage(
    relationship: RelationshipRef, lineage: UUID, *, now: datetime
) -> dict[str, int]:
    """Erase one memory, mask its evidence and leave a tombstone."""
    require_scope(relationship=relationship.id)
    rows = Memory.objects.of(relationship.id).filter(lineage=lineage)
    versions = list(rows.defer("embedding", "tokens"))
    evidence = {message for row in versions for message in row.evidence}
    bury(relationship, versions, now=now)
    messages = Message.objects.filter(
        relationship_id=relationship.id, id__in=sorted(evidence)
    )
    counts = {
        "memories": rows.delete()[0],
        "messages": messages.update(text=ERASED_TEXT, no_extract=True, masked={}),
        "fingerprints": MessageFingerprint.objects.filter(
            relationship_id=relationship.id, message_id__in=sorted(evidence)
        ).delete()[0],
    }
    Memory.objects.of(relationship.id).filter(superseded_by=lineage).update(
        superseded_by=None
    )
    forget_caches(relationship.id)
    return counts


def erase_all(relationship: RelationshipRef, *, now: datetime) -> dict[str, int]:
    """Erase all content of one relationship; sessions stay as empty shells."""
    require_scope(relationship=relationship.id)
    lock_intake(relationship.id)
    of_it = {"relationship_id": relationship.id}
    # A sender's clock may run ahead: what was said may be dated after now.
    last_sent_at = ChatSession.objects.of(relationship.id).find_last_sent()
    ChatSession.objects.filter(
        **of_it, status__in=[SessionStatus.OPEN, SessionStatus.PENDING]
    ).update(
        status=SessionStatus.CANCELLED_ERASED,
        ended_at=now,
        lease_until=None,
    )
    counts = {
        "memories": Memory.objects.filter(**of_it).delete()[0],
        "fingerprints": MessageFingerprint.objects.filter(**of_it).delete()[0],
        "messages": Message.objects.filter(**of_it).delete()[0],
    }
    bury_everything(relationship, until=max(now, last_sent_at or now))
    forget_caches(relationship.id)
    return counts


def forget_caches(relationship_id: UUID) -> None:
    """Drop what caches hold of a relationship once this transaction commits.

    The caches belong to apps above this one and are found through a setting.
    """
    for path in settings.CONTENT_CACHES:
        forget: Callable[[UUID], None] = import_string(path)
        _forget_later(forget, relationship_id)


def _forget_later(forget: Callable[[UUID], None], relationship_id: UUID) -> None:
    # What is erased stays erased when a cache cannot be told: its pack is outdated by
    # the version, and expires. The caller must not take it for a failed erasure.
    transaction.on_commit(lambda: forget(relationship_id), robust=True)
