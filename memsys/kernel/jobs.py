"""Asks for jobs by name and keyword ids.

Owns nothing durable: whoever asks keeps what is to be done in a table, and a sweep
finds what a lost broker forgot. A broker that does not answer soon is logged, never an
error of the caller.

>>> send_job("api.spread_events", expires_seconds=60)  # doctest: +SKIP
True
"""

import logging
from functools import cache
from typing import Any

from celery import current_app
from kombu.exceptions import OperationalError
from kombu.pools import producers

logger = logging.getLogger("memsys.jobs")

# The caller has committed and waits for its answer.
SEND_SECONDS = 1.0
# In Valkey 0 goes first, and what beat sends has no other.
PRIORITY = 3


def send_job(name: str, *, expires_seconds: int, **ids: str) -> bool:
    """Ask for a job at once; return whether the broker took it.

    Waits two seconds or so for a broker that hangs.
    """
    try:
        with producers[_broker(current_app.conf.broker_url)].acquire(
            block=True
        ) as producer:
            current_app.send_task(
                name,
                kwargs=ids,
                producer=producer,
                retry=False,
                priority=PRIORITY,
                expires=expires_seconds,
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
