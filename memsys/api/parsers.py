"""Strict JSON: what two readers could understand differently is refused.

Owns the parser and the choice of renderer. Refused are duplicate names, NaN and
Infinity (also as overflow), anything but an object, other encodings than UTF-8.

>>> parse_object(b'{"a": 1}')
{'a': 1}
"""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, NoReturn

from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from memsys.api.errors import InvalidJson

JSON = "application/json"
# Browsers and problem readers get JSON too; it is all there is.
_READ_AS_JSON = ("text/html", "application/problem+json")


def parse_object(raw: bytes) -> dict[str, Any]:
    """Return the object in a body.

    Raises:
        InvalidJson: the body is not exactly one strict JSON object.
    """
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_refuse,
            parse_float=_float,
        )
    except (ValueError, RecursionError) as exc:
        raise InvalidJson("The body is not strict JSON.") from exc
    if not isinstance(value, dict):
        raise InvalidJson("The body is not an object.")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("duplicate name")
    return members


def _float(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("number out of range")
    return number


def _refuse(text: str) -> NoReturn:
    raise ValueError("not a number of JSON")


class StrictJsonParser(BaseParser):
    """Reads the body through Django, so that its limit of size holds."""

    media_type = JSON

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the body's object.

        Raises:
            InvalidJson: see `parse_object`.
            UnsupportedMediaType: the charset is not UTF-8.
            RequestDataTooBig: the body is over the limit.
        """
        assert parser_context is not None
        request: Request = parser_context["request"]
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.strip('"').lower() not in ("utf-8", "utf8"):
            raise UnsupportedMediaType(JSON)
        return parse_object(request.body)


class JsonNegotiation(DefaultContentNegotiation):
    """Answers JSON to whoever takes JSON or HTML; others get 406."""

    def get_accept_list(self, request: Request) -> Sequence[str]:  # type: ignore[override]
        accepted = super().get_accept_list(request)
        is_html = any(one.split(";")[0].strip() in _READ_AS_JSON for one in accepted)
        return [*accepted, JSON] if is_html else accepted
