"""Rate limits: one token bucket per service key, in Valkey.

Owns the bucket and its headers (IETF draft "RateLimit header fields for HTTP"). The
bucket belongs to the key: no header that the caller writes changes whose it is.
Without Valkey nobody is limited.

>>> Limit(per_second=100, burst=200).policy
'"default";q=200;w=2'
"""

import logging
import time
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from memsys.api.authentication import Caller
from memsys.kernel.valkey import Unreachable, get_valkey

if TYPE_CHECKING:
    from rest_framework.views import APIView

logger = logging.getLogger("memsys.api")

# Refill by elapsed server time, then take one token if there is one; one atomic step.
# Keys: the bucket. Arguments: tokens a second, capacity.
# Returns: 1 or 0 taken, whole tokens left, milliseconds until the next token.
_TAKE = """
local rate, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(bucket[1]) or capacity
local at = tonumber(bucket[2]) or now
tokens = math.min(capacity, tokens + math.max(0, now - at) * rate / 1000)
local taken = 0
if tokens >= 1 then
  tokens = tokens - 1
  taken = 1
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', tostring(now))
redis.call('PEXPIRE', KEYS[1], math.ceil(capacity / rate * 1000) + 1000)
return {taken, math.floor(tokens), math.ceil(math.max(0, 1 - tokens) * 1000 / rate)}
"""

# After a failure Valkey is left alone for this long, so that requests stay fast.
_PAUSE_SECONDS = 1.0


@dataclass(frozen=True)
class Limit:
    """How many requests a key may make: steadily, and at once."""

    per_second: int
    burst: int

    @property
    def policy(self) -> str:
        """Return the value of the RateLimit-Policy header."""
        return f'"default";q={self.burst};w={ceil(self.burst / self.per_second)}'


@dataclass(frozen=True)
class Taken:
    """The outcome of taking a token."""

    is_allowed: bool
    remaining: int
    wait_seconds: float

    @property
    def header(self) -> str:
        """Return the value of the RateLimit header."""
        return f'"default";r={self.remaining};t={ceil(self.wait_seconds)}'


class TokenBuckets:
    """The buckets of all keys; None for an answer while Valkey is away."""

    def __init__(self, valkey: Any) -> None:
        self._take = valkey.register_script(_TAKE)
        self._paused_until = 0.0
        self._is_down = False

    def take(self, name: str, limit: Limit) -> Taken | None:
        """Take a token from a bucket: one round trip."""
        if time.monotonic() < self._paused_until:
            return None
        try:
            taken, remaining, wait_ms = self._take(
                keys=[f"memsys:rate:{name}"], args=[limit.per_second, limit.burst]
            )
        except Unreachable:
            self._pause()
            return None
        self._is_down = False
        return Taken(bool(taken), int(remaining), int(wait_ms) / 1000)

    def _pause(self) -> None:
        self._paused_until = time.monotonic() + _PAUSE_SECONDS
        if not self._is_down:
            self._is_down = True
            logger.warning("api.rate_limit_unavailable")


@cache
def get_buckets() -> TokenBuckets:
    """Return this process's view of the buckets."""
    return TokenBuckets(get_valkey())


def current_limit() -> Limit:
    """Return the limit that the settings name."""
    return Limit(per_second=settings.API_RATE_PER_SECOND, burst=settings.API_RATE_BURST)


class KeyRate(BaseThrottle):
    """Takes a token for each request that carries a valid key."""

    taken: Taken | None = None

    def allow_request(self, request: Request, view: "APIView") -> bool:
        caller = request.auth
        if not isinstance(caller, Caller):
            return True
        limit = current_limit()
        self.taken = get_buckets().take(caller.prefix, limit)
        if self.taken is None:
            return True
        view_headers: dict[str, Any] = getattr(view, "extra_headers", {})
        view_headers["RateLimit-Policy"] = limit.policy
        view_headers["RateLimit"] = self.taken.header
        return self.taken.is_allowed

    def wait(self) -> float | None:
        return self.taken.wait_seconds if self.taken is not None else None
