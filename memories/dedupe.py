"""Finds what was sent before: by the caller's id for ever, by text for five minutes.

Owns the fingerprints and their race: one upsert locks each text, so that of fifty
identical posts one is stored and the others are told its id.

>>> find_known(relationship, candidates)  # doctest: +SKIP
{0: UUID('...')}
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from identity.types import RelationshipRef
from memories.evidence import EXPIRED_TEXT
from memories.models import Message
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.sql import load_sql

if TYPE_CHECKING:
    from memories.intake import FilteredMessage


TextKey = tuple[str, bytes]
# The floor of how long words of messages are kept; younger ones are all there.
SHORTEST_KEPT = timedelta(days=1)


@dataclass(frozen=True)
class Candidate:
    """A message on its way in, its place in the batch, and the id it would get."""

    index: int
    message_id: UUID
    message: "FilteredMessage"


def find_known(
    relationship: RelationshipRef, candidates: Sequence[Candidate], *, now: datetime
) -> dict[int, UUID]:
    """Return for each place in the batch the id of its message, old or its own.

    At most two statements for a batch without far-apart repeats, and one more if it
    holds messages that were sent more than a day ago.
    """
    by_external_id = _find_external_ids(relationship, candidates)
    known: dict[int, UUID] = {}
    unseen: list[Candidate] = []
    for one in candidates:
        external_id = one.message.external_id
        if external_id is None:
            unseen.append(one)
        elif external_id in by_external_id:
            known[one.index] = by_external_id[external_id]
        else:
            by_external_id[external_id] = one.message_id
            unseen.append(one)
    known |= (expired := _find_expired(relationship, unseen, now=now))
    known |= _find_texts(relationship, [c for c in unseen if c.index not in expired])
    # An id whose text was a duplicate stands for the message that was kept.
    replaced = {one.message_id: known[one.index] for one in unseen}
    return {index: replaced.get(message, message) for index, message in known.items()}


def _find_external_ids(
    relationship: RelationshipRef, candidates: Sequence[Candidate]
) -> dict[str, UUID]:
    names = {one.message.external_id for one in candidates} - {None}
    if not names:
        return {}
    rows = Message.objects.filter(
        relationship_id=relationship.id, external_id__in=sorted(map(str, names))
    )
    return {str(name): pk for name, pk in rows.values_list("external_id", "id")}


def _find_expired(
    relationship: RelationshipRef, candidates: Sequence[Candidate], *, now: datetime
) -> dict[int, UUID]:
    """Return which candidates are messages whose words are kept no longer.

    Of these only who sent them and when is known: the same author at the very same
    moment is taken for the same message.
    """
    old = [one for one in candidates if one.message.sent_at < now - SHORTEST_KEPT]
    if not old:
        return {}
    rows = Message.objects.filter(
        relationship_id=relationship.id,
        sent_at__in=sorted({one.message.sent_at for one in old}),
        text=EXPIRED_TEXT,
    )
    kept = {
        (row.author_kind, row.sent_at): row
        for row in rows.only("author_kind", "sent_at", "external_id").order_by("-id")
    }
    found: dict[int, UUID] = {}
    for one in old:
        row = kept.get((one.message.author_kind, one.message.sent_at))
        # With two ids of the caller they are two messages.
        if row and None in (row.external_id, one.message.external_id):
            found[one.index] = row.pk
    return found


def _find_texts(
    relationship: RelationshipRef, candidates: Sequence[Candidate]
) -> dict[int, UUID]:
    """Return whose text each candidate repeats; one statement a window of a text."""
    known: dict[int, UUID] = {}
    waiting: dict[TextKey, list[Candidate]] = {}
    for one in sorted(candidates, key=lambda c: (c.message.sent_at, c.index)):
        waiting.setdefault(_text_key(one), []).append(one)
    while waiting:
        firsts = [waiting[key][0] for key in sorted(waiting)]
        claims = _claim(relationship, firsts)
        for key in sorted(waiting):
            message_id, since = _settle(relationship, waiting[key][0], *claims[key])
            # The window begins with the first message and does not slide.
            repeats = [c for c in waiting[key] if c.message.sent_at < since + window()]
            known |= {one.index: message_id for one in repeats}
            waiting[key] = waiting[key][len(repeats) :]
        waiting = {key: left for key, left in waiting.items() if left}
    return known


def _settle(
    relationship: RelationshipRef, one: Candidate, kept_id: UUID, kept_at: datetime
) -> tuple[UUID, datetime]:
    """Return the first message of the window that a claimed text falls in."""
    is_before = one.message.sent_at <= kept_at - window()
    if kept_id == one.message_id or not is_before:
        return kept_id, kept_at
    # Imported late: the fingerprint belongs to a newer message and stays with it.
    older = _find_older(relationship, one)
    return older or one.message_id, one.message.sent_at


def _text_key(one: Candidate) -> TextKey:
    return one.message.author_kind, one.message.digest


def window() -> timedelta:
    """Return how long the same text of the same author counts as a repeat."""
    return timedelta(seconds=settings.DUPLICATE_WINDOW_SECONDS)


def _claim(
    relationship: RelationshipRef, firsts: Sequence[Candidate]
) -> dict[TextKey, tuple[UUID, datetime]]:
    """Lock each text's fingerprint; return whose it is and since when."""
    bucket = bucket_of(relationship.id)
    parameters: dict[str, Any] = {
        "shard": bucket,
        "user": relationship.user_id,
        "relationship": relationship.id,
        "window": window(),
        "ids": [new_id(bucket=bucket) for _ in firsts],
        "authors": [one.message.author_kind for one in firsts],
        "digests": [one.message.digest for one in firsts],
        "sent_at": [one.message.sent_at for one in firsts],
        "messages": [one.message_id for one in firsts],
    }
    with connection.cursor() as cursor:
        cursor.execute(load_sql("memories", "claim_fingerprints"), parameters)
        return {
            (author, bytes(digest)): (message_id, sent_at)
            for author, digest, message_id, sent_at in cursor.fetchall()
        }


def _find_older(relationship: RelationshipRef, one: Candidate) -> UUID | None:
    """Find a repeat of a message that is older than its text's fingerprint.

    The fingerprint is locked by now, so a parallel import waits and then finds this.
    """
    sent_at = one.message.sent_at
    return (
        Message.objects.filter(
            relationship_id=relationship.id,
            author_kind=one.message.author_kind,
            sent_at__gt=sent_at - window(),
            sent_at__lt=sent_at + window(),
            text=one.message.text,
        )
        .order_by("sent_at", "id")
        .values_list("id", flat=True)
        .first()
    )
