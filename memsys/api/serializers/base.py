"""Objects that come in: every member known, every fault told, nothing coerced.

>>> class NameIn(StrictSerializer):  # doctest: +SKIP
...     name = IdentifierField()
>>> NameIn.read({"name": "night"}, now=now)  # doctest: +SKIP
{'name': 'night'}
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from memsys.api.serializers.fields import Expecting

# DRF's own switch to a browsable page; it means nothing here and refuses nothing.
_IGNORED_IN_QUERY = {"format"}


def fault(field: str, code: str, expected: str) -> serializers.ValidationError:
    """Return the refusal of one field, to be raised."""
    return serializers.ValidationError(
        {field: [serializers.ErrorDetail(expected, code)]}
    )


class StrictSerializer(Expecting, serializers.Serializer[Any]):
    """Base of all input: unknown members are refused at every level."""

    expected = "an object"

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            raise fault("non_field_errors", "wrong-type", self.expected)
        if not data.keys() <= self.fields.keys():
            # The name is the caller's text: say which ones there are instead.
            expected = "no other fields than " + ", ".join(self.fields)
            raise fault("non_field_errors", "unknown-field", expected)
        return super().to_internal_value(data)

    @classmethod
    def read(cls, data: Any, *, now: datetime) -> Any:
        """Return the checked values of a body.

        Raises:
            ValidationError: with every fault that was found.
        """
        serializer = cls(data=data, context={"now": now})
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    @classmethod
    def read_query(cls, query: QueryDict, *, now: datetime) -> Any:
        """Return the checked values of a query string; no name may come twice.

        Raises:
            ValidationError: with every fault that was found.
        """
        single: dict[str, Any] = {}
        for name, values in query.lists():
            if name in cls._declared_fields and len(values) > 1:
                raise fault(name, "repeated", "one value")
            if name not in _IGNORED_IN_QUERY:
                single[name] = values[-1]
        return cls.read(single, now=now)
