"""Webhooks, going in and coming out."""

from typing import Any

from rest_framework import serializers

from memsys.api.serializers.base import StrictSerializer
from memsys.api.serializers.fields import (
    ChoiceField,
    IdentifierField,
    ListField,
    StrictField,
)
from memsys.api.serializers.memories import PageIn, PageQuery
from memsys.api.serializers.output import CursorOut, TimeOut
from memsys.api.webhooks.addresses import MAX_URL_LENGTH, AddressRefused, check_url
from memsys.api.webhooks.endpoints import EndpointForm
from memsys.api.webhooks.models import DeliveryState
from memsys.kernel.outbox import EVENTS

MAX_CREATORS = 200


class WebhookUrlField(StrictField):
    """Where events are to be sent: a host that the operator has allowed."""

    expected = (
        "a URL that begins with https://, without sign-in or fragment, of a host "
        "that the operator allows"
    )

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        try:
            check_url(data)
        except AddressRefused as exc:
            raise serializers.ValidationError(self.expected, exc.code) from exc
        return data

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uri", "maxLength": MAX_URL_LENGTH}


class WebhookIn(StrictSerializer):
    """Where to send which events, and of which creators; without any, all of the key."""

    url = WebhookUrlField()
    events = ListField(child=ChoiceField(choices=EVENTS), least=1, most=len(EVENTS))
    creators = ListField(child=IdentifierField(), most=MAX_CREATORS, default=[])

    def validate(self, attrs: dict[str, Any]) -> EndpointForm:
        return EndpointForm(
            url=attrs["url"],
            events=tuple(attrs["events"]),
            creators=tuple(attrs["creators"]),
        )


class DeliveryPageIn(PageIn):
    """A page of deliveries, of one state if it is named."""

    state = ChoiceField(choices=DeliveryState.values, required=False)

    def validate(self, attrs: dict[str, Any]) -> Any:
        state = attrs.pop("state", None)
        return PageQuery(**attrs), state


class WebhookOut(serializers.Serializer[Any]):
    """An endpoint. Until `previous_until` the secret before the last one signs too."""

    id = serializers.UUIDField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    creators = serializers.ListField(child=serializers.CharField())
    created_at = TimeOut()
    previous_until = TimeOut(allow_null=True)


class WebhookListOut(serializers.Serializer[Any]):
    items = WebhookOut(many=True)


class NewWebhookOut(WebhookOut):
    """`secret` is shown only now: null when the request is answered again."""

    secret = serializers.CharField(allow_null=True)


class SecretOut(serializers.Serializer[Any]):
    """`secret` is shown only now: null when the request is answered again."""

    webhook = serializers.UUIDField()
    previous_until = TimeOut()
    secret = serializers.CharField(allow_null=True)


class WebhookRemovedOut(serializers.Serializer[Any]):
    webhook = serializers.UUIDField()
    deliveries = serializers.IntegerField()


class DeliveryOut(serializers.Serializer[Any]):
    """One event on its way to one endpoint; `error_code` is of the last attempt."""

    id = serializers.UUIDField()
    webhook = serializers.UUIDField(source="endpoint_id")
    event = serializers.UUIDField()
    type = serializers.CharField(source="event_name")
    state = serializers.CharField()
    attempts = serializers.IntegerField()
    next_at = TimeOut(allow_null=True)
    status_code = serializers.IntegerField(allow_null=True)
    error_code = serializers.CharField()
    created_at = TimeOut()
    ended_at = TimeOut(allow_null=True)


class DeliveryPageOut(serializers.Serializer[Any]):
    items = DeliveryOut(many=True)
    next_cursor = CursorOut()


class ReplayOut(serializers.Serializer[Any]):
    delivery = serializers.UUIDField()
    state = serializers.CharField()
