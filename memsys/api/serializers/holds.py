"""Legal holds, coming out."""

from typing import Any

from rest_framework import serializers

from memsys.api.serializers.base import StrictSerializer
from memsys.api.serializers.fields import IdentifierField
from memsys.api.serializers.output import TimeOut


class HoldUserIn(StrictSerializer):
    """Whose holds, by the platform's name."""

    user = IdentifierField()


class HoldOut(serializers.Serializer[Any]):
    """A hold in force: on all of the user, one relationship, or one memory of it."""

    id = serializers.UUIDField()
    relationship = serializers.UUIDField(source="relationship_id", allow_null=True)
    memory = serializers.UUIDField(allow_null=True)
    reason_code = serializers.CharField()
    placed_at = TimeOut()


class HoldListOut(serializers.Serializer[Any]):
    """All holds in force, the oldest first."""

    items = HoldOut(many=True)
