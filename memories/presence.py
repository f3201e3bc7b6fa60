"""Who is here without a pause, and was not told in time that an AI talks.

Owns the search for reminders that were due and that nobody has confirmed, and the note
of each. When one is due is said with each context; that it was shown is told back to
`consent.disclosures`. Users of the demo and of evaluations are left out.

Source: Order 21, article 18: a reminder every two hours of continuous use.

>>> note_unreminded(now=now)  # doctest: +SKIP
1
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from consent.disclosures import note_missed, reminder_after
from identity.resolution import get_relationship
from identity.scopes import job_scope
from memsys.kernel.sql import load_sql

logger = logging.getLogger("memsys.disclosures")

# How long the chat service has to show what is due, and to tell so.
GRACE = timedelta(minutes=10)
# Open sessions that are looked at, the newest messages first: by the job, by a glance.
SCAN_LIMIT = 20_000
GLANCE_LIMIT = 2000
LIST_LIMIT = 1000


@dataclass(frozen=True)
class Unreminded:
    """Where a reminder was due, and when; nobody has told that it was shown."""

    relationship_id: UUID
    due_at: datetime


def list_unreminded(
    *, now: datetime, limit: int = LIST_LIMIT, scan: int = GLANCE_LIMIT
) -> list[Unreminded]:
    """Return where a reminder is overdue now, the longest first. One query."""
    wanted: dict[str, Any] = {
        "now": now,
        "idle": timedelta(minutes=settings.SESSION_IDLE_MINUTES),
        "due_after": reminder_after(),
        "grace": GRACE,
        "scan": scan,
        "up_to": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(load_sql("memories", "list_unreminded"), wanted)
        return [Unreminded(*row) for row in cursor.fetchall()]


def note_unreminded(*, now: datetime) -> int:
    """Note each reminder that is overdue, once; return how many are new."""
    noted = 0
    for one in list_unreminded(now=now, scan=SCAN_LIMIT):
        relationship = get_relationship(one.relationship_id)
        with job_scope(relationship):
            is_new = note_missed(relationship, due_at=one.due_at)
        noted += is_new
        if is_new:
            logger.warning(
                "disclosure.missed", extra={"relationship": str(relationship.id)}
            )
    return noted
