"""Who calls: a service key in `Authorization: Bearer <prefix.secret>`.

Owns the check of a key and the short memory of checked ones. A key is looked up by
its prefix and compared as a hash; the cache holds SHA-256 of keys, never keys.

>>> Caller("ab12cd34", frozenset({"context:read"}), frozenset(), expiry).actor
... # doctest: +SKIP
'service:ab12cd34'
"""

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from consent import ledger
from memsys.api.models import ServiceKey

SCHEME = "Bearer"
MAX_KEY_LENGTH = 200
# A revoked key stops working at the latest after this time.
CACHE_SECONDS = 5.0
CACHE_ENTRIES = 1024


@dataclass(frozen=True)
class Caller:
    """The service behind a key: what it may do, for which creators, until when.

    `creators` holds external ids; empty means all.
    """

    prefix: str
    scopes: frozenset[str]
    creators: frozenset[str]
    expires_at: datetime

    # DRF and Django ask this of a request's user.
    is_authenticated = True
    is_active = True

    @property
    def actor(self) -> str:
        """Return the name under which deeds of this caller are recorded."""
        return f"service:{self.prefix}"

    def may(self, scope: str) -> bool:
        return scope in self.scopes

    def may_reach(self, creator: str) -> bool:
        """Say whether the key is for this creator, by external id."""
        return not self.creators or creator in self.creators


class CallerCache:
    """Remembers checked keys for a few seconds, the latest `max_entries` of them."""

    def __init__(
        self,
        *,
        seconds: float = CACHE_SECONDS,
        max_entries: int = CACHE_ENTRIES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._max_entries = max_entries
        self._clock = clock
        self._entries: OrderedDict[bytes, tuple[float, Caller]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: str) -> Caller | None:
        """Return the caller that was put less than the set time ago."""
        checked_at, caller = self._entries.get(_digest(key), (0.0, None))
        is_fresh = self._clock() - checked_at < self._seconds
        return caller if is_fresh else None

    def put(self, key: str, caller: Caller) -> None:
        with self._lock:
            self._entries[_digest(key)] = (self._clock(), caller)
            self._entries.move_to_end(_digest(key))
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()


callers = CallerCache()


class ServiceKeyAuth(BaseAuthentication):
    """Takes the key from the header. No query while the key is in the cache."""

    def authenticate(self, request: Request) -> tuple[Caller, Caller] | None:
        """Return the caller, or None when the request names no key.

        Raises:
            AuthenticationFailed: the key is malformed, unknown, revoked or expired.
            LedgerError: nobody is served while the database is behind the ledger.
        """
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            return None
        scheme, _, key = header.partition(" ")
        if scheme.lower() != SCHEME.lower() or not 0 < len(key) <= MAX_KEY_LENGTH:
            raise AuthenticationFailed
        caller = callers.find(key) or _check(key)
        if caller.expires_at <= timezone.now():
            raise AuthenticationFailed
        return caller, caller

    def authenticate_header(self, request: Request) -> str:
        return f'{SCHEME} realm="memsys"'


def _check(key: str) -> Caller:
    """Look the key up and remember it. Two queries.

    A database that is restored under a running process brings erased people back: it
    is noticed here, when the last look is a few seconds old.

    Raises:
        AuthenticationFailed: no live key is this one.
        LedgerError: the database does not follow the erasure ledger.
    """
    prefix = key.partition(".")[0]
    row = None
    if "\x00" not in prefix:
        row = ServiceKey.objects.get_usable_keys().filter(prefix=prefix).first()
    if row is None or row.expiry_date is None or not row.is_valid(key):
        raise AuthenticationFailed
    ledger.check()
    caller = Caller(
        prefix=row.prefix,
        scopes=frozenset(row.scopes),
        creators=frozenset(row.creators),
        expires_at=row.expiry_date,
    )
    callers.put(key, caller)
    return caller


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
