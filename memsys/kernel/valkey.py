"""The connection to Valkey, the cache and broker; holds alone nothing that matters.

>>> get_valkey().get("key")  # doctest: +SKIP
"""

from functools import cache
from typing import Any

import redis
from django.conf import settings

TIMEOUT_SECONDS = 0.5
COPIES = "memsys:*"  # our keys; those of the broker have other names
PAGE = 500
Unreachable = redis.RedisError


@cache
def get_valkey() -> Any:
    """Return this process's client; it connects on first use and is thread-safe.

    Calls raise `Unreachable` soon when the server does not answer.
    """
    return redis.Redis.from_url(
        settings.VALKEY_URL,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
    )


def drop_copies() -> int:
    """Delete all that is kept of the database, which has become another; say how many.

    Raises:
        Unreachable: the server does not answer.
    """
    client = get_valkey()
    return sum(client.unlink(key) for key in client.scan_iter(COPIES, count=PAGE))
