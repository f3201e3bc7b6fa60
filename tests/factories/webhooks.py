"""A service that listens to webhooks, on this machine, and misbehaves when asked to.

>>> with listening() as service:  # doctest: +SKIP
...     service.url("/500")
'http://127.0.0.1:41234/500'
"""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from identity.types import RelationshipRef
from memsys.api.authentication import Caller
from memsys.api.webhooks.endpoints import EndpointForm, add_endpoint
from memsys.api.webhooks.models import WebhookDelivery, WebhookEndpoint
from memsys.kernel.outbox import OutboxEvent
from tests.factories.api import make_bot

ANSWERS = {
    "/ok": b"HTTP/1.1 204 No Content\r\n\r\n",
    "/500": b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n",
    "/400": b"HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n",
    "/gone": b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n",
    "/busy": b"HTTP/1.1 503 Busy\r\nRetry-After: 7200\r\nContent-Length: 0\r\n\r\n",
    "/moved": b"HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n",
    "/nonsense": b"\x00\x01\x02 what?\r\n\r\n",
    "/close": b"",
    "/slow": b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nx",
    "/drip": b"HTTP/1.1 200 OK\r\n",
    "/hang": b"",
}
# After what they say, these keep the line open and say no more.
STAY = ("/slow", "/drip", "/hang")


@dataclass(frozen=True)
class Heard:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Service:
    """The service that listens, and what it heard."""

    port: int
    heard: list[Heard] = field(default_factory=list)
    answers: dict[str, bytes] = field(default_factory=lambda: dict(ANSWERS))
    ended: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str = "/ok", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    service: Service


class _Handler(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        service = self.server.service
        path = self.rfile.readline().split()[1].decode()
        headers: dict[str, str] = {}
        while (line := self.rfile.readline().strip()) != b"":
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        body = self.rfile.read(int(headers.get("content-length", "0")))
        service.heard.append(Heard(path, headers, body))
        self.wfile.write(service.answers[path])
        if path in STAY:
            service.ended.wait(20)


@contextmanager
def listening() -> Iterator[Service]:
    """Run a service that listens until the block ends."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        service = Service(port=server.server_address[1])
        server.service = service
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield service
        finally:
            service.ended.set()
            server.shutdown()
            thread.join()


def make_endpoint(url: str, **fields: Any) -> WebhookEndpoint:
    """Make an endpoint of a key for all creators; it listens to everything."""
    form = EndpointForm(
        url=url,
        events=fields.get(
            "events", ("consent.changed", "erasure.done", "custody.moved", "hold.set")
        ),
        creators=tuple(fields.get("creators", ())),
    )
    key = make_bot().key
    caller = Caller(key.prefix, frozenset(), frozenset(), key.expires_at)
    with transaction.atomic():
        return add_endpoint(form, by=caller)


def make_delivery(relationship: RelationshipRef) -> WebhookDelivery:
    """Make an endpoint for the relationship's creator, and a delivery that waits."""
    event = OutboxEvent.objects.create(
        name="hold.set",
        user_id=relationship.user_id,
        relationship_id=relationship.id,
        spread_at=timezone.now(),
    )
    endpoint = make_endpoint(
        "https://hooks.test/", creators=[relationship.creator_external_id]
    )
    return WebhookDelivery.objects.create(
        endpoint=endpoint, event=event.pk, event_name=event.name, next_at=timezone.now()
    )
