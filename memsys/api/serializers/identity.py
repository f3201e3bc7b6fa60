"""Personas, users and relationships, going in and coming out."""

from typing import Any

from rest_framework import serializers

from identity.services import PersonaForm, ProfileForm, UserForm
from identity.statuses import WISHES
from identity.types import AgeBand, Custody, RelationshipKind
from memsys.api.serializers.base import StrictSerializer, fault
from memsys.api.serializers.fields import (
    ChoiceField,
    IdentifierField,
    ListField,
    PatternField,
    ReasonField,
    TextField,
)
from memsys.api.serializers.output import TimeOut

LOCALE = r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}"


class PersonaIn(StrictSerializer):
    """A persona by its creator and key, with its name and kind."""

    creator = IdentifierField()
    key = IdentifierField()
    display_name = IdentifierField()
    relationship_kind = ChoiceField(choices=RelationshipKind.values)

    def validate(self, attrs: dict[str, Any]) -> PersonaForm:
        return PersonaForm(**attrs)


class ProfileIn(StrictSerializer):
    """What a persona is like, in the creator's words; replaces what was there."""

    background = TextField(max_chars=8000, is_blank_allowed=True, default="")
    voice = TextField(max_chars=4000, is_blank_allowed=True, default="")
    taboos = ListField(child=TextField(max_chars=500), most=100, default=[])
    standard_lines = ListField(child=TextField(max_chars=1000), most=100, default=[])

    def validate(self, attrs: dict[str, Any]) -> ProfileForm:
        return ProfileForm(
            background=attrs["background"],
            voice=attrs["voice"],
            taboos=tuple(attrs["taboos"]),
            standard_lines=tuple(attrs["standard_lines"]),
        )


class UserIn(StrictSerializer):
    """What the platform tells of a user; a missing member stays as it is."""

    age_band = ChoiceField(choices=AgeBand.values, required=False)
    locale = PatternField(
        pattern=LOCALE, expected="a language tag such as zh-hans", required=False
    )
    time_zone = IdentifierField(max_length=60, required=False)
    nickname = TextField(max_chars=200, is_blank_allowed=True, required=False)

    def validate(self, attrs: dict[str, Any]) -> UserForm:
        if not attrs:
            expected = "at least one of " + ", ".join(self.fields)
            raise fault("non_field_errors", "missing", expected)
        return UserForm(**attrs)


class CustodyIn(StrictSerializer):
    """Who is to operate the relationship, and why."""

    to = ChoiceField(choices=Custody.values)
    reason_code = ReasonField()


class StatusIn(StrictSerializer):
    """What becomes of a relationship: its memory paused or resumed, or its end."""

    action = ChoiceField(choices=list(WISHES))
    reason_code = ReasonField(default="user-request")


class ProfileOut(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    background = serializers.CharField()
    voice = serializers.CharField()
    taboos = serializers.ListField(child=serializers.CharField())
    standard_lines = serializers.ListField(child=serializers.CharField())
    created_at = TimeOut()


class PersonaOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    creator = serializers.CharField(source="creator.external_id")
    key = serializers.CharField()
    display_name = serializers.CharField()
    relationship_kind = serializers.CharField()


class PersonaWithProfileOut(PersonaOut):
    """A persona; its profile is null before the first one was put."""

    profile = ProfileOut(allow_null=True)


class PersonaIdOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()


class ProfileVersionOut(serializers.Serializer[Any]):
    persona = serializers.UUIDField()
    version = serializers.IntegerField()


class RelationshipStateOut(serializers.Serializer[Any]):
    """A relationship's id and state. `closed_by` is null while the gate is open."""

    id = serializers.UUIDField()
    status = serializers.CharField()
    custody = serializers.CharField()
    closed_by = serializers.CharField(allow_null=True)


class RelationshipOut(RelationshipStateOut):
    """A relationship as the calling service may see it."""

    user = serializers.CharField(source="user_external_id")
    facet = serializers.CharField(source="facet_key")
    creator = serializers.CharField(source="creator_external_id")
    persona = serializers.CharField(source="persona_key")
    persona_id = serializers.UUIDField()
    relationship_kind = serializers.CharField()
    age_band = serializers.CharField()
    time_zone = serializers.CharField()
    created_at = TimeOut()


class RelationshipIdOut(serializers.Serializer[Any]):
    relationship = serializers.UUIDField()


class CustodyOut(RelationshipIdOut):
    """`is_moved` is false when custody was there already."""

    custody = serializers.CharField()
    is_moved = serializers.BooleanField()


class StatusOut(RelationshipIdOut):
    """`is_changed` is false when it had the status already.

    `erasure` is what an end has begun: it can be undone for a while, and the end with it.
    """

    status = serializers.CharField()
    is_changed = serializers.BooleanField()
    erasure = serializers.UUIDField(allow_null=True)
