"""The locks of one relationship, which last until the transaction ends.

Owns who waits for whom: one writer of memories at a time, and no message on its way in
while all content is erased. Messages come in side by side: they share their lock.

>>> now = lock_memories(relationship_id, now=now)  # doctest: +SKIP
"""

from datetime import datetime
from uuid import UUID

from django.db import connection

from memories.models import Memory

MEMORIES, INTAKE = 0, 1  # `claim_fingerprints.sql` shares the second


def lock_memories(relationship_id: UUID, *, now: datetime) -> datetime:
    """Let one transaction at a time write memories of a relationship. Two statements.

    Returns the time to record at: not before what others recorded while it waited.
    """
    _lock(relationship_id, MEMORIES)
    recorded_at = Memory.objects.of(relationship_id).find_last_recorded()
    return max(now, recorded_at or now)


def lock_intake(relationship_id: UUID) -> None:
    """Wait for the messages that are being stored, and hold up new ones."""
    _lock(relationship_id, INTAKE)


def _lock(relationship_id: UUID, what: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))",
            [str(relationship_id), what],
        )
