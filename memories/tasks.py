"""The bodies of the jobs: parse ids, one service call, retry by the queue's rows.

>>> process.delay(session_id=str(session_id))  # doctest: +SKIP
"""

import logging
import time
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from celery import shared_task
from django.db import DatabaseError
from django.utils import timezone

from identity.errors import RelationshipNotFound
from identity.versions import (
    list_due_consolidations,
    list_vectors_missing,
    settle_consolidation,
)
from memories import claims, sessions
from memories.consolidation import consolidate
from memories.enqueue import (
    CONSOLIDATE,
    PROCESS_SESSION,
    send_consolidation,
    send_session,
)
from memories.errors import EmbeddingFailed, RelationshipMissing, SessionFailed
from memories.presence import note_unreminded
from memories.processing import end_idle_session, give_back, process_claimed
from memories.reembedding import embed_missing
from memories.uses import fold_uses, take_uses

logger = logging.getLogger("memsys.jobs")

SWEEP_RELATIONSHIPS = 100
SWEEP_SECONDS = 20  # the next sweep comes after thirty
SWEEP_PAGE = 500
CONSOLIDATION_RETRY = timedelta(hours=1)


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
    held = claims.claim(_id(session_id), now=timezone.now())
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
    given_up = claims.give_up_exhausted(now=now)
    queued = 0
    for session_id in claims.list_waiting(now=now):
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


@shared_task(name=CONSOLIDATE)
def consolidate_one(*, relationship_id: str = "") -> dict[str, int]:
    """Do the work of the night on one relationship.

    Raises:
        RelationshipMissing: the payload names none, or one that does not exist.
    """
    try:
        done = consolidate(_id(relationship_id), now=timezone.now())
    except RelationshipNotFound as exc:
        raise RelationshipMissing("There is no such relationship.") from exc
    return asdict(done)


@shared_task(name="memories.sweep_consolidation")
def sweep_consolidation() -> int:
    """Queue the relationships that wait for the night, page by page.

    Each is put off for a while: one that the broker loses is found again.
    """
    now = timezone.now()
    deadline = time.monotonic() + SWEEP_SECONDS
    queued = 0
    while due := list_due_consolidations(now=now, limit=SWEEP_PAGE):
        ids = [relationship_id for _, relationship_id in due]
        settle_consolidation(ids, at=now + CONSOLIDATION_RETRY)
        for relationship_id in ids:
            if not send_consolidation(relationship_id):
                return queued
            queued += 1
        if time.monotonic() > deadline:
            break
    return queued


@shared_task(name="memories.note_unreminded")
def note_missed_reminders() -> int:
    """Note reminders that were due and that nobody confirmed; return how many are new."""
    return note_unreminded(now=timezone.now())


@shared_task(name="memories.fold_uses")
def fold_noted_uses() -> int:
    """Let the memories that contexts used last longer; return how many did."""
    deadline = time.monotonic() + SWEEP_SECONDS
    folded = 0
    while uses := take_uses():
        for relationship_id, counts in uses.items():
            try:
                folded += fold_uses(relationship_id, counts, now=timezone.now())
            except DatabaseError:
                # One that is locked must not cost all the others their uses.
                logger.exception("uses.lost", extra={"id": str(relationship_id)})
        if time.monotonic() > deadline:
            break
    return folded
