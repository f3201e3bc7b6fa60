"""Exports, going in and coming out: ids, codes and times, no content."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_framework import serializers

from consent.exports import FORMATS
from memsys.api.serializers.base import StrictSerializer, fault
from memsys.api.serializers.fields import (
    ChoiceField,
    IdentifierField,
    ListField,
    ReasonField,
    UuidField,
)
from memsys.api.serializers.output import TimeOut
from memsys.kernel.exporting import STAFF_PARTS, ExportPart

PARTS = tuple(str(part) for part in ExportPart if part not in STAFF_PARTS)
_EXPECTED = "user or relationship"


@dataclass(frozen=True)
class ExportForm:
    """What is to be exported, as the caller names it; no parts stand for all."""

    user: str | None
    relationship: UUID | None
    parts: tuple[str, ...]
    formats: tuple[str, ...]
    reason_code: str


class ExportRequestIn(StrictSerializer):
    """An export of all of a user, or of one relationship.

    Without `parts` all of them; `profile` is of a user alone.
    """

    user = IdentifierField(required=False)
    relationship = UuidField(required=False)
    parts = ListField(
        child=ChoiceField(choices=PARTS), least=1, most=len(PARTS), required=False
    )
    formats = ListField(
        child=ChoiceField(choices=FORMATS),
        least=1,
        most=len(FORMATS),
        default=list(FORMATS),
    )
    reason_code = ReasonField(default="user-request")

    def validate(self, attrs: dict[str, Any]) -> ExportForm:
        user, relationship = attrs.get("user"), attrs.get("relationship")
        if (user is None) == (relationship is None):
            code = "missing" if user is None else "ambiguous"
            raise fault("relationship", code, _EXPECTED)
        return ExportForm(
            user=user,
            relationship=relationship,
            parts=tuple(attrs.get("parts", ())),
            formats=tuple(attrs["formats"]),
            reason_code=attrs["reason_code"],
        )


class ExportOut(serializers.Serializer[Any]):
    """One export. The file is there while `state` is ready, and can be taken once.

    `state` is queued, running, ready, taken, expired or failed.
    """

    id = serializers.UUIDField()
    relationship = serializers.UUIDField(allow_null=True, source="relationship_id")
    state = serializers.CharField()
    parts = serializers.ListField(child=serializers.CharField())
    formats = serializers.ListField(child=serializers.CharField())
    progress = serializers.IntegerField()
    reason_code = serializers.CharField()
    requested_at = TimeOut()
    ready_at = TimeOut(allow_null=True)
    expires_at = TimeOut(allow_null=True)
    taken_at = TimeOut(allow_null=True)
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField(allow_blank=True)
    error_code = serializers.CharField(allow_blank=True)
