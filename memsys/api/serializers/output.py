"""Fields that come out, shared by all output."""

from datetime import UTC
from typing import Any

from rest_framework import serializers


class TimeOut(serializers.DateTimeField):
    """A moment in UTC, such as `2026-03-15T12:00:00Z`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(default_timezone=UTC, **kwargs)


class CursorOut(serializers.CharField):
    """The mark to go on from; null on the last page."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_null=True, **kwargs)
