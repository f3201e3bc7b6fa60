"""What a model is asked and how it answers, as the wire has it.

Owns the reading of a chat completion's request and the envelope of its answer.

>>> Asked({}, "", '<chat>\\n{"n":1,"text":"在吗"}\\n</chat>', {}).lines
[{'n': 1, 'text': '在吗'}]
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A question as the model sees it; the names of headers are in lower case."""

    body: Mapping[str, Any]
    system: str
    user: str
    headers: Mapping[str, str]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of the chat: n, who, at, text."""
        return self._data("chat")

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The rules' candidates: c, n, kind, subject, value, polarity, text."""
        return self._data("candidates")

    def _data(self, name: str) -> list[dict[str, Any]]:
        between = self.user.partition(f"<{name}>\n")[2].partition(f"</{name}>")[0]
        return [json.loads(line) for line in between.splitlines()]


Answer = Callable[[Asked], Mapping[str, Any] | str]


def read_question(data: bytes, headers: Mapping[str, str]) -> Asked | None:
    """Return the question in a request's body, or None if there is none."""
    try:
        body = json.loads(data)
        said = {one["role"]: one["content"] for one in body["messages"]}
        named = {name.lower(): value for name, value in headers.items()}
        return Asked(body, said["system"], said["user"], named)
    except (ValueError, KeyError, TypeError):
        return None


def no_facts(asked: Asked) -> Mapping[str, Any]:
    """Answer that there is nothing to remember."""
    return {"facts": [], "rejected": []}


def written(answer: Mapping[str, Any] | str) -> str:
    """Return an answer as the words that the model says."""
    if isinstance(answer, str):
        return answer
    return json.dumps(answer, ensure_ascii=False)


def honest_usage(asked: Asked, words: str) -> Any:
    """Count a token for each character."""
    return {"prompt_tokens": len(asked.user), "completion_tokens": len(words)}


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
