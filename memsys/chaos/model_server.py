"""A small model server on this machine that speaks the chat completions call.

A real HTTP server in a thread: it reads the question as the model would, answers by a
plain function, counts what it answered, and misbehaves on demand.

>>> with ModelServer() as server:
...     server.misbehave(Trouble.BUSY, times=2)
...     server.url.startswith("http://127.0.0.1:")
True
"""

import re
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Self

from memsys.chaos.questions import (
    Answer,
    Asked,
    completion,
    honest_usage,
    no_facts,
    read_question,
    written,
)
from memsys.chaos.troubles import Trouble, misbehave

LABEL = re.compile(r"会话编号[:：]?\s*([\w-]+)")
MAX_REMEMBERED = 200
SEND_SECONDS = 5.0


class ModelServer:
    """One server; `answer` may be changed at any time.

    `trouble_for` is asked for each question that `misbehave` has left no trouble for,
    with the number of the question from 1. `label` finds in a question the name under
    which it is counted.
    """

    def __init__(
        self,
        *,
        answer: Answer = no_facts,
        label: re.Pattern[str] = LABEL,
        trouble_for: Callable[[int], Trouble | None] = lambda number: None,
        delay_seconds: float = 0.3,
        retry_after_seconds: int = 7,
    ) -> None:
        self.answer = answer
        self.label = label
        self.trouble_for = trouble_for
        self.delay_seconds = delay_seconds
        self.retry_after_seconds = retry_after_seconds
        self.finish_reason = "stop"
        self.usage: Callable[[Asked, str], Any] = honest_usage
        self.redirect_to = ""
        self.received = 0
        self._answered: Counter[str] = Counter()
        self._sending = 0
        self.asked: deque[Asked] = deque(maxlen=MAX_REMEMBERED)
        self.stopping = threading.Event()
        self._troubles: deque[Trouble] = deque()
        self._lock = threading.Condition()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL, as a client is set to it."""
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

    @property
    def answered(self) -> int:
        """How many good answers were sent to their end."""
        return self.answered_by_label.total()

    @property
    def answered_by_label(self) -> Counter[str]:
        """How many by label. Waits for what is on its way: who has it asks at once."""
        with self._lock:
            self._lock.wait_for(lambda: self._sending == 0, timeout=SEND_SECONDS)
            return Counter(self._answered)

    def label_of(self, asked: Asked) -> str:
        """Return the name under which a question is counted, or ""."""
        found = self.label.search(asked.user)
        return found[1] if found else ""

    def note_question(self, asked: Asked) -> Trouble | None:
        """Count a question and say how it is to be answered."""
        with self._lock:
            self.received += 1
            self.asked.append(asked)
            if self._troubles:
                return self._troubles.popleft()
            return self.choose_trouble(asked)

    def choose_trouble(self, asked: Asked) -> Trouble | None:
        """Say how a question is answered that nothing else was decided for."""
        return self.trouble_for(self.received)

    @contextmanager
    def sending(self, asked: Asked) -> Iterator[None]:
        """Count a good answer that is sent to its end."""
        with self._lock:
            self._sending += 1
        is_sent = False
        try:
            yield
            is_sent = True
        finally:
            with self._lock:
                self._sending -= 1
                if is_sent:
                    self._answered[self.label_of(asked)] += 1
                self._lock.notify_all()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that went away."""


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    return type("HandlerOfOne", (Handler,), {"model": model})


class Handler(BaseHTTPRequestHandler):
    """One connection to the server."""

    protocol_version = "HTTP/1.1"
    model: ClassVar[ModelServer]

    def do_POST(self) -> None:
        """Answer one question, well or badly."""
        size = int(self.headers.get("Content-Length", 0))
        asked = read_question(self.rfile.read(size), dict(self.headers))
        if self.path != "/v1/chat/completions" or asked is None:
            self.send(404, b"{}")
            return
        trouble = self.model.note_question(asked)
        if trouble is None:
            self.answer(asked)
        else:
            misbehave(self, trouble, asked)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""

    def answer(self, asked: Asked) -> None:
        """Answer well, and count it once it was sent to its end."""
        words = written(self.model.answer(asked))
        with suppress(OSError), self.model.sending(asked):
            self.say(words, asked, finish_reason=self.model.finish_reason)
            self.wfile.flush()

    def say(
        self,
        words: str,
        asked: Asked,
        *,
        finish_reason: str = "stop",
        refusal: str | None = None,
    ) -> None:
        """Send words in the envelope of a completion."""
        usage = self.model.usage(asked, words)
        message = {"role": "assistant", "content": words, "refusal": refusal}
        self.send(200, completion(message, usage=usage, finish_reason=finish_reason))

    def send(
        self, status: int, data: bytes, *, kind: str = "application/json", **also: str
    ) -> None:
        """Send a whole response; `_` in the name of a header stands for `-`."""
        self.begin(status, size=len(data), kind=kind, **also)
        self.wfile.write(data)

    def begin(
        self, status: int, *, size: int, kind: str = "application/json", **also: str
    ) -> None:
        """Send the head of a response."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(size))
        for name, value in also.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def wait(self, seconds: float) -> bool:
        """Wait; tell whether the server still runs."""
        return not self.model.stopping.wait(seconds)
