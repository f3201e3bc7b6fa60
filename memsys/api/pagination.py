"""Cursors: opaque marks of where a page ended.

Owns how a position (a time and an id) is sealed for the caller and opened again. A
position is a place in an order, not a row: rows may vanish or share a time. Sealing
is deterministic authenticated encryption from HMAC-SHA-256 alone (the tag of the
content is also the start of the key stream), so a cursor tells nothing and cannot be
changed.

>>> page = Page.of(rows, limit=50, mark=lambda row: Position(row.recorded_at, row.id))
... # doctest: +SKIP
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Generic, TypeVar
from uuid import UUID

from django.conf import settings

from memsys.api.errors import InvalidCursor, NotReachable

Row = TypeVar("Row")

MAX_CURSOR_LENGTH = 200
_TAG_BYTES = 16
_BINDING_BYTES = 8
_CONTENT_BYTES = 8 + 16 + 2 * _BINDING_BYTES
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class Position:
    """A place in an order by time and then id."""

    at: datetime
    id: UUID


@dataclass(frozen=True)
class Binding:
    """What a cursor belongs to: whose it is, and which question it continues."""

    owner: tuple[str, ...]
    question: tuple[str, ...]

    def digests(self) -> tuple[bytes, bytes]:
        return _short_digest(self.owner), _short_digest(self.question)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """Rows of one page, and the position after them when there are more."""

    rows: Sequence[Row]
    end: Position | None

    @classmethod
    def of(
        cls, rows: Sequence[Row], *, limit: int, mark: Callable[[Row], Position]
    ) -> "Page[Row]":
        """Cut one page from rows that were asked for with `limit + 1`."""
        has_more = len(rows) > limit
        return cls(rows[:limit], mark(rows[limit - 1]) if has_more else None)


def seal(position: Position, binding: Binding) -> str:
    """Return the cursor for a position."""
    micros = (position.at - _EPOCH) // _MICROSECOND
    owner, question = binding.digests()
    content = micros.to_bytes(8, "big", signed=True) + position.id.bytes
    content += owner + question
    tag = _hmac("tag", content)[:_TAG_BYTES]
    sealed = tag + _masked(content, tag)
    return base64.urlsafe_b64encode(sealed).rstrip(b"=").decode()


def open_cursor(cursor: str, binding: Binding) -> Position:
    """Return the position in a cursor.

    Raises:
        InvalidCursor: it was not made here, was changed, or continues another question.
        NotReachable: it belongs to another relationship or key.
    """
    content = _unsealed(cursor)
    owner, question = binding.digests()
    if not hmac.compare_digest(content[24 : 24 + _BINDING_BYTES], owner):
        raise NotReachable("The cursor is another's.")
    if not hmac.compare_digest(content[24 + _BINDING_BYTES :], question):
        raise InvalidCursor("The cursor continues another question.")
    micros = int.from_bytes(content[:8], "big", signed=True)
    return Position(_EPOCH + micros * _MICROSECOND, UUID(bytes=content[8:24]))


def _unsealed(cursor: str) -> bytes:
    if len(cursor) > MAX_CURSOR_LENGTH:
        raise InvalidCursor("A cursor is shorter.")
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        sealed = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error) as exc:
        raise InvalidCursor("A cursor is base64.") from exc
    tag, hidden = sealed[:_TAG_BYTES], sealed[_TAG_BYTES:]
    content = _masked(hidden, tag)
    is_ours = hmac.compare_digest(_hmac("tag", content)[:_TAG_BYTES], tag)
    if len(content) != _CONTENT_BYTES or not is_ours:
        raise InvalidCursor("The cursor was changed.")
    return content


def _masked(data: bytes, tag: bytes) -> bytes:
    """Return the data XOR the key stream of a tag; at most 64 bytes."""
    stream = _hmac("stream", tag + b"0") + _hmac("stream", tag + b"1")
    return bytes(a ^ b for a, b in zip(data, stream, strict=False))


def _hmac(use: str, data: bytes) -> bytes:
    return hmac.digest(_secret(use, settings.SECRET_KEY), data, "sha256")


@cache
def _secret(use: str, secret_key: str) -> bytes:
    name = f"memsys.api.pagination.{use}".encode()
    return hmac.digest(secret_key.encode(), name, "sha256")


def _short_digest(parts: tuple[str, ...]) -> bytes:
    named = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(named).digest()[:_BINDING_BYTES]
