"""Erasures, going in and coming out: ids, codes, counts and sentences, no content."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_framework import serializers

from memsys.api.serializers.base import StrictSerializer, fault
from memsys.api.serializers.fields import (
    BooleanField,
    IdentifierField,
    ReasonField,
    UuidField,
)
from memsys.api.serializers.output import TimeOut

_EXPECTED = "user, or relationship, or relationship and memory"


@dataclass(frozen=True)
class ErasureForm:
    """What is to be erased, as the caller names it."""

    user: str | None
    relationship: UUID | None
    memory: UUID | None
    at_once: bool = False
    reason_code: str = ""


class ErasureTargetIn(StrictSerializer):
    """A user by the platform's name, or a relationship, or one memory of it."""

    user = IdentifierField(required=False)
    relationship = UuidField(required=False)
    memory = UuidField(required=False)

    def validate(self, attrs: dict[str, Any]) -> ErasureForm:
        return _to_form(attrs)


class ErasureRequestIn(StrictSerializer):
    """An erasure; `confirm` repeats the name or id of what is erased.

    At once, it cannot be undone. One memory is always erased at once.
    """

    user = IdentifierField(required=False)
    relationship = UuidField(required=False)
    memory = UuidField(required=False)
    confirm = IdentifierField()
    at_once = BooleanField(default=False)
    reason_code = ReasonField(default="user-request")

    def validate(self, attrs: dict[str, Any]) -> ErasureForm:
        form = _to_form(attrs)
        named = form.memory or form.relationship or form.user
        if attrs["confirm"].lower() != str(named).lower():
            raise fault("confirm", "not-confirmed", "the name or id of what is erased")
        return form


def _to_form(attrs: dict[str, Any]) -> ErasureForm:
    user, relationship = attrs.get("user"), attrs.get("relationship")
    memory = attrs.get("memory")
    if (user is None) == (relationship is None):
        raise fault(
            "relationship", "missing" if user is None else "ambiguous", _EXPECTED
        )
    if memory is not None and relationship is None:
        raise fault("relationship", "missing", _EXPECTED)
    return ErasureForm(
        user=user,
        relationship=relationship,
        memory=memory,
        at_once=attrs.get("at_once", False),
        reason_code=attrs.get("reason_code", ""),
    )


class StayOut(serializers.Serializer[Any]):
    """What an erasure leaves, and why, in a sentence for the user."""

    code = serializers.CharField()
    why = serializers.CharField()
    holds = serializers.ListField(child=serializers.UUIDField())


class ErasurePreviewOut(serializers.Serializer[Any]):
    """How much there is by store, what would stay, and the holds that bar it."""

    target = serializers.CharField(source="target.kind")
    counts = serializers.DictField(child=serializers.IntegerField())
    stays = StayOut(many=True)
    holds = serializers.ListField(child=serializers.UUIDField())
    undo_hours = serializers.IntegerField()


class ErasureOut(serializers.Serializer[Any]):
    """One erasure. `undo_until` is null when it cannot be undone any more.

    `state` is waiting, blocked, running, done or undone. `residue` is what a later
    check has found left: nothing, if all is well.
    """

    id = serializers.UUIDField()
    target = serializers.CharField()
    relationship = serializers.UUIDField(allow_null=True)
    memory = serializers.UUIDField(allow_null=True)
    state = serializers.CharField()
    reason_code = serializers.CharField()
    requested_at = TimeOut()
    undo_until = TimeOut(allow_null=True)
    finished_at = TimeOut(allow_null=True)
    erased = serializers.DictField(child=serializers.IntegerField())
    stays = StayOut(many=True)
    holds = serializers.ListField(child=serializers.UUIDField())
    verified_at = TimeOut(allow_null=True)
    residue = serializers.DictField(child=serializers.IntegerField())
    receipt = serializers.CharField()
