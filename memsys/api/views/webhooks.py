"""Webhooks: which services hear of what happens, and what became of each event.

The secret is never kept with the answer of an idempotency key: a repeated answer has
null in its place.
"""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memsys.api.idempotency import REPLAYED, Answer, answer_once
from memsys.api.pagination import Binding, Page, Position, open_cursor, seal
from memsys.api.reach import check_creator, parse_id
from memsys.api.schema import describe, request_example
from memsys.api.scopes import Scope
from memsys.api.serializers.webhooks import (
    DeliveryPageIn,
    DeliveryPageOut,
    NewWebhookOut,
    ReplayOut,
    SecretOut,
    WebhookIn,
    WebhookListOut,
    WebhookRemovedOut,
)
from memsys.api.views.base import ApiView
from memsys.api.webhooks.delivering import get_delivery, list_deliveries, replay
from memsys.api.webhooks.endpoints import (
    add_endpoint,
    get_endpoint,
    list_endpoints,
    remove_endpoint,
    turn_secret,
)
from memsys.api.webhooks.signing import show_secret

_ENDPOINT = {
    "url": "https://chat.example.com/hooks/memsys",
    "events": ["consent.changed", "erasure.done"],
}


class WebhooksView(ApiView):
    """The endpoints of a key."""

    scopes = {"GET": Scope.WEBHOOK_MANAGE, "POST": Scope.WEBHOOK_MANAGE}

    @describe(summary="List the webhooks of this key", answer={200: WebhookListOut})
    def get(self, request: Request) -> Response:
        return Response(WebhookListOut({"items": list_endpoints(by=self.caller)}).data)

    @describe(
        summary="Have events sent to an address",
        request=WebhookIn,
        answer={201: NewWebhookOut},
        examples=[request_example("A webhook", _ENDPOINT)],
        is_idempotent=True,
    )
    def post(self, request: Request) -> Response:
        form = WebhookIn.read(request.data, now=self.now)
        for creator in form.creators:
            check_creator(self.caller, creator)
        made: list[str] = []

        def add() -> Answer:
            endpoint = add_endpoint(form, by=self.caller)
            made.append(show_secret(bytes(endpoint.seed)))
            shown = {**vars(endpoint), "secret": None}
            return Answer(NewWebhookOut(shown).data, 201)

        return _with_secret(answer_once(request, add), made)


class WebhookView(ApiView):
    """One endpoint."""

    scopes = {"DELETE": Scope.WEBHOOK_MANAGE}

    @describe(
        summary="End a webhook, with all of its deliveries",
        answer={200: WebhookRemovedOut},
        ids=["webhook_id"],
        is_idempotent=True,
    )
    def delete(self, request: Request, webhook_id: str) -> Response:
        key = parse_id(webhook_id)

        def remove() -> Answer:
            endpoint = get_endpoint(key, by=self.caller)
            count = remove_endpoint(endpoint, by=self.caller)
            shown = {"webhook": key, "deliveries": count}
            return Answer(WebhookRemovedOut(shown).data)

        return answer_once(request, remove)


class WebhookSecretView(ApiView):
    """The secret of an endpoint."""

    scopes = {"POST": Scope.WEBHOOK_MANAGE}

    @describe(
        summary="Give a webhook a new secret; for a day the one before signs too",
        answer={200: SecretOut},
        ids=["webhook_id"],
        is_idempotent=True,
    )
    def post(self, request: Request, webhook_id: str) -> Response:
        key = parse_id(webhook_id)
        made: list[str] = []

        def turn() -> Answer:
            endpoint = get_endpoint(key, by=self.caller)
            until = turn_secret(endpoint, by=self.caller, now=self.now)
            made.append(show_secret(bytes(endpoint.seed)))
            shown = {"webhook": key, "previous_until": until, "secret": None}
            return Answer(SecretOut(shown).data)

        return _with_secret(answer_once(request, turn), made)


class WebhookDeliveriesView(ApiView):
    """What became of each event that an endpoint is sent."""

    scopes = {"GET": Scope.WEBHOOK_MANAGE}

    @describe(
        summary="List a webhook's deliveries, the latest first",
        answer={200: DeliveryPageOut},
        query=DeliveryPageIn,
        ids=["webhook_id"],
    )
    def get(self, request: Request, webhook_id: str) -> Response:
        query, state = DeliveryPageIn.read_query(request.query_params, now=self.now)
        endpoint = get_endpoint(parse_id(webhook_id), by=self.caller)
        binding = Binding(
            owner=(str(endpoint.pk), self.caller.prefix),
            question=(type(self).__name__, str(state)),
        )
        after = open_cursor(query.cursor, binding) if query.cursor else None
        rows = list_deliveries(
            endpoint.pk,
            state=state,
            before=(after.at, after.id) if after else None,
            limit=query.limit + 1,
        )
        page = Page.of(
            rows, limit=query.limit, mark=lambda one: Position(one.created_at, one.pk)
        )
        cursor = seal(page.end, binding) if page.end is not None else None
        shown = {"items": page.rows, "next_cursor": cursor}
        return Response(DeliveryPageOut(shown).data)


class WebhookReplayView(ApiView):
    """A delivery that is made again."""

    scopes = {"POST": Scope.WEBHOOK_MANAGE}

    @describe(
        summary="Send an event to its webhook again",
        answer={202: ReplayOut},
        ids=["delivery_id"],
        is_idempotent=True,
    )
    def post(self, request: Request, delivery_id: str) -> Response:
        key = parse_id(delivery_id)

        def send_again() -> Answer:
            delivery = get_delivery(key)
            get_endpoint(delivery.endpoint_id, by=self.caller)
            row = replay(key, by=self.actor, now=self.now)
            return Answer(ReplayOut({"delivery": key, "state": row.state}).data, 202)

        return answer_once(request, send_again)


def _with_secret(response: Response, made: list[str]) -> Response:
    """Put the secret into an answer that is given for the first time."""
    if REPLAYED not in response.headers:
        response.data = {**_body(response), "secret": made[-1]}
    return response


def _body(response: Response) -> dict[str, Any]:
    body: dict[str, Any] = response.data
    return body
