"""The lines of the erasure ledger: what they hold, and how each follows the one before.

Pure: reads and writes nothing.

>>> to_line(entry, after=Place()).number  # doctest: +SKIP
1
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from consent.errors import LedgerDamaged

HOLD_PLACED, HOLD_LIFTED = "hold-placed", "hold-lifted"


@dataclass(frozen=True)
class Entry:
    """One erasure, or one step of a hold, as the ledger tells it: what, when, by whom.

    Of a hold `run` is its id, `target` HOLD_PLACED or HOLD_LIFTED, `covers_until` when
    that was, and `receipt` the reference of its case.
    """

    run: UUID
    target: str
    user: UUID
    relationship: UUID | None
    memory: UUID | None
    covers_until: datetime
    requested_at: datetime
    by: str
    reason_code: str
    receipt: str


@dataclass(frozen=True)
class Line:
    """An entry in its place; `digest` covers it and the digest of the line before."""

    number: int
    entry: Entry
    digest: str


@dataclass(frozen=True)
class Place:
    """A number of a line with its digest; number 0 stands before the first."""

    number: int = 0
    digest: str = ""


def to_line(entry: Entry, *, after: Place) -> Line:
    number = after.number + 1
    return Line(number, entry, _digest(number, _told(entry), after.digest))


def _told(entry: Entry) -> dict[str, str | None]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else _text(value)
        for name, value in asdict(entry).items()
    }


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _digest(number: int, told: dict[str, Any], previous: str) -> str:
    body = json.dumps([previous, number, told], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(body.encode()).hexdigest()


def text_of(line: Line) -> bytes:
    told = {"number": line.number, **_told(line.entry), "digest": line.digest}
    return json.dumps(told, ensure_ascii=False).encode() + b"\n"


def parse(text: bytes, *, after: Place) -> Line:
    """Return a line that follows another.

    Raises:
        LedgerDamaged: it does not.
    """
    expected = after.number + 1
    try:
        told = json.loads(text)
        number, digest = int(told.pop("number")), str(told.pop("digest"))
        entry = _to_entry(told)
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise LedgerDamaged(f"The ledger's line {expected} is no line of it.") from exc
    if number != expected:
        raise LedgerDamaged(f"The ledger's line {expected} is missing.")
    if digest != _digest(number, told, after.digest):
        raise LedgerDamaged(f"The ledger's line {number} was edited.")
    return Line(number, entry, digest)


def _to_entry(told: dict[str, Any]) -> Entry:
    ids = {
        name: UUID(told[name]) if told[name] is not None else None
        for name in ("run", "user", "relationship", "memory")
    }
    times = {
        name: datetime.fromisoformat(told[name])
        for name in ("covers_until", "requested_at")
    }
    codes = {
        name: str(told[name]) for name in ("target", "by", "reason_code", "receipt")
    }
    return Entry(**ids, **times, **codes)  # type: ignore[arg-type]
