"""Removes memories and what they were made from, from every store there is.

Owns which rows go when one memory or a whole relationship is erased, and the caches
that follow. An erased message keeps its id and date; its words are gone.

>>> erase_lineage(relationship, memory_id, now=now)  # doctest: +SKIP
{'memories': 2, 'answers': 1, 'messages': 1, 'fingerprints': 1}
"""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from identity.types import RelationshipRef
from memories.evidence import mask_messages
from memories.locks import lock_intake
from memories.models import (
    ChatSession,
    Memory,
    Message,
    MessageFingerprint,
    ModelAnswer,
)
from memories.tombstones import bury, bury_everything
from memories.types import SessionStatus
from memsys.kernel.scope import require_scope
from memsys.kernel.text.clean import fold


def erase_lineage(
    relationship: RelationshipRef, lineage: UUID, *, now: datetime
) -> dict[str, int]:
    """Erase one memory, mask its evidence and leave tombstones.

    Memories of the same evidence that say the erased words too go with it.
    """
    require_scope(relationship=relationship.id)
    of_it = Memory.objects.of(relationship.id)
    versions = list(of_it.filter(lineage=lineage).defer("embedding", "tokens"))
    evidence = {message for row in versions for message in row.evidence}
    rows = versions + _find_siblings(relationship.id, versions, evidence)
    lineages = sorted({row.lineage for row in rows})
    bury(relationship, rows, now=now)
    counts = {
        "memories": of_it.filter(lineage__in=lineages).delete()[0],
        "answers": _empty_answers(relationship.id, evidence),
        **mask_messages(relationship.id, evidence),
    }
    of_it.filter(superseded_by__in=lineages).update(superseded_by=None)
    forget_caches(relationship.id)
    return counts


def _empty_answers(relationship_id: UUID, evidence: Collection[UUID]) -> int:
    """Empty what the model answered about the sessions of some messages."""
    of_it = {"relationship_id": relationship_id}
    said = Message.objects.filter(**of_it, id__in=sorted(evidence))
    sessions = sorted(set(said.values_list("session_id", flat=True)))
    answers = ModelAnswer.objects.filter(**of_it, session_id__in=sessions)
    return answers.exclude(text="").update(text="")


def _find_siblings(
    relationship_id: UUID, versions: Sequence[Memory], evidence: Collection[UUID]
) -> list[Memory]:
    """Return versions of other memories that were made of the same words."""
    said = {fold(row.text) for row in versions}
    rows = (
        Memory.objects.of(relationship_id)
        .filter(evidence__overlap=sorted(evidence))
        .exclude(lineage__in={row.lineage for row in versions})
        .defer("embedding", "tokens")
    )
    return [row for row in rows if any(words in fold(row.text) for words in said)]


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
        "answers": ModelAnswer.objects.filter(**of_it).delete()[0],
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
