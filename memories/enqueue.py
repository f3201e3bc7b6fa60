"""Asks for jobs by name and keyword ids, after the commit.

Owns nothing durable: the session row is the queue, and the sweep finds what a lost
broker forgot. A broker that does not answer is logged, never an error of the caller.

>>> enqueue_session(session_id)  # doctest: +SKIP
"""

import logging
from uuid import UUID

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger("memsys.jobs")

PROCESS_SESSION = "memories.process_session"


def enqueue_session(session_id: UUID) -> None:
    """Ask for the processing of an ended session once this transaction commits."""
    transaction.on_commit(lambda: send_session(session_id))


def send_session(session_id: UUID) -> None:
    """Ask for the processing of a session at once; for the sweep."""
    _send(PROCESS_SESSION, {"session_id": str(session_id)})


def _send(name: str, ids: dict[str, str]) -> None:
    try:
        current_app.send_task(name, kwargs=ids, retry=False)
    except OperationalError:
        logger.warning("job.broker_unreachable", extra={"job": name})
