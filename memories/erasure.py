"""Removes memories and what they were made from, from every store there is.

Owns which rows go when one memory or a whole relationship is erased. An erased message
keeps its id and date; its words are gone.

>>> erase_lineage(relationship, memory_id, now=now)  # doctest: +SKIP
{'memories': 2, 'answers': 1, 'messages': 1, 'fingerprints': 1}
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from consent.errors import HeldByLaw
from consent.gate import list_held_memories
from identity.types import RelationshipRef
from memories.caches import forget_caches
from memories.evidence import mask_messages
from memories.lines import meaning_of
from memories.locks import lock_intake
from memories.models import (
    ChatSession,
    Memory,
    Message,
    MessageFingerprint,
    ModelAnswer,
)
from memories.querysets import ChatSessionQuerySet, MemoryQuerySet
from memories.tombstones import bury, bury_everything
from memories.types import SLOTTED_KINDS, SessionStatus
from memsys.kernel.scope import require_scope
from memsys.kernel.text.clean import fold


def erase_lineage(
    relationship: RelationshipRef, lineage: UUID, *, now: datetime
) -> dict[str, int]:
    """Erase one memory, mask its evidence and leave tombstones.

    What says the same in its slot goes with it, as does what the same messages say in
    the erased words. What was true before it does not come back.

    Raises:
        HeldByLaw: a memory that would go with it, or its evidence, is held.
    """
    require_scope(relationship=relationship.id)
    of_it = Memory.objects.of(relationship.id)
    light = of_it.defer("embedding", "tokens")
    rows = list(light.filter(lineage=lineage))
    rows += _find_same(light.exclude(lineage=lineage), rows)
    rows += _find_siblings(light, rows)
    lineages = _list_gone(relationship.id, rows)
    said = _said(rows)
    _check_held(relationship, lineage, rows)
    bury(relationship, rows, now=now)
    doomed = Q(lineage__in=lineages) | Q(pk__in=[row.pk for row in rows])
    counts = {
        "memories": of_it.filter(doomed).delete()[0] + _drop_withdrawn(of_it, said),
        "answers": empty_answers(relationship.id, said),
        **mask_messages(relationship.id, said),
    }
    of_it.filter(superseded_by__in=lineages).update(superseded_by=None)
    forget_caches(relationship.id)
    return counts


def _check_held(
    relationship: RelationshipRef, lineage: UUID, rows: Sequence[Memory]
) -> None:
    """Refuse to take a held memory, or what it was made from, with another one.

    Raises:
        HeldByLaw: with the holds of what would go.
    """
    held = list_held_memories(relationship)
    if not held:
        return
    kept = Memory.objects.of(relationship.id).filter(lineage__in=sorted(held))
    with_it = kept.filter(
        Q(pk__in=[row.pk for row in rows]) | Q(evidence__overlap=sorted(_said(rows)))
    )
    lineages = sorted(set(with_it.values_list("lineage", flat=True)))
    if lineages:
        raise HeldByLaw(
            tuple(held[one] for one in lineages),
            user_id=relationship.user_id,
            object_ref=f"memory:{lineage}",
        )


def _list_gone(relationship_id: UUID, rows: Sequence[Memory]) -> list[UUID]:
    """Return the memories that go whole: those that say now what is erased.

    One that was put right said it once; that version goes, the memory stays.
    """
    lineages = {row.lineage for row in rows}
    current = Memory.objects.of(relationship_id).current()
    still = set(current.filter(lineage__in=lineages).values_list("lineage", "id"))
    doomed = {row.pk for row in rows}
    return sorted(lineages - {lineage for lineage, pk in still if pk not in doomed})


def _drop_withdrawn(of_it: MemoryQuerySet, said: Collection[UUID]) -> int:
    """Delete what was taken back of some messages: nobody else could erase it."""
    here = of_it.filter(evidence__overlap=sorted(said))
    current = of_it.current().filter(lineage=OuterRef("lineage"))
    return here.filter(~Exists(current)).delete()[0]


def empty_answers(relationship_id: UUID, evidence: Collection[UUID]) -> int:
    """Empty what the model answered about the sessions of some messages."""
    of_it = {"relationship_id": relationship_id}
    said = Message.objects.filter(**of_it, id__in=sorted(evidence))
    sessions = sorted(set(said.values_list("session_id", flat=True)))
    answers = ModelAnswer.objects.filter(**of_it, session_id__in=sessions)
    return answers.exclude(text="").update(text="")


def _said(rows: Sequence[Memory]) -> set[UUID]:
    return {message for row in rows for message in row.evidence}


def _find_siblings(of_it: MemoryQuerySet, rows: Sequence[Memory]) -> list[Memory]:
    """Return versions of other memories that were made of the same words."""
    erased = {fold(row.text) for row in rows}
    others = of_it.filter(evidence__overlap=sorted(_said(rows))).exclude(
        pk__in=[row.pk for row in rows]
    )
    return [row for row in others if any(words in fold(row.text) for words in erased)]


def _find_same(others: MemoryQuerySet, versions: Sequence[Memory]) -> list[Memory]:
    """Return versions of other memories that say the same in the same slot."""
    slotted = [row for row in versions if row.kind in SLOTTED_KINDS]
    erased = {meaning_of(row) for row in slotted}
    rows = others.filter(
        kind__in=SLOTTED_KINDS, key__in=sorted({row.key for row in slotted})
    )
    return [row for row in rows if meaning_of(row) in erased]


def erase_all(
    relationship: RelationshipRef, *, now: datetime, until: datetime | None = None
) -> dict[str, int]:
    """Erase all content of one relationship; sessions stay as empty shells.

    `until` leaves what was stored after it: for an erasure that is done again.
    """
    require_scope(relationship=relationship.id)
    lock_intake(relationship.id)
    of_it = {"relationship_id": relationship.id}
    sessions = ChatSession.objects.of(relationship.id)
    messages = Message.objects.filter(**of_it)
    memories = Memory.objects.filter(**of_it)
    if until is not None:
        sessions = sessions.filter(last_received_at__lte=until)
        messages = messages.filter(received_at__lte=until)
        begun = memories.filter(recorded_at__lte=until)
        memories = memories.filter(lineage__in=begun.values("lineage"))
    # A sender's clock may run ahead: what was said may be dated after now.
    last_sent_at = sessions.find_last_sent()
    _empty_shells(sessions, now=now)
    fingerprints = MessageFingerprint.objects.filter(**of_it)
    answers = ModelAnswer.objects.filter(**of_it)
    if until is not None:
        fingerprints = fingerprints.filter(message__in=messages.values("id"))
        answers = answers.filter(received_at__lte=until)
    counts = {
        "memories": memories.delete()[0],
        "fingerprints": fingerprints.delete()[0],
        "messages": messages.delete()[0],
        "answers": answers.delete()[0],
    }
    moment = until or now
    bury_everything(relationship, until=max(moment, last_sent_at or moment))
    forget_caches(relationship.id)
    return counts


def _empty_shells(sessions: ChatSessionQuerySet, *, now: datetime) -> None:
    """Cancel the work on sessions, and forget what kinds of things were said in them."""
    unfinished = [SessionStatus.OPEN, SessionStatus.PENDING]
    sessions.filter(status__in=unfinished).update(
        status=SessionStatus.CANCELLED_ERASED, ended_at=now, lease_until=None
    )
    sessions.exclude(sensitive_dropped={}).update(sensitive_dropped={})
