"""Fields of what comes in: no coercion, and each says what it expects.

Owns the strict checks of single values. Every refusal has the field's `expected` as
its message, so that nothing of the input can come back.

>>> IntegerField(low=1, high=9).run_validation(3)
3
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn, cast
from uuid import UUID

from rest_framework import serializers

from memsys.kernel.text.clean import InvalidIdentifier, check_identifier, clean_text

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
AHEAD = timedelta(minutes=5)

_CODES = {"required": "missing", "invalid": "wrong-type"}
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_TIME = re.compile(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})",
    re.ASCII,
)


class Expecting:
    """Says no with what was expected, and never with what came."""

    expected = "a value"

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        """Refuse the value.

        Raises:
            ValidationError: always; the message is what was expected.
        """
        raise serializers.ValidationError(self.expected, _CODES.get(key, key))


class StrictField(Expecting, serializers.Field[Any, Any, Any, Any]):
    """Base of the fields; a sub-class checks in `to_internal_value`."""

    def __init__(self, **kwargs: Any) -> None:
        self.expected = kwargs.pop("expected", self.expected)
        super().__init__(**kwargs)

    def json_schema(self) -> dict[str, Any]:
        """Return the field's JSON Schema."""
        raise NotImplementedError


class IdentifierField(StrictField):
    """A name that another system gives: kept exactly as it is, or refused."""

    def __init__(self, *, max_length: int = 200, **kwargs: Any) -> None:
        self.max_length = max_length
        self.expected = f"1 to {max_length} visible characters, no space at either end"
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        try:
            return check_identifier(data, field="", max_length=self.max_length)
        except InvalidIdentifier as exc:
            raise serializers.ValidationError(exc.expected, exc.code) from exc

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1, "maxLength": self.max_length}


class TextField(StrictField):
    """Text that people wrote; cleaned, and then not empty unless that is allowed."""

    def __init__(
        self, *, max_chars: int, is_blank_allowed: bool = False, **kwargs: Any
    ) -> None:
        self.max_chars = max_chars
        self.least = 0 if is_blank_allowed else 1
        self.expected = f"a text of {self.least} to {max_chars} characters"
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if len(data) > self.max_chars:
            self.fail("too-long")
        text = clean_text(data)
        if len(text) < self.least:
            self.fail("blank")
        return text

    def json_schema(self) -> dict[str, Any]:
        limits = {"minLength": self.least, "maxLength": self.max_chars}
        return {"type": "string", **limits}


class ChoiceField(StrictField):
    """One of a few codes, exactly as it is written."""

    def __init__(self, *, choices: Sequence[str], **kwargs: Any) -> None:
        self.choices = [str(one) for one in choices]
        self.expected = "one of " + ", ".join(self.choices)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if data not in self.choices:
            self.fail("not-allowed")
        return data

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": self.choices}


class PatternField(StrictField):
    """A short code that follows a pattern."""

    def __init__(self, *, pattern: str, **kwargs: Any) -> None:
        self.pattern = pattern
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if not re.fullmatch(self.pattern, data, re.ASCII):
            self.fail("not-allowed")
        return data

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{self.pattern}$"}


class ReasonField(PatternField):
    """Why something is done: a code of the caller's, never a text."""

    def __init__(self, **kwargs: Any) -> None:
        expected = "2 to 60 of a-z, 0-9 and -, beginning with a letter"
        super().__init__(pattern="[a-z][a-z0-9-]{1,59}", expected=expected, **kwargs)


class UuidField(StrictField):
    """An id of ours, in its usual form."""

    expected = "an id such as 0192f0c1-2f6b-7c3e-9d4a-5b6c7d8e9f01"

    def to_internal_value(self, data: Any) -> UUID:
        if not isinstance(data, str) or not _UUID.fullmatch(data):
            self.fail("invalid")
        return UUID(data)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uuid"}


class IntegerField(StrictField):
    """A whole number in a range; `is_text` for query strings, where all is text."""

    def __init__(
        self, *, low: int, high: int, is_text: bool = False, **kwargs: Any
    ) -> None:
        self.low, self.high, self.is_text = low, high, is_text
        self.expected = f"a whole number from {low} to {high}"
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> int:
        if self.is_text and isinstance(data, str) and re.fullmatch("[0-9]{1,9}", data):
            data = int(data)
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        if not self.low <= data <= self.high:
            self.fail("out-of-range")
        return data

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


class BooleanField(StrictField):
    """true or false, and nothing that looks like it."""

    expected = "true or false"

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data

    def json_schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


class TimeField(StrictField):
    """A moment in ISO 8601 with an offset, since 2000 and not in the future.

    The reader's clock is `now` in the serializer's context; five minutes of
    difference between two clocks are allowed.
    """

    expected = "a time in ISO 8601 with offset, since 2000 and not in the future"

    def to_internal_value(self, data: Any) -> datetime:
        if not isinstance(data, str) or not _TIME.fullmatch(data):
            self.fail("invalid")
        try:
            moment = datetime.fromisoformat(data)
        except ValueError:
            self.fail("invalid")
        # Near the ends of the calendar an offset overflows.
        if not 1999 <= moment.year <= 9000:
            self.fail("out-of-range")
        if not EARLIEST <= moment <= self.context["now"] + AHEAD:
            self.fail("out-of-range")
        return moment.astimezone(UTC)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


class ListField(StrictField):
    """A list of values or objects of one kind, of bounded length."""

    def __init__(
        self, *, child: Expecting, most: int, least: int = 0, **kwargs: Any
    ) -> None:
        assert isinstance(child, serializers.Field)
        self.child, self.least, self.most = child, least, most
        self.expected = f"a list of {least} to {most} items"
        super().__init__(**kwargs)
        self.child.bind(field_name="", parent=cast(Any, self))

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("invalid")
        if not self.least <= len(data) <= self.most:
            self.fail("wrong-length")
        values: list[Any] = []
        errors: dict[int, Any] = {}
        for index, item in enumerate(data):
            try:
                values.append(self.child.run_validation(item))
            except serializers.ValidationError as exc:
                errors[index] = exc.detail
        if errors:
            raise serializers.ValidationError(cast(Any, errors))
        return values

    def json_schema(self) -> dict[str, Any]:
        """Return all but the items; `memsys.api.schema` adds them."""
        return {"type": "array", "minItems": self.least, "maxItems": self.most}
