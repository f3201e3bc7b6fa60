"""Messages and sessions, going in and coming out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from rest_framework import serializers

from memories.intake import IncomingMessage, Receipt
from memories.types import AuthorKind
from memsys.api.reach import Target
from memsys.api.serializers.base import StrictSerializer
from memsys.api.serializers.fields import (
    BooleanField,
    ChoiceField,
    IdentifierField,
    ListField,
    StrictField,
    TimeField,
)
from memsys.api.serializers.output import CursorOut, TimeOut
from memsys.api.serializers.targets import TargetIn

MAX_MESSAGES = 500


class MessageTextField(StrictField):
    """The text of a message as it was sent: intake cleans it and looks inside."""

    def to_internal_value(self, data: Any) -> str:
        self.expected = f"a text of 1 to {settings.MESSAGE_MAX_CHARS} characters"
        if not isinstance(data, str):
            self.fail("invalid")
        if len(data) > settings.MESSAGE_MAX_CHARS:
            self.fail("too-long")
        return data

    def json_schema(self) -> dict[str, Any]:
        limit = "At most as many characters as the setting MESSAGE_MAX_CHARS says."
        return {"type": "string", "minLength": 1, "description": limit}


class SignalsIn(StrictSerializer):
    """What happened along with a message; no amounts."""

    payment = BooleanField(default=False)


class MessageIn(StrictSerializer):
    """One message; `id` is the caller's own and makes sending it again harmless."""

    author_kind = ChoiceField(choices=AuthorKind.values)
    text = MessageTextField()
    sent_at = TimeField()
    id = IdentifierField(required=False)
    signals = SignalsIn(required=False)

    def validate(self, attrs: dict[str, Any]) -> IncomingMessage:
        return IncomingMessage(
            author_kind=attrs["author_kind"],
            text=attrs["text"],
            sent_at=attrs["sent_at"],
            external_id=attrs.get("id"),
            payment_signal=attrs.get("signals", {}).get("payment", False),
        )


@dataclass(frozen=True)
class MessagesForm:
    """A batch of messages of one relationship."""

    target: Target
    messages: list[IncomingMessage]


class MessagesIn(TargetIn):
    """Messages of one relationship, taken as a whole or not at all."""

    messages = ListField(child=MessageIn(), least=1, most=MAX_MESSAGES)

    def validate(self, attrs: dict[str, Any]) -> Any:
        attrs = super().validate(attrs)
        return MessagesForm(attrs["target"], attrs["messages"])


class SessionsEndIn(TargetIn):
    """The relationship whose open session is over."""

    def validate(self, attrs: dict[str, Any]) -> Any:
        return super().validate(attrs)["target"]


class ReceiptOut(serializers.Serializer[Any]):
    """What became of one message: `stored`, or `duplicate` of the one named."""

    id = serializers.UUIDField(source="message_id")
    outcome = serializers.CharField()
    session = serializers.UUIDField(source="session_id", allow_null=True)


class MessagesOut(serializers.Serializer[Any]):
    """One item for each message, in the order in which they were sent."""

    relationship = serializers.UUIDField()
    stored = serializers.IntegerField()
    duplicates = serializers.IntegerField()
    items = ReceiptOut(many=True)


class SessionsEndOut(serializers.Serializer[Any]):
    relationship = serializers.UUIDField()
    ended = serializers.ListField(child=serializers.UUIDField())


class SessionOut(serializers.Serializer[Any]):
    """One session, and what made memories of it.

    `extraction` is empty until then. `messages_cut` were too many for the model;
    `sensitive_dropped` counts by category what the user has not allowed to keep. The
    cost is in millionths of the currency of the configured prices.
    """

    id = serializers.UUIDField()
    status = serializers.CharField()
    first_message_at = TimeOut()
    last_message_at = TimeOut()
    message_count = serializers.IntegerField()
    ended_at = TimeOut(allow_null=True)
    end_reason = serializers.CharField()
    attempts = serializers.IntegerField()
    error_code = serializers.CharField()
    memories_made = serializers.IntegerField()
    extraction = serializers.CharField()
    messages_cut = serializers.IntegerField()
    sensitive_dropped = serializers.DictField(child=serializers.IntegerField())
    model_cost_micros = serializers.IntegerField()
    processed_at = TimeOut(allow_null=True)


class SessionPageOut(serializers.Serializer[Any]):
    """Sessions, the newest first."""

    items = SessionOut(many=True)
    next_cursor = CursorOut()


def count_outcomes(receipts: Sequence[Receipt]) -> dict[str, int]:
    """Return how many messages were stored and how many were duplicates."""
    stored = sum(one.outcome == "stored" for one in receipts)
    return {"stored": stored, "duplicates": len(receipts) - stored}
