"""The messages that memories were made from, once they must not be read again.

Owns the masking: the row keeps its id and date, its words and its fingerprint go, no
job reads it again, and no copy of it is used. Does not decide when; erasure, writing
and retention do.

>>> mask_messages(relationship_id, [message_id])  # doctest: +SKIP
{'messages': 1, 'fingerprints': 1}
"""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from identity.versions import bump_memory_version
from memories.caches import forget_caches
from memories.models import Message, MessageFingerprint

ERASED_TEXT, EXPIRED_TEXT = "[已删除]", "[已过期]"
MARKERS = (ERASED_TEXT, EXPIRED_TEXT)


def mask_messages(relationship_id: UUID, message_ids: Iterable[UUID]) -> dict[str, int]:
    """Mask messages of a relationship; return counts per store. Three statements."""
    return _mask(relationship_id, message_ids, ERASED_TEXT)


def expire_messages(
    relationship_id: UUID, message_ids: Iterable[UUID]
) -> dict[str, int]:
    """Mask messages whose time is over; return counts per store. Three statements."""
    return _mask(relationship_id, message_ids, EXPIRED_TEXT)


def _mask(
    relationship_id: UUID, message_ids: Iterable[UUID], text: str
) -> dict[str, int]:
    ids = sorted(message_ids)
    if ids:
        # Copies of the session that is going on are known by this version.
        bump_memory_version(relationship_id)
        forget_caches(relationship_id)
    messages = Message.objects.filter(relationship_id=relationship_id, id__in=ids)
    fingerprints = MessageFingerprint.objects.filter(
        relationship_id=relationship_id, message_id__in=ids
    )
    return {
        "messages": messages.update(text=text, no_extract=True, masked={}),
        "fingerprints": fingerprints.delete()[0],
    }


def mask_session_before(
    relationship_id: UUID, session_id: UUID, moment: datetime
) -> None:
    """Mask what a session holds from before an erasure of everything."""
    rows = Message.objects.filter(
        relationship_id=relationship_id, session_id=session_id, sent_at__lte=moment
    )
    mask_messages(relationship_id, rows.values_list("id", flat=True))
