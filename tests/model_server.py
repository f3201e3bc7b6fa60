"""A small model server on this machine that speaks the chat completions call.

A real HTTP server in a thread: it reads the question as the model would, answers by a
plain function, counts what it answered, and misbehaves on demand. It needs no test
runner, so a command that simulates a week can use it too.

>>> with ModelServer() as server:
...     server.misbehave(Trouble.BUSY, times=2)
...     server.url.startswith("http://127.0.0.1:")
True
"""

import json
import re
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

LABEL = re.compile(r"会话编号[:：]?\s*([\w-]+)")
MAX_REMEMBERED = 200
HUGE_BYTES = 64 * 1024 * 1024


class Trouble(StrEnum):
    """What can go wrong with an answer."""

    SLOW = "slow"  # right, after `delay_seconds`
    DRIP = "drip"  # a byte now and then, for ever
    DRIP_HEADERS = "drip-headers"
    HANG = "hang"  # never a byte
    BUSY = "busy"  # 429, come back in 7 s
    BROKEN = "broken"  # 500, with an endless body
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


@dataclass(frozen=True)
class Asked:
    """A question as the model sees it; the names of headers are in lower case."""

    body: Mapping[str, Any]
    system: str
    user: str
    headers: Mapping[str, str]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Give the lines of the chat: n, who, at, text."""
        return self._data("chat")

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """Give the rules' candidates: c, n, kind, subject, value, polarity, text."""
        return self._data("candidates")

    def _data(self, name: str) -> list[dict[str, Any]]:
        between = self.user.partition(f"<{name}>\n")[2].partition(f"</{name}>")[0]
        return [json.loads(line) for line in between.splitlines()]


Answer = Callable[[Asked], Mapping[str, Any] | str]


def honest_usage(asked: Asked, words: str) -> Any:
    """Count a token for each character."""
    return {"prompt_tokens": len(asked.user), "completion_tokens": len(words)}


def no_facts(asked: Asked) -> Mapping[str, Any]:
    """Answer that there is nothing to remember."""
    return {"facts": [], "rejected": []}


class ModelServer:
    """One server; `answer` may be changed at any time.

    `trouble_for` is asked for each question that `misbehave` has left no trouble for,
    with the number of the question from 1.
    """

    def __init__(
        self,
        *,
        answer: Answer = no_facts,
        label: re.Pattern[str] = LABEL,
        trouble_for: Callable[[int], Trouble | None] = lambda number: None,
        delay_seconds: float = 0.3,
    ) -> None:
        self.answer = answer
        self.label = label
        self.trouble_for = trouble_for
        self.delay_seconds = delay_seconds
        self.redirect_to = ""
        self.finish_reason = "stop"
        self.usage: Callable[[Asked, str], Any] = honest_usage
        self.received = 0
        self.answered = 0
        self.answered_by_label: Counter[str] = Counter()
        self.asked: deque[Asked] = deque(maxlen=MAX_REMEMBERED)
        self.stopping = threading.Event()
        self._troubles: deque[Trouble] = deque()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )

    @property
    def url(self) -> str:
        """Give the base URL, as a client is set to it."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *args: object) -> None:
        self.stop()

    def start(self) -> Self:
        """Begin to serve."""
        return self.__enter__()

    def stop(self) -> None:
        """End the server and every answer that still hangs."""
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def misbehave(self, trouble: Trouble, *, times: int = 1) -> None:
        """Answer the next questions badly."""
        with self._lock:
            self._troubles.extend([trouble] * times)

    def note_question(self, asked: Asked) -> Trouble | None:
        """Count a question and say how it is to be answered."""
        with self._lock:
            self.received += 1
            self.asked.append(asked)
            if self._troubles:
                return self._troubles.popleft()
            return self.trouble_for(self.received)

    def note_answer(self, asked: Asked) -> None:
        """Count a good answer that was sent to its end."""
        found = self.label.search(asked.user)
        with self._lock:
            self.answered += 1
            self.answered_by_label[found[1] if found else ""] += 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        server_of = model

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: ModelServer

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length", 0))
        asked = self._read(self.rfile.read(size))
        if self.path != "/v1/chat/completions" or asked is None:
            self._send(404, b"{}")
            return
        trouble = self.server_of.note_question(asked)
        if trouble is None:
            self._answer(asked)
        else:
            with suppress(OSError):
                _BAD[trouble](self, asked)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""

    def _read(self, data: bytes) -> Asked | None:
        try:
            body = json.loads(data)
            said = {one["role"]: one["content"] for one in body["messages"]}
            headers = {name.lower(): value for name, value in self.headers.items()}
            return Asked(body, said["system"], said["user"], headers)
        except (ValueError, KeyError, TypeError):
            return None

    def _answer(self, asked: Asked) -> None:
        answer = self.server_of.answer(asked)
        words = answer if isinstance(answer, str) else _written(answer)
        try:
            self._say(words, asked, finish_reason=self.server_of.finish_reason)
            self.wfile.flush()
        except OSError:
            return
        self.server_of.note_answer(asked)

    def _say(
        self,
        words: str,
        asked: Asked,
        *,
        finish_reason: str = "stop",
        refusal: Any = None,
    ) -> None:
        usage = self.server_of.usage(asked, words)
        message = {"role": "assistant", "content": words, "refusal": refusal}
        self._send(200, completion(message, usage=usage, finish_reason=finish_reason))

    def _send(
        self, status: int, data: bytes, *, kind: str = "application/json", **also: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in also.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def _wait(self, seconds: float) -> bool:
        """Wait; tell whether the server still runs."""
        return not self.server_of.stopping.wait(seconds)

    def _slow(self, asked: Asked) -> None:
        self._wait(self.server_of.delay_seconds)
        self._answer(asked)

    def _drip(self, asked: Asked) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        while self._wait(0.02):
            self.wfile.write(b" ")

    def _drip_headers(self, asked: Asked) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
        while self._wait(0.02):
            self.wfile.write(b".")

    def _hang(self, asked: Asked) -> None:
        while self._wait(1):
            pass
        self.close_connection = True

    def _broken(self, asked: Asked) -> None:
        self.send_response(500)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(HUGE_BYTES))
        self.end_headers()
        while self._wait(0.02):
            self.wfile.write(asked.user.encode()[:1000])

    def _huge(self, asked: Asked) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(HUGE_BYTES))
        self.end_headers()
        for _ in range(HUGE_BYTES // 65536):
            self.wfile.write(b" " * 65536)

    def _closed(self, asked: Asked) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _closed_halfway(self, asked: Asked) -> None:
        data = completion({"role": "assistant", "content": "{}"})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2])
        self._closed(asked)


def _written(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False)


def completion(
    message: Mapping[str, Any], *, usage: Any = None, finish_reason: str = "stop"
) -> bytes:
    """Wrap a message as a chat completion."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": "tester-1",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": usage,
    }
    return json.dumps(body, ensure_ascii=False).encode()


def example_of(system: str) -> str:
    """Give the answer of the example in some instructions."""
    return system.strip().splitlines()[-1]


_HALF = '{"facts": [{"kind": "taboo", "subject": "user", "about": "花生", "val'
_WRONG = '{"facts": [{"kind": "taboo", "memory": "用户对花生过敏"}], "rejected": []}'
_PAGE = b"<!doctype html><html><body>Bad gateway</body></html>"
_BAD: Mapping[Trouble, Callable[[_Handler, Asked], None]] = {
    Trouble.SLOW: _Handler._slow,
    Trouble.DRIP: _Handler._drip,
    Trouble.DRIP_HEADERS: _Handler._drip_headers,
    Trouble.HANG: _Handler._hang,
    Trouble.BROKEN: _Handler._broken,
    Trouble.HUGE: _Handler._huge,
    Trouble.CLOSED: _Handler._closed,
    Trouble.CLOSED_HALFWAY: _Handler._closed_halfway,
    Trouble.BUSY: lambda h, a: h._send(429, b"{}", Retry_After="7"),
    Trouble.UNAUTHORIZED: lambda h, a: h._send(401, b"{}"),
    Trouble.NOT_FOUND: lambda h, a: h._send(404, b"{}"),
    Trouble.PAYMENT: lambda h, a: h._send(402, b"{}"),
    Trouble.REFUSED: lambda h, a: h._send(400, a.user.encode()),
    Trouble.HTML: lambda h, a: h._send(200, _PAGE, kind="text/html"),
    Trouble.EMPTY: lambda h, a: h._send(200, b""),
    Trouble.NO_WORDS: lambda h, a: h._say("", a),
    Trouble.ERROR_TEXT: lambda h, a: h._say("Error: rate limit", a),
    Trouble.ERROR_OBJECT: lambda h, a: h._send(200, b'{"error": {"code": 429}}'),
    Trouble.HALF_JSON: lambda h, a: h._say(_HALF, a),
    Trouble.HALF_ENVELOPE: lambda h, a: h._send(
        200, completion({"content": "{}"})[:90]
    ),
    Trouble.CUT_OFF: lambda h, a: h._say(_HALF, a, finish_reason="length"),
    Trouble.MODEL_REFUSES: lambda h, a: h._say("", a, refusal="no"),
    Trouble.WRONG_SCHEMA: lambda h, a: h._say(_WRONG, a),
    Trouble.PROMPT_ECHO: lambda h, a: h._say(a.user, a),
    Trouble.EXAMPLE_ECHO: lambda h, a: h._say(example_of(a.system), a),
    Trouble.PACKED: lambda h, a: h._send(200, b"\x1f\x8b", Content_Encoding="gzip"),
    Trouble.REDIRECT: lambda h, a: h._send(
        307, b"", Location=f"{h.server_of.redirect_to}/chat/completions"
    ),
}
