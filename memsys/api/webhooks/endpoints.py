"""Endpoints: who listens to what. Making, ending and the turn of secrets.

Each deed is recorded in its transaction, which the caller opens. A key that is for some
creators has and sees endpoints for these alone.

>>> add_endpoint(form, caller=caller)  # doctest: +SKIP
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from memsys.api.webhooks.delivering import WEBHOOK_CHAIN
from memsys.api.webhooks.errors import TooManyWebhooks, WebhookNotFound
from memsys.api.webhooks.models import WebhookEndpoint
from memsys.api.webhooks.signing import OVERLAP, new_seed
from memsys.kernel.audit.chain import Deed, record

MAX_ENDPOINTS = 100


class Manager(Protocol):
    """Who manages endpoints, as far as this module asks."""

    @property
    def actor(self) -> str: ...
    @property
    def creators(self) -> Iterable[str]: ...


@dataclass(frozen=True)
class EndpointForm:
    """What an endpoint is to be; without creators it is for all that the key has."""

    url: str
    events: tuple[str, ...]
    creators: tuple[str, ...] = ()


def add_endpoint(form: EndpointForm, *, by: Manager) -> WebhookEndpoint:
    """Make an endpoint and record who made it.

    Raises:
        TooManyWebhooks: there are as many as there may be.
    """
    if WebhookEndpoint.objects.count() >= MAX_ENDPOINTS:
        raise TooManyWebhooks("There are as many webhooks as there may be.")
    endpoint = WebhookEndpoint.objects.create(
        url=form.url,
        events=sorted(set(form.events)),
        creators=sorted(set(form.creators) or set(by.creators)),
        seed=new_seed(),
        made_by=by.actor,
    )
    _record(endpoint, "webhook.added", by, ("url", "events", "creators"))
    return endpoint


def list_endpoints(*, by: Manager) -> list[WebhookEndpoint]:
    """Return the endpoints of a key, the oldest first. One query."""
    rows = WebhookEndpoint.objects.order_by("created_at", "pk")
    return [one for one in rows if _may_manage(by, one)]


def get_endpoint(endpoint_id: UUID, *, by: Manager) -> WebhookEndpoint:
    """Return an endpoint of a key. One query.

    Raises:
        WebhookNotFound: there is none, or it is not for this key.
    """
    endpoint = WebhookEndpoint.objects.filter(pk=endpoint_id).first()
    if endpoint is None or not _may_manage(by, endpoint):
        raise WebhookNotFound("There is no such webhook.")
    return endpoint


def turn_secret(endpoint: WebhookEndpoint, *, by: Manager, now: datetime) -> datetime:
    """Give an endpoint a new secret; return until when the one before signs too."""
    until = now + OVERLAP
    locked = WebhookEndpoint.objects.select_for_update().get(pk=endpoint.pk)
    locked.previous_seed, locked.previous_until = locked.seed, until
    locked.seed = new_seed()
    locked.save(update_fields=["seed", "previous_seed", "previous_until"])
    endpoint.seed = locked.seed
    _record(locked, "webhook.secret_turned", by, ("secret",))
    return until


def remove_endpoint(endpoint: WebhookEndpoint, *, by: Manager) -> int:
    """End an endpoint with all of its deliveries; return how many these were."""
    deliveries, _ = endpoint.deliveries.all().delete()
    _record(endpoint, "webhook.removed", by)
    WebhookEndpoint.objects.filter(pk=endpoint.pk).delete()
    return deliveries


def _may_manage(by: Manager, endpoint: WebhookEndpoint) -> bool:
    own = set(by.creators)
    return not own or bool(endpoint.creators) and set(endpoint.creators) <= own


def _record(
    endpoint: WebhookEndpoint, action: str, by: Manager, names: tuple[str, ...] = ()
) -> None:
    record(
        Deed(
            chain=WEBHOOK_CHAIN,
            action=action,
            actor=by.actor,
            object_ref=f"webhook:{endpoint.pk}",
            field_names=names,
        )
    )
