"""All that can go wrong with an answer, each as a way to serve it.

Owns the bad answers. Which question gets one is decided by the server.

>>> Trouble("busy") is Trouble.BUSY
True
"""

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING

from memsys.chaos.questions import Asked, completion

if TYPE_CHECKING:
    from memsys.chaos.model_server import Handler

_HUGE_BYTES = 64 * 1024 * 1024


class Trouble(StrEnum):
    """What can go wrong with an answer."""

    SLOW = "slow"  # right, after `delay_seconds`
    LATE = "late"  # not a byte for `delay_seconds`, then closed
    DRIP = "drip"  # a byte now and then, for ever
    DRIP_HEADERS = "drip-headers"
    HANG = "hang"  # never a byte
    BUSY = "busy"  # 429, come back in `retry_after_seconds`
    BROKEN = "broken"  # 500, with an endless body
    DOWN = "down"  # 503
    UNAUTHORIZED = "unauthorized"
    NOT_FOUND = "not-found"
    PAYMENT = "payment"  # 402
    REFUSED = "refused-request"  # 400
    HTML = "html"
    EMPTY = "empty"
    NO_WORDS = "no-words"  # an envelope around nothing
    ERROR_TEXT = "error-text"  # "Error: rate limit" where the answer should be
    ERROR_OBJECT = "error-object"  # an error's object, with 200
    HALF_JSON = "half-json"  # half an answer in a whole envelope
    HALF_ENVELOPE = "half-envelope"
    CUT_OFF = "cut-off"  # by length
    MODEL_REFUSES = "model-refuses"
    WRONG_SCHEMA = "wrong-schema"
    PROMPT_ECHO = "prompt-echo"
    EXAMPLE_ECHO = "example-echo"
    HUGE = "huge"
    PACKED = "packed"  # compressed though not asked to
    REDIRECT = "redirect"
    CLOSED = "closed"  # before a byte
    CLOSED_HALFWAY = "closed-halfway"


def misbehave(handler: "Handler", trouble: Trouble, asked: Asked) -> None:
    """Answer a question badly; a client that goes away is nothing to speak of."""
    with suppress(OSError):
        _WAYS[trouble](handler, asked)


def example_of(system: str) -> str:
    """Return the answer of the example in some instructions."""
    return system.strip().splitlines()[-1]


def _slow(handler: "Handler", asked: Asked) -> None:
    handler.wait(handler.model.delay_seconds)
    handler.answer(asked)


def _late(handler: "Handler", asked: Asked) -> None:
    handler.wait(handler.model.delay_seconds)
    _closed(handler, asked)


def _drip(handler: "Handler", asked: Asked) -> None:
    handler.begin(200, size=100_000)
    while handler.wait(0.02):
        handler.wfile.write(b" ")


def _drip_headers(handler: "Handler", asked: Asked) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
    while handler.wait(0.02):
        handler.wfile.write(b".")


def _hang(handler: "Handler", asked: Asked) -> None:
    while handler.wait(1):
        pass
    handler.close_connection = True


def _broken(handler: "Handler", asked: Asked) -> None:
    handler.begin(500, size=_HUGE_BYTES, kind="text/plain")
    while handler.wait(0.02):
        handler.wfile.write(asked.user.encode()[:1000])


def _huge(handler: "Handler", asked: Asked) -> None:
    handler.begin(200, size=_HUGE_BYTES)
    for _ in range(_HUGE_BYTES // 65536):
        handler.wfile.write(b" " * 65536)


def _closed(handler: "Handler", asked: Asked) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def _closed_halfway(handler: "Handler", asked: Asked) -> None:
    data = completion({"role": "assistant", "content": "{}"})
    handler.begin(200, size=len(data))
    handler.wfile.write(data[: len(data) // 2])
    _closed(handler, asked)


def _busy(handler: "Handler", asked: Asked) -> None:
    handler.send(429, b"{}", Retry_After=str(handler.model.retry_after_seconds))


def _redirect(handler: "Handler", asked: Asked) -> None:
    handler.send(307, b"", Location=f"{handler.model.redirect_to}/chat/completions")


_HALF = '{"facts": [{"kind": "taboo", "subject": "user", "about": "花生", "val'
_WRONG = '{"facts": [{"kind": "taboo", "memory": "用户对花生过敏"}], "rejected": []}'
_PAGE = b"<!doctype html><html><body>Bad gateway</body></html>"
_WAYS: Mapping[Trouble, Callable[["Handler", Asked], None]] = {
    Trouble.SLOW: _slow,
    Trouble.LATE: _late,
    Trouble.DRIP: _drip,
    Trouble.DRIP_HEADERS: _drip_headers,
    Trouble.HANG: _hang,
    Trouble.BUSY: _busy,
    Trouble.BROKEN: _broken,
    Trouble.HUGE: _huge,
    Trouble.CLOSED: _closed,
    Trouble.CLOSED_HALFWAY: _closed_halfway,
    Trouble.REDIRECT: _redirect,
    Trouble.DOWN: lambda h, a: h.send(503, b"{}"),
    Trouble.UNAUTHORIZED: lambda h, a: h.send(401, b"{}"),
    Trouble.NOT_FOUND: lambda h, a: h.send(404, b"{}"),
    Trouble.PAYMENT: lambda h, a: h.send(402, b"{}"),
    Trouble.REFUSED: lambda h, a: h.send(400, a.user.encode()),
    Trouble.HTML: lambda h, a: h.send(200, _PAGE, kind="text/html"),
    Trouble.EMPTY: lambda h, a: h.send(200, b""),
    Trouble.NO_WORDS: lambda h, a: h.say("", a),
    Trouble.ERROR_TEXT: lambda h, a: h.say("Error: rate limit", a),
    Trouble.ERROR_OBJECT: lambda h, a: h.send(200, b'{"error": {"code": 429}}'),
    Trouble.HALF_JSON: lambda h, a: h.say(_HALF, a),
    Trouble.HALF_ENVELOPE: lambda h, a: h.send(200, completion({"content": ""})[:90]),
    Trouble.CUT_OFF: lambda h, a: h.say(_HALF, a, finish_reason="length"),
    Trouble.MODEL_REFUSES: lambda h, a: h.say("", a, refusal="no"),
    Trouble.WRONG_SCHEMA: lambda h, a: h.say(_WRONG, a),
    Trouble.PROMPT_ECHO: lambda h, a: h.say(a.user, a),
    Trouble.EXAMPLE_ECHO: lambda h, a: h.say(example_of(a.system), a),
    Trouble.PACKED: lambda h, a: h.send(200, b"\x1f\x8b", Content_Encoding="gzip"),
}
