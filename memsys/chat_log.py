"""Reads chat logs for replay: one JSON object a line, checked before anything runs.

Owns the format of a line and the errors that name one. Does not store anything.

>>> parse_line('{"user": "u", "creator": "c", "persona": "p", "author_kind": "user", '
...            '"text": "在吗", "sent_at": "2026-11-01T20:00:00+08:00"}', number=1).text
'在吗'
"""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from identity.resolution import DEFAULT_FACET, Address
from memories.intake import IncomingMessage


class ChatLogError(Exception):
    """A line of a chat log is not acceptable; nothing of the file was stored."""

    def __init__(self, number: int, problem: str) -> None:
        super().__init__(f"Line {number}: {problem}")


class ChatLine(BaseModel):
    """One line of a chat log."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    user: str
    creator: str
    persona: str
    facet: str = DEFAULT_FACET
    author_kind: str
    text: str
    sent_at: AwareDatetime
    id: str | None = None

    @property
    def address(self) -> Address:
        """How the line names its relationship."""
        return Address(self.user, self.facet, self.creator, self.persona)

    def to_message(self) -> IncomingMessage:
        """Return the message that the line holds."""
        return IncomingMessage(
            author_kind=self.author_kind,
            text=self.text,
            sent_at=self.sent_at,
            external_id=self.id,
        )


def parse_line(text: str, *, number: int) -> ChatLine:
    """Return the line, or say what is wrong with it without quoting its text.

    Raises:
        ChatLogError: naming the line, the field and what was expected.
    """
    try:
        fields = json.loads(text)
    except ValueError as exc:
        raise ChatLogError(number, "not a JSON object.") from exc
    if not isinstance(fields, dict):
        raise ChatLogError(number, "not a JSON object.")
    try:
        return ChatLine.model_validate(_with_time(fields))
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise ChatLogError(number, f"{field}: {first['msg']}.") from exc


def _with_time(fields: dict[str, Any]) -> dict[str, Any]:
    """Turn the time's text into a time; strict mode takes no text for one."""
    sent_at = fields.get("sent_at")
    if not isinstance(sent_at, str):
        return fields
    try:
        return fields | {"sent_at": datetime.fromisoformat(sent_at)}
    except ValueError:
        return fields


def read_lines(path: Path) -> Iterator[ChatLine]:
    """Yield the lines of a file; blank ones are passed over.

    Raises:
        ChatLogError: at the first line that is not acceptable.
    """
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for number, text in enumerate(file, start=1):
            if text.strip():
                yield parse_line(text, number=number)
