"""The bodies of the jobs: parse ids, one service call, retry by the queue's rows.

>>> process_session.delay(session_id=str(session_id))  # doctest: +SKIP
"""

import logging
from typing import Any
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from memories import sessions
from memories.enqueue import PROCESS_SESSION, send_session
from memories.errors import RelationshipMissing
from memories.processing import end_idle_session, fail_session, process_session

logger = logging.getLogger("memsys.jobs")


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
    """Process one ended session; a failure gives it back for a later try."""
    pk = _id(session_id)
    try:
        return process_session(pk, now=timezone.now())
    except Exception as exc:
        # The outer edge: whatever it was, the session is not lost with it.
        logger.exception("session.failed", extra={"session": str(pk)})
        fail_session(pk, error_code=type(exc).__name__, now=timezone.now())
        raise


@shared_task(name="memories.sweep_sessions")
def sweep() -> dict[str, int]:
    """End idle sessions and queue again what no worker has."""
    now = timezone.now()
    ended = sum(end_idle_session(one, now=now) for one in sessions.list_idle(now=now))
    given_up = sessions.give_up_exhausted(now=now)
    waiting = sessions.list_waiting(now=now)
    for session_id in waiting:
        send_session(session_id)
    return {"ended": ended, "queued": len(waiting), "given_up": given_up}
