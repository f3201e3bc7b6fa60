"""Which addresses events may be sent to: allowed by name, then by number.

Owns the check of a URL, and the look-up of its host with the refusal of what lies inside
the own network. The number that was checked is the one that is called, so a name that
changes its answer gains nothing.

>>> check_url("https://chat.example/hooks")  # doctest: +SKIP
"""

import asyncio
import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

MAX_URL_LENGTH = 500
_PLAIN = re.compile(r"[\x21-\x7e]+")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:]*:[0-9a-f:.]*")
# Numbers that stand for another one, which a gateway may turn them into.
_TRANSLATED = tuple(
    ipaddress.ip_network(one)
    for one in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96", "::ffff:0:0:0/96")
)
# Where clouds tell a machine its own secrets.
_METADATA = frozenset(
    ipaddress.ip_address(one)
    for one in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192")
)
# What Python takes for public, and no public service has.
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(one)
    for one in ("192.0.0.0/24", "192.88.99.0/24", "fec0::/10", "3fff::/20", "5f00::/16")
)

Number = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressRefused(Exception):
    """An address that nothing is sent to; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Place:
    """Where to connect, and what is asked for there."""

    scheme: str
    host: str
    numbers: tuple[str, ...]
    port: int
    target: str
    host_header: str


def check_url(url: str) -> SplitResult:
    """Refuse a URL that no event may be sent to; looks nothing up.

    Raises:
        AddressRefused: it is no plain URL, its host is not allowed, or it is not https
            (http will do on this machine).
    """
    if len(url) > MAX_URL_LENGTH or not _PLAIN.fullmatch(url):
        raise AddressRefused("not-a-url")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as exc:
        raise AddressRefused("not-a-url") from exc
    is_plain = "@" not in parts.netloc and "#" not in url and port != 0
    if parts.scheme not in ("http", "https") or not is_plain:
        raise AddressRefused("not-a-url")
    if not _HOST.fullmatch(host) or not _is_allowed(host):
        raise AddressRefused("host-not-allowed")
    if parts.scheme == "http" and not _is_loopback(host):
        raise AddressRefused("not-https")
    return parts


async def find_place(url: str) -> Place:
    """Look a URL's host up and return where to connect.

    Raises:
        AddressRefused: see `check_url`; or the host is unknown, or one of its numbers
            lies where it may not.
    """
    parts = check_url(url)
    host = str(parts.hostname)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    numbers = await _look_up(host, port)
    is_inside_allowed = host in _inside()
    if not all(may_call(one, is_inside_allowed=is_inside_allowed) for one in numbers):
        raise AddressRefused("number-not-allowed")
    query = f"?{parts.query}" if parts.query else ""
    return Place(
        scheme=parts.scheme,
        host=host,
        numbers=tuple(map(str, numbers)),
        port=port,
        target=f"{parts.path or '/'}{query}",
        host_header=parts.netloc,
    )


def may_call(number: Number, *, is_inside_allowed: bool) -> bool:
    """Say whether a number may be called; some may not even inside the own network.

    >>> may_call(ipaddress.ip_address("10.0.0.8"), is_inside_allowed=False)
    False
    """
    real = _meant(number)
    if real in _METADATA or number in _METADATA:
        return False
    if real.is_link_local or real.is_multicast or real.is_unspecified:
        return False
    is_public = real.is_global and not any(real in one for one in _NOT_PUBLIC)
    return is_public or is_inside_allowed


async def _look_up(host: str, port: int) -> list[Number]:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as exc:
        raise AddressRefused("host-unknown") from exc
    texts = dict.fromkeys(str(one[4][0]).partition("%")[0] for one in found)
    numbers = [ipaddress.ip_address(text) for text in texts]
    if not numbers:
        raise AddressRefused("host-unknown")
    return numbers


def _meant(number: Number) -> Number:
    """Return the number that another one stands for, or the number itself."""
    if isinstance(number, ipaddress.IPv4Address) or number.is_loopback:
        return number
    if number.ipv4_mapped is not None:
        return number.ipv4_mapped
    if number.sixtofour is not None:
        return number.sixtofour
    if number.teredo is not None:
        return number.teredo[1]
    if any(number in network for network in _TRANSLATED):
        return ipaddress.IPv4Address(int(number) & 0xFFFFFFFF)
    return number


def _is_allowed(host: str) -> bool:
    return host in {one.lower() for one in settings.WEBHOOK_ALLOWED_HOSTS} | _inside()


def _inside() -> set[str]:
    """Return the hosts that may lie in the own network."""
    return {one.lower() for one in settings.WEBHOOK_INTERNAL_HOSTS}


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
