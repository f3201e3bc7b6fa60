"""Consents, their texts and reminders about AI, going in and coming out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from rest_framework import serializers

from consent.consents import EventView, GrantView
from consent.disclosures import ShownReminder
from consent.texts import LOCALES
from consent.types import ConsentAction, ReminderKind, Surface, TargetKind
from memsys.api.serializers.base import StrictSerializer, fault
from memsys.api.serializers.fields import (
    ChoiceField,
    IdentifierField,
    IntegerField,
    PatternField,
    TimeField,
    UuidField,
)
from memsys.api.serializers.memories import PageIn, PageQuery
from memsys.api.serializers.output import CursorOut, TimeOut

ACTIONS = [ConsentAction.GRANT, ConsentAction.WITHDRAW, ConsentAction.REFUSE]
# That one was missed nobody tells us.
SHOWN = [ReminderKind.FIRST, ReminderKind.PERIODIC]
# The portal is ours and records for itself.
SURFACES = [Surface.CHAT, Surface.GUARDIAN]
LONGEST = timedelta(days=3650)
_TARGETS = ("creator", "persona", "relationship")


class UntilField(TimeField):
    """A moment ahead, at most ten years."""

    expected = "a time in ISO 8601 with offset, ahead, within ten years"

    def to_internal_value(self, data: Any) -> datetime:
        now = self.context["now"]
        try:
            moment = _read_ahead(data, now=now)
        except (TypeError, ValueError, OverflowError):
            self.fail("invalid")
        if not now < moment <= now + LONGEST:
            self.fail("out-of-range")
        return moment


def _read_ahead(data: Any, *, now: datetime) -> datetime:
    """Return a moment with its offset.

    Raises:
        TypeError, ValueError, OverflowError: it is none.
    """
    moment = datetime.fromisoformat(data)
    return moment.astimezone(now.tzinfo) if moment.tzinfo else _refuse()


def _refuse() -> datetime:
    raise ValueError("A moment needs its offset.")


@dataclass(frozen=True)
class ConsentRequest:
    """What the caller tells, with the target by the names that callers use."""

    user: str
    creator: str | None
    persona: UUID | None
    relationship: UUID | None
    told: Mapping[str, Any]


class ConsentIn(StrictSerializer):
    """What a user did: granted, withdrew or refused one scope, for all or for one.

    Without `creator`, `persona` and `relationship` it is for all. A grant needs the text
    that was seen (`policy_version`, or `text_number` in the `locale`), its hash as it was
    shown, `surface`, `shown_at` and the proof, `evidence_id`. To withdraw or refuse takes
    `user`, `scope` and `action`.
    """

    user = IdentifierField()
    scope = PatternField(
        pattern="[a-z_]{1,40}(:[a-z][a-z0-9_]{0,38})?",
        expected="a scope such as release:region or sensitive:diagnosis",
    )
    action = ChoiceField(choices=ACTIONS)
    creator = IdentifierField(required=False)
    persona = UuidField(required=False)
    relationship = UuidField(required=False)
    policy_version = UuidField(required=False)
    text_number = IntegerField(low=1, high=1_000_000, required=False)
    text_sha256 = PatternField(
        pattern="[0-9a-f]{64}", expected="64 hexadecimal digits", required=False
    )
    locale = ChoiceField(choices=LOCALES, required=False)
    surface = ChoiceField(choices=SURFACES, required=False)
    shown_at = TimeField(required=False)
    acted_at = TimeField(required=False)
    expires_at = UntilField(required=False)
    evidence_id = IdentifierField(required=False)

    def validate(self, attrs: dict[str, Any]) -> ConsentRequest:
        named = [attrs.pop(name, None) for name in _TARGETS]
        if sum(one is not None for one in named) > 1:
            expected = "at most one of " + ", ".join(_TARGETS)
            raise fault("relationship", "ambiguous", expected)
        attrs.setdefault("acted_at", self.context["now"])
        user = attrs.pop("user")
        creator, persona, relationship = named
        return ConsentRequest(user, creator, persona, relationship, told=attrs)


class ConsentUserIn(StrictSerializer):
    """Whose consents, by the platform's name."""

    user = IdentifierField()


class ConsentEventsIn(PageIn):
    """A page of a user's ledger of consent."""

    user = IdentifierField()

    def validate(self, attrs: dict[str, Any]) -> Any:
        user = attrs.pop("user")
        return user, PageQuery(**attrs)


class ConsentPromptsIn(StrictSerializer):
    """Whom to ask, and perhaps in which relationship."""

    user = IdentifierField()
    relationship = UuidField(required=False)


class ReminderIn(StrictSerializer):
    """What was shown about AI: the first telling or a reminder, in which words."""

    kind = ChoiceField(choices=SHOWN)
    version = IdentifierField(max_length=40)
    shown_at = TimeField()

    def validate(self, attrs: dict[str, Any]) -> ShownReminder:
        return ShownReminder(**attrs)


class ConsentOut(serializers.Serializer[Any]):
    """A consent that was recorded, and the last word on its scope and target.

    `state` is granted, needs_renewal, withdrawn, refused or expired; null when a later
    word for more than this target stands against it.
    """

    event = serializers.UUIDField()
    scope = serializers.CharField()
    action = serializers.CharField()
    state = serializers.CharField(allow_null=True)


class SeenTextOut(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    document = serializers.CharField()
    number = serializers.IntegerField()
    locale = serializers.CharField()
    title = serializers.CharField()
    sha256 = serializers.CharField()


class TargetOut(serializers.Serializer[Any]):
    """For whom: `target` is all, creator, persona or relationship."""

    target = serializers.CharField(source="target_kind")
    creator = serializers.CharField(allow_null=True)
    persona = serializers.UUIDField(allow_null=True)
    relationship = serializers.UUIDField(allow_null=True)


class GrantOut(TargetOut):
    """The last word on a scope and target. Only `granted` allows anything."""

    scope = serializers.CharField()
    state = serializers.CharField()
    text = SeenTextOut(allow_null=True)
    granted_at = TimeOut(allow_null=True)
    expires_at = TimeOut(allow_null=True)
    ended_at = TimeOut(allow_null=True)


class GrantListOut(serializers.Serializer[Any]):
    items = GrantOut(many=True)


class EventOut(TargetOut):
    """One entry of the ledger, as it was told."""

    id = serializers.UUIDField()
    scope = serializers.CharField()
    action = serializers.CharField()
    text = SeenTextOut(allow_null=True)
    text_sha256 = serializers.CharField()
    locale = serializers.CharField()
    surface = serializers.CharField()
    shown_at = TimeOut(allow_null=True)
    acted_at = TimeOut()
    expires_at = TimeOut(allow_null=True)
    recorded_at = TimeOut()
    recorded_by = serializers.CharField(source="actor")
    evidence_id = serializers.CharField()


class EventPageOut(serializers.Serializer[Any]):
    """Entries of the ledger, the newest first."""

    items = EventOut(many=True)
    next_cursor = CursorOut()


class TextOut(SeenTextOut):
    """A text as it must be shown, word for word; the hash is of `text` in UTF-8."""

    text = serializers.CharField()
    is_material = serializers.BooleanField()
    published_at = TimeOut()


class TextListOut(serializers.Serializer[Any]):
    items = TextOut(many=True)


class PromptOut(serializers.Serializer[Any]):
    """What may be asked for now. `reason` is never-asked, needs-renewal or expired."""

    scope = serializers.CharField(source="scope.code")
    label = serializers.CharField(source="scope.label")  # type: ignore[assignment]
    label_zh = serializers.CharField(source="scope.label_zh")
    reason = serializers.CharField()
    needs_guardian = serializers.BooleanField()
    text = SeenTextOut()


class PromptListOut(serializers.Serializer[Any]):
    items = PromptOut(many=True)


class ReminderOut(serializers.Serializer[Any]):
    """One thing that was shown about AI.

    `kind` is first, periodic, or missed: due at `shown_at`, and not confirmed in time.
    """

    id = serializers.UUIDField()
    kind = serializers.CharField()
    version = serializers.CharField()
    shown_at = TimeOut()
    recorded_at = TimeOut()


class ReminderIdOut(serializers.Serializer[Any]):
    relationship = serializers.UUIDField()
    reminder = serializers.UUIDField()


class ReminderPageOut(serializers.Serializer[Any]):
    """What was shown, the newest first."""

    items = ReminderOut(many=True)
    next_cursor = CursorOut()


def with_target(
    view: GrantView | EventView, creators: Mapping[UUID, str]
) -> dict[str, Any]:
    """Return a view with its target by the names that callers use."""
    kind, target_id = view.target_kind, view.target_id
    named: dict[str, Any] = dict.fromkeys(_TARGETS)
    if target_id is not None:
        is_creator = kind == TargetKind.CREATOR
        named[kind] = creators.get(target_id) if is_creator else target_id
    return vars(view) | named
