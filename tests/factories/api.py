"""Calling services for tests: a key, and a client that speaks JSON with it.

>>> bot = make_bot(scopes=["context:read"])  # doctest: +SKIP
>>> bot.post("/context", {"relationship": str(ann.id), "query": "猫"}).json()
... # doctest: +SKIP
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memsys.api.keys import KeyForm, NewKey, make_key
from memsys.api.scopes import Scope
from tests.factories.identity import new_name

PREFIX = "/api/v1"
# No key may hold all of them, so Bot does without the right to record consent.
SERVICE_SCOPES = tuple(sorted(set(Scope) - {Scope.CONSENT_WRITE}))
_NOT_COUNTED = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "SET LOCAL")


@dataclass(frozen=True)
class Bot:
    """A calling service with one key."""

    key: NewKey
    client: Client = field(
        default_factory=lambda: Client(raise_request_exception=False)
    )

    @property
    def actor(self) -> str:
        return f"service:{self.key.prefix}"

    def get(self, path: str, **query: str) -> HttpResponse:
        return self._send("GET", path, None, QUERY_STRING=_query(query))

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self._send("POST", path, body, **_meta(headers))

    def put(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self._send("PUT", path, body, **_meta(headers))

    def delete(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self._send("DELETE", path, body, **_meta(headers))

    def send(self, method: str, path: str, body: Any = None) -> HttpResponse:
        return self._send(method, path, body)

    def _send(self, method: str, path: str, body: Any, **meta: str) -> HttpResponse:
        data = body if isinstance(body, bytes) else _json(body)
        response: HttpResponse = self.client.generic(
            method,
            PREFIX + path,
            data,
            content_type="application/json",
            **{"HTTP_AUTHORIZATION": f"Bearer {self.key.secret}", **meta},
        )
        return response


def make_bot(
    scopes: Iterable[str] = SERVICE_SCOPES,
    creators: Sequence[str] = (),
    expires_at: datetime | None = None,
) -> Bot:
    """Make a key for some creators, all by default, and a client that uses it."""
    now = timezone.now()
    form = KeyForm(
        name=new_name("bot")[:50],
        scopes=tuple(scopes),
        creators=tuple(creators),
        expires_at=expires_at or now + timedelta(days=30),
    )
    return Bot(make_key(form, by="command:tests", now=now))


def make_message_body(text: str = "今天好累", **fields: Any) -> dict[str, Any]:
    """Return one message of a user as it is posted, sent now."""
    sent_at = fields.pop("sent_at", None) or timezone.now()
    return {
        "author_kind": "user",
        "text": text,
        "sent_at": sent_at.isoformat(),
    } | fields


class CountedQueries(CaptureQueriesContext):
    """Counts statements, without transaction control and SET LOCAL."""

    def __init__(self) -> None:
        super().__init__(connection)

    @property
    def statements(self) -> list[str]:
        return [
            query["sql"]
            for query in self.captured_queries
            if not query["sql"].upper().startswith(_NOT_COUNTED)
        ]


def _json(body: Any) -> bytes:
    # Lone surrogates stay escaped: they are part of what is tested.
    return b"" if body is None else json.dumps(body).encode()


def _meta(headers: dict[str, str]) -> dict[str, str]:
    return {f"HTTP_{name.upper()}": value for name, value in headers.items()}


def _query(query: dict[str, str]) -> str:
    return urlencode(query)
