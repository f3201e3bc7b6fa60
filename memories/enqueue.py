"""Asks for jobs by name and keyword ids, after the commit.

Owns nothing durable: the session row is the queue, and the sweep finds what a lost
broker forgot. A broker that does not answer soon is logged, never an error of the
caller.

>>> enqueue_session(session_id)  # doctest: +SKIP
"""

import logging
from functools import cache
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from kombu.pools import producers

logger = logging.getLogger("memsys.jobs")

PROCESS_SESSION = "memories.process_session"
CONSOLIDATE = "memories.consolidate"
# The caller has committed and waits for its answer.
SEND_SECONDS = 1.0
# In Valkey 0 goes first. What beat sends has no other: behind a thousand sessions a sweep
# would expire, and nobody would end idle sessions or take up those of a dead worker.
PRIORITY = 3


def enqueue_session(session_id: UUID) -> None:
    """Ask for the processing of an ended session once this transaction commits."""
    transaction.on_commit(lambda: send_session(session_id), robust=True)


def send_session(session_id: UUID) -> bool:
    """Ask for the processing of a session at once; return whether the broker took it.

    Waits two seconds or so for a broker that hangs.
    """
    return _send(PROCESS_SESSION, {"session_id": str(session_id)})


def send_consolidation(relationship_id: UUID) -> bool:
    """Ask for the work of the night on a relationship; see `send_session`."""
    return _send(CONSOLIDATE, {"relationship_id": str(relationship_id)})


def _send(name: str, ids: dict[str, str]) -> bool:
    try:
        with producers[_broker(current_app.conf.broker_url)].acquire(
            block=True
        ) as producer:
            current_app.send_task(
                name, kwargs=ids, producer=producer, retry=False, priority=PRIORITY
            )
    except OperationalError:
        logger.warning("job.broker_unreachable", extra={"job": name})
        return False
    return True


@cache
def _broker(url: str) -> Any:
    """Return the broker with a time limit, which a worker that listens cannot have."""
    options = current_app.conf.broker_transport_options
    return current_app.connection_for_write(
        url, transport_options={**options, "socket_timeout": SEND_SECONDS}
    )
