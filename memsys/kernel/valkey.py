"""The connection to Valkey, the cache and broker; holds alone nothing that matters.

>>> get_valkey().get("key")  # doctest: +SKIP
"""

from functools import cache
from typing import Any

import redis
from django.conf import settings

TIMEOUT_SECONDS = 0.5
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
