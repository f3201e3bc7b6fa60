"""A user's profile: the platform's values going in, released ones and receipts out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from memsys.api.serializers.base import StrictSerializer
from memsys.api.serializers.fields import IdentifierField, StrictField
from memsys.api.serializers.output import CursorOut, TimeOut

MAX_FIELDS = 100
MAX_VALUE_CHARS = 500


class ValuesField(StrictField):
    """Values by the keys of fields, null to remove one; which there are is data."""

    expected = f"an object of 1 to {MAX_FIELDS} texts or nulls by the keys of fields"

    def to_internal_value(self, data: Any) -> dict[str, str | None]:
        if not isinstance(data, Mapping):
            self.fail("invalid")
        if not 1 <= len(data) <= MAX_FIELDS:
            self.fail("wrong-length")
        if not all(value is None or isinstance(value, str) for value in data.values()):
            self.fail("invalid")
        if any(len(value or "") > MAX_VALUE_CHARS for value in data.values()):
            self.fail("too-long")
        return dict(data)

    def json_schema(self) -> dict[str, Any]:
        value = {"type": ["string", "null"], "maxLength": MAX_VALUE_CHARS}
        return {
            "type": "object",
            "additionalProperties": value,
            "minProperties": 1,
            "maxProperties": MAX_FIELDS,
        }


@dataclass(frozen=True)
class UserProfileForm:
    """Which values are to be kept of which user."""

    user: str
    fields: Mapping[str, str | None]


class UserProfileIn(StrictSerializer):
    """Values of a user's profile; a field that is not named stays as it is."""

    user = IdentifierField()

    def get_fields(self) -> dict[str, Any]:
        # DRF has a property of the name `fields`.
        return super().get_fields() | {"fields": ValuesField()}

    def validate(self, attrs: dict[str, Any]) -> UserProfileForm:
        return UserProfileForm(attrs["user"], attrs["fields"])


class UserProfileOut(serializers.Serializer[Any]):
    """The keys of the fields that were put or removed; never their values."""

    user = serializers.UUIDField()
    keys = serializers.ListField(child=serializers.CharField())


class ReleasedFieldOut(serializers.Serializer[Any]):
    """A field that is released now, and the policy and grant by which it is."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    label_zh = serializers.CharField()
    value = serializers.CharField()
    in_prompt = serializers.BooleanField()
    policy = serializers.UUIDField(source="policy_id")
    grant = serializers.UUIDField(source="grant_id")


class ReleasedProfileOut(serializers.Serializer[Any]):
    """What of a user's profile is released into a relationship now."""

    relationship = serializers.UUIDField()
    items = ReleasedFieldOut(many=True)
    withheld = serializers.ListField(child=serializers.CharField())


class ReleaseReceiptOut(serializers.Serializer[Any]):
    """That fields were released: names, and by which policies and grants in turn."""

    id = serializers.UUIDField()
    field_keys = serializers.ListField(child=serializers.CharField())
    policies = serializers.ListField(child=serializers.UUIDField())
    grants = serializers.ListField(child=serializers.UUIDField())
    actor = serializers.CharField()
    released_at = TimeOut()


class ReleaseReceiptPageOut(serializers.Serializer[Any]):
    """Receipts, the oldest first."""

    items = ReleaseReceiptOut(many=True)
    next_cursor = CursorOut()
