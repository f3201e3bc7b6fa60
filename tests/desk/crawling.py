"""Follows the links of the desk, so that a page need not be named to be looked at.

Owns which links are followed: those of the desk that only show something, one of each
kind of address, and no file to be taken.

>>> pages = crawl(officer.browser)  # doctest: +SKIP
>>> pages["/desk/find/"].route  # doctest: +SKIP
'find'
"""

import re
from dataclasses import dataclass
from html import unescape
from urllib.parse import parse_qsl, urljoin, urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

LINK = re.compile(r'<a\s[^>]*?href="([^"#]*)')
START = "/desk/"
# They end the session, or hand out a file.
NOT_FOLLOWED = frozenset({"logout", "jsi18n", "chain_verifier", "chain_proof"})
# A relationship and one filter; filters of filters show the same pages again.
MOST_ASKED = 2


@dataclass(frozen=True)
class Visited:
    """A page that was opened: the name of its route, the answer and its HTML."""

    route: str
    status: int
    text: str


def crawl(browser: Client, *further: str) -> dict[str, Visited]:
    """Return the pages that can be reached, by address; one of each kind.

    `further` are opened last, where no link has led to their kind.
    """
    waiting, later = [START], list(further)
    seen: set[tuple[str, ...]] = set()
    found: dict[str, Visited] = {}
    while waiting or later:
        address = waiting.pop(0) if waiting else later.pop(0)
        route = route_of(address)
        if route is None or route in NOT_FOLLOWED:
            continue
        asked = kind_of(address)
        kind = (route, *asked)
        if kind in seen or len(asked) > MOST_ASKED:
            continue
        seen.add(kind)
        answer = browser.get(address)
        text = answer.text if "text/html" in answer.headers["Content-Type"] else ""
        found[address] = Visited(route, answer.status_code, text)
        waiting += [urljoin(address, unescape(one)) for one in LINK.findall(text)]
    return found


def route_of(address: str) -> str | None:
    """Return the name of the page of the desk that an address leads to."""
    path = urlsplit(address).path
    try:
        return resolve(path).url_name if path.startswith(START) else None
    except Resolver404:
        return None


def kind_of(address: str) -> tuple[str, ...]:
    """Return the names that an address asks by; a page with none is another kind."""
    return tuple(sorted({name for name, _ in parse_qsl(urlsplit(address).query)}))
