"""Asks for jobs of consent by name and keyword ids, after the commit.

Owns nothing durable: the rows of changes, erasures and exports are the queues, and each
sweep finds what a lost broker forgot. A broker that does not answer soon is logged,
never an error of the caller.

>>> enqueue(CARRY_OUT_CHANGE, change_id=request.pk)  # doctest: +SKIP
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

CARRY_OUT_CHANGE = "consent.carry_out_change"
SETTLE_USER = "consent.settle_user"
# The caller has committed and waits for its answer.
SEND_SECONDS = 1.0
# In Valkey 0 goes first. What beat sends has no other, so that sweeps are never behind.
PRIORITY = 3


def enqueue(name: str, **ids: UUID) -> None:
    """Ask for a job once this transaction commits."""
    transaction.on_commit(lambda: send(name, **ids), robust=True)


def send(name: str, **ids: UUID) -> bool:
    """Ask for a job at once; return whether the broker took it.

    Waits two seconds or so for a broker that hangs.
    """
    payload = {key: str(value) for key, value in ids.items()}
    try:
        with producers[_broker(current_app.conf.broker_url)].acquire(
            block=True
        ) as producer:
            current_app.send_task(
                name, kwargs=payload, producer=producer, retry=False, priority=PRIORITY
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
