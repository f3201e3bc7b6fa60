"""Reads chat logs for replay: one JSON object a line, checked before anything runs.

Owns the format of a line and the errors that name one. Does not store anything.

>>> line = ('{"user": "u", "creator": "c", "persona": "p", "author_kind": "user", '
...         '"text": "在吗", "sent_at": "2026-11-01T20:00:00+08:00"}')
>>> parse_line(line, number=1, now=datetime.now(UTC)).text
'在吗'
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from identity.resolution import DEFAULT_FACET, Address
from memories.errors import InvalidMessage
from memories.intake import FilteredMessage, IncomingMessage, filter_messages
from memsys.kernel.text.clean import InvalidIdentifier, clean_text

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
AHEAD = timedelta(minutes=5)  # between two clocks


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
        """How the line names its relationship.

        Raises:
            InvalidIdentifier: one of the names is no name.
        """
        return Address(self.user, self.facet, self.creator, self.persona)

    @cached_property
    def filtered(self) -> FilteredMessage:
        """The message that the line holds, after the privacy filter.

        Raises:
            InvalidMessage, InvalidIdentifier: see `filter_messages`.
        """
        (message,) = filter_messages(
            [IncomingMessage(self.author_kind, self.text, self.sent_at, self.id)]
        )
        return message


def parse_line(text: str, *, number: int, now: datetime) -> ChatLine:
    """Return the line, or say what is wrong with it without quoting its text.

    Raises:
        ChatLogError: naming the line, the field and what was expected.
    """
    try:
        line = ChatLine.model_validate(_prepare(_read_object(text)))
        _check(line, now=now)
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise ChatLogError(number, f"{field}: {first['msg']}.") from exc
    except InvalidMessage as exc:
        raise ChatLogError(number, f"{exc.field}: expected {exc.expected}.") from exc
    except (InvalidIdentifier, _NotAnObject) as exc:
        raise ChatLogError(number, f"{exc}.") from exc
    return line


class _NotAnObject(ValueError):
    """The line is no JSON object."""


def _read_object(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise _NotAnObject("not a JSON object") from exc
    if not isinstance(fields, dict):
        raise _NotAnObject("not a JSON object")
    return fields


def _prepare(fields: dict[str, Any]) -> dict[str, Any]:
    """Turn the time's text into a time, and the text into one that can be stored."""
    prepared = dict(fields)
    if isinstance(text := fields.get("text"), str):
        prepared["text"] = clean_text(text)
    if isinstance(sent_at := fields.get("sent_at"), str):
        try:
            prepared["sent_at"] = datetime.fromisoformat(sent_at)
        except ValueError:
            return prepared
    return prepared


def _check(line: ChatLine, *, now: datetime) -> None:
    """Refuse what the services would refuse later, when a part was stored."""
    if not EARLIEST <= line.sent_at <= now + AHEAD:
        raise InvalidMessage(0, "sent_at", "a time since 2000 and not in the future")
    for checked in (line.address, line.filtered):
        assert checked


def read_lines(path: Path, *, now: datetime) -> Iterator[ChatLine]:
    """Yield the lines of a file; blank ones are passed over.

    Raises:
        ChatLogError: at the first line that is not acceptable.
    """
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        for number, text in enumerate(file, start=1):
            if text.strip():
                yield parse_line(text, number=number, now=now)
