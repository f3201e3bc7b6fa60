"""The chat service of the rehearsal: it sends the week through the real API.

Owns the calls, tried again with the same message ids when they fail, and which messages
were taken. It knows no table.

>>> caller = Caller(address=("127.0.0.1", 8000), key=key)  # doctest: +SKIP
>>> caller.send(planned, cancelled=stop.is_set)  # doctest: +SKIP
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from typing import Any

from memsys.chaos.errors import CallRefused
from memsys.chaos.week import End, PlannedMessage, PlannedRelationship, Post

CREATOR = "studio-rehearsal"
_WAITS = (0.0, 0.2, 1.0, 3.0, 10.0)
_TIMEOUT_SECONDS = 30
_Answer = tuple[int, Mapping[str, Any]]


class Caller:
    """One service with its key; its calls may be made by many threads at once."""

    def __init__(self, *, address: tuple[str, int], key: str) -> None:
        self._address = address
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
        }
        self._connections = threading.local()
        self._lock = threading.Lock()
        self.taken: set[str] = set()
        self.calls = 0
        self.calls_again = 0

    def put_persona(self, persona: str) -> None:
        """Make a persona of the rehearsal's creator."""
        body = {
            "creator": CREATOR,
            "key": persona,
            "display_name": persona,
            "relationship_kind": "service",
        }
        self._call("PUT", "personas", body)

    def send(
        self, planned: PlannedRelationship, *, cancelled: Callable[[], bool]
    ) -> str:
        """Send the week of one relationship in its order; return the relationship's id.

        Ends early when `cancelled` says so.

        Raises:
            CallRefused: a call was refused, or failed five times.
        """
        address = {
            "user": planned.user,
            "creator": CREATOR,
            "persona": planned.persona,
        }
        found = self._call("POST", "relationships/resolve", address)
        relationship = str(found["id"])
        for step in planned.steps:
            if cancelled():
                break
            if isinstance(step, End):
                self._call("POST", "sessions/end", {"relationship": relationship})
            else:
                self._post(relationship, step)
        return relationship

    def _post(self, relationship: str, post: Post) -> None:
        messages = [_as_body(one) for one in post.messages]
        body = {"relationship": relationship, "messages": messages}
        if post.is_repeated:
            # Whoever sends again does not know whether the first call still runs.
            with ThreadPoolExecutor(1) as other:
                other.submit(self._try_call, "messages", body)
                self._call("POST", "messages", body)
        else:
            self._call("POST", "messages", body)
        with self._lock:
            self.taken.update(one.id for one in post.messages)

    def _try_call(self, path: str, body: Mapping[str, Any]) -> None:
        """Make a call whose answer nobody reads."""
        with suppress(OSError, HTTPException):
            self._exchange("POST", path, body)
        self._disconnect()

    def _call(
        self, method: str, path: str, body: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        fault = ""
        for number, wait in enumerate(_WAITS):
            time.sleep(wait)
            with self._lock:
                self.calls_again += number > 0
            try:
                status, answer = self._exchange(method, path, body)
            except (OSError, HTTPException) as exc:
                self._disconnect()
                fault = type(exc).__name__
                continue
            if status < 300:
                return answer
            fault = f"{status} {answer.get('type', '')}"
            if status < 500 and status != 429:
                break
        raise CallRefused(f"{method} {path} was refused: {fault}.")

    def _exchange(self, method: str, path: str, body: Mapping[str, Any]) -> _Answer:
        with self._lock:
            self.calls += 1
        connection = self._connect()
        content = json.dumps(body, ensure_ascii=False).encode()
        connection.request(method, f"/api/v1/{path}", content, self._headers)
        response = connection.getresponse()
        data = response.read()
        try:
            answer = json.loads(data)
        except ValueError:
            answer = {}
        return response.status, answer

    def _connect(self) -> HTTPConnection:
        if not hasattr(self._connections, "one"):
            self._connections.one = HTTPConnection(
                *self._address, timeout=_TIMEOUT_SECONDS
            )
        connection: HTTPConnection = self._connections.one
        return connection

    def _disconnect(self) -> None:
        if hasattr(self._connections, "one"):
            self._connections.one.close()
            del self._connections.one


def _as_body(message: PlannedMessage) -> dict[str, Any]:
    return {
        "id": message.id,
        "author_kind": message.author_kind,
        "text": message.text,
        "sent_at": message.sent_at.isoformat(),
    }
