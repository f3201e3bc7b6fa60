"""What a kind of change that takes two persons must be able to do, and where it is.

Owns the protocol, the look-up through the setting `CHANGE_KINDS` (dotted paths of
classes, each made without arguments), and the hash that ties an approval to what was
shown.

>>> hash_payload({"b": 1, "a": [True]}) == hash_payload({"a": [True], "b": 1})
True
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Protocol, runtime_checkable

from django.conf import settings
from django.utils.module_loading import import_string

from consent.errors import InvalidChange, UnknownChangeKind
from consent.models import ChangeRequest

MAX_PAYLOAD_CHARS = 200_000

Payload = Mapping[str, Any]


@runtime_checkable
class ChangeKind(Protocol):
    """One kind of change.

    `check` raises `InvalidChange` for what cannot be asked for. `describe` says what
    would change, for the second person, as labels and values. `carry_out` runs once,
    in the transaction of the approval, and returns what is kept as the result: ids,
    codes and counts. It raises an error of consent, with a code, when it cannot.
    """

    @property
    def code(self) -> str: ...
    @property
    def label(self) -> Any: ...

    def check(self, payload: Payload) -> None: ...
    def describe(self, payload: Payload) -> list[tuple[Any, Any]]: ...
    def carry_out(
        self, payload: Payload, *, request: ChangeRequest, now: datetime
    ) -> dict[str, Any]: ...


@runtime_checkable
class PreparesPayload(Protocol):
    """A kind that completes what is asked for before it is checked and kept."""

    def prepare(self, payload: Payload) -> dict[str, Any]: ...


@runtime_checkable
class BarsPersons(Protocol):
    """A kind by which some persons gain, who therefore must not decide."""

    def list_barred(self, payload: Payload) -> Collection[int]: ...


@runtime_checkable
class TakesLong(Protocol):
    """A kind that a job carries out after the approval, outside of its transaction.

    It may be called again when a worker died in between, with what `add_result` kept.
    """

    @property
    def is_long(self) -> bool: ...


def list_kinds() -> Sequence[ChangeKind]:
    """Return all kinds of change, in the order of the setting."""
    return tuple(_load(tuple(settings.CHANGE_KINDS)).values())


def get_kind(code: str) -> ChangeKind:
    """Return a kind of change.

    Raises:
        UnknownChangeKind: there is none with this code.
    """
    try:
        return _load(tuple(settings.CHANGE_KINDS))[code]
    except KeyError as exc:
        raise UnknownChangeKind("There is no such kind of change.") from exc


@cache
def _load(paths: tuple[str, ...]) -> dict[str, ChangeKind]:
    kinds: list[ChangeKind] = [import_string(path)() for path in paths]
    return {kind.code: kind for kind in kinds}


def hash_payload(payload: Payload) -> str:
    """Return the SHA-256 of the one way to write a payload, in hexadecimal.

    Raises:
        InvalidChange: it is too long, or holds what JSON or the database cannot.
    """
    try:
        text = json.dumps(
            payload,
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=True,
            allow_nan=False,
        )
    except (TypeError, ValueError) as exc:
        raise InvalidChange("payload", "an object of JSON") from exc
    if len(text) > MAX_PAYLOAD_CHARS or "\\u0000" in text:
        raise InvalidChange("payload", f"at most {MAX_PAYLOAD_CHARS} characters")
    return hashlib.sha256(text.encode()).hexdigest()
