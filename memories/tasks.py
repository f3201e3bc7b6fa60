"""The bodies of the jobs: parse ids, one service call, retry by the queue's rows.

>>> process.delay(session_id=str(session_id))  # doctest: +SKIP
"""

import logging
import time
from datetime import datetime
from typing import Any
from uuid import UUID

from celery import shared_task
from django.db import DatabaseError
from django.utils import timezone

from identity.versions import list_vectors_missing
from memories import sessions
from memories.enqueue import PROCESS_SESSION, send_session
from memories.errors import EmbeddingFailed, RelationshipMissing, SessionFailed
from memories.processing import end_idle_session, give_back, process_claimed
from memories.reembedding import embed_missing

logger = logging.getLogger("memsys.jobs")

SWEEP_RELATIONSHIPS = 100
SWEEP_SECONDS = 20  # the next sweep comes after thirty


def _id(value: Any) -> UUID:
    """Return an id from a task's payload.

    Raises:
        RelationshipMissing: it is missing, blank or no UUID; the task is refused.
    """
    try:
        return UUID(str(value))
    except ValueError as exc:
        raise RelationshipMissing("A job needs the id of what it is for.") from exc


@shared_task(name=PROCESS_SESSION)
def process(*, session_id: str = "") -> str:
    """Process one ended session; a failure gives it back for a later try.

    Raises:
        RelationshipMissing: the payload names no session; there is nothing to retry.
        SessionFailed: the work failed; the session waits for its next try.
    """
    held = sessions.claim(_id(session_id), now=timezone.now())
    if held is None:
        return "not_waiting"
    try:
        return process_claimed(held, now=timezone.now())
    except Exception as exc:
        # The outer edge: whatever it was, the session is not lost with it.
        error = type(exc).__name__
        logger.exception("session.failed", extra={"session": session_id})
        give_back(held, error_code=error, now=timezone.now())
        # The queue's own log quotes an error with all its causes, and those may quote
        # a row; the log entry above has the type and the place.
        raise SessionFailed(f"The work on a session failed: {error}.") from None


@shared_task(name="memories.sweep_sessions")
def sweep() -> dict[str, int]:
    """End idle sessions and queue again what no worker has."""
    now = timezone.now()
    ended, stuck = _end_idle(now)
    given_up = sessions.give_up_exhausted(now=now)
    queued = 0
    for session_id in sessions.list_waiting(now=now):
        if not send_session(session_id):
            break
        queued += 1
    return {"ended": ended, "stuck": stuck, "queued": queued, "given_up": given_up}


def _end_idle(now: datetime) -> tuple[int, int]:
    """End idle sessions page by page; return how many, and how many would not."""
    deadline = time.monotonic() + SWEEP_SECONDS
    ended, stuck = 0, set[UUID]()
    while idle := [one for one in sessions.list_idle(now=now) if one not in stuck]:
        for relationship_id in idle:
            try:
                ended += end_idle_session(relationship_id, now=now)
            except DatabaseError:
                # One that is locked must not hold up all the others.
                logger.exception("sweep.stuck", extra={"id": str(relationship_id)})
                stuck.add(relationship_id)
            if time.monotonic() > deadline:
                return ended, len(stuck)
    return ended, len(stuck)


@shared_task(name="memories.embed_missing")
def embed_missing_vectors() -> int:
    """Give vectors to what was written while the embedder was away."""
    made = 0
    for relationship_id, since in list_vectors_missing(limit=SWEEP_RELATIONSHIPS):
        try:
            made += embed_missing(relationship_id, since=since)
        except EmbeddingFailed:
            logger.warning("vectors.still_missing")
            break
    return made
