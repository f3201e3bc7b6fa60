"""The search through every key of Valkey, queues included, whatever its type.

Values are read in pieces. Packs and working memory keep words as UTF-8, and the queues
as Base64; both are among the forms.

>>> list(search_keys(client, forms_of("暗号")))  # doctest: +SKIP
"""

from collections.abc import Iterable, Iterator
from typing import Any

import redis
from django.conf import settings

from memsys.scanning.forms import WINDOW_BYTES, Forms
from memsys.scanning.results import Found, ScanFailed

PAGE = 500
TIMEOUT_SECONDS = 10
HIDDEN = "valkey: (a key whose name holds the text)"


def open_valkey() -> Any:
    """Return a client that waits longer than a request may."""
    return redis.Redis.from_url(settings.VALKEY_URL, socket_timeout=TIMEOUT_SECONDS)


def count_keys(client: Any) -> int:
    """Return how many keys there are."""
    return int(client.dbsize())


def search_keys(client: Any, forms: Forms, *, match: str = "*") -> Iterator[Found]:
    """Yield each key that holds one of the forms, in its name or its value.

    Raises:
        ScanFailed: a key has a type that is not known.
    """
    for key in client.scan_iter(match=match, count=PAGE):
        if forms.are_in(key):
            yield Found(HIDDEN, 1)
        elif count := _count(client, key, forms):
            yield Found(f"valkey: {key.decode(errors='replace')}", count)


def _count(client: Any, key: bytes, forms: Forms) -> int:
    kind = client.type(key)
    if kind == b"string":
        return int(forms.are_in_any(_windows(client, key)))
    return sum(forms.are_in(one) for one in _members(client, key, kind))


def _windows(client: Any, key: bytes) -> Iterator[bytes]:
    start = 0
    while window := client.getrange(key, start, start + WINDOW_BYTES - 1):
        yield window
        start += len(window)


def _members(client: Any, key: bytes, kind: bytes) -> Iterable[bytes]:
    if kind == b"hash":
        return (b"\n".join(one) for one in client.hscan_iter(key, count=PAGE))
    if kind == b"set":
        return (bytes(one) for one in client.sscan_iter(key, count=PAGE))
    if kind == b"zset":
        return (bytes(one) for one, _ in client.zscan_iter(key, count=PAGE))
    if kind == b"list":
        return _items(client, key)
    if kind == b"stream":
        return _entries(client, key)
    if kind == b"none":  # it has expired meanwhile
        return ()
    raise ScanFailed(f"Valkey has a key of type {kind.decode()}, which is not known.")


def _items(client: Any, key: bytes) -> Iterator[bytes]:
    start = 0
    while page := client.lrange(key, start, start + PAGE - 1):
        yield from page
        start += len(page)


def _entries(client: Any, key: bytes) -> Iterator[bytes]:
    after = "-"
    while page := client.xrange(key, min=after, count=PAGE):
        yield from (b"\n".join(part for pair in entry.items() for part in pair)
                    for _, entry in page)  # fmt: skip
        after = f"({page[-1][0].decode()}"
