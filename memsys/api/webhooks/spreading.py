"""From what happened to what is to be sent: one delivery for each that listens.

Owns which endpoint hears of which event: it must listen to its name, and an endpoint
for some creators hears of their relationships, and of users who have one, alone.

>>> spread(now=now)  # doctest: +SKIP
2
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from identity.models import Relationship
from memsys.api.webhooks.models import WebhookDelivery, WebhookEndpoint
from memsys.kernel.outbox import OutboxEvent

SPREAD_ROWS = 500


def spread(*, now: datetime) -> int:
    """Make the deliveries of events that have none yet; return how many events.

    Safe beside itself: an event that another process has in hand is passed over.
    """
    with transaction.atomic():
        waiting = OutboxEvent.objects.filter(spread_at=None).order_by("pk")
        events = list(waiting.select_for_update(skip_locked=True)[:SPREAD_ROWS])
        if not events:
            return 0
        endpoints = list(WebhookEndpoint.objects.order_by("pk"))
        deliveries = [
            WebhookDelivery(
                endpoint=endpoint, event=event.pk, event_name=event.name, next_at=now
            )
            for event in events
            for endpoint in _listeners(event, endpoints)
        ]
        WebhookDelivery.objects.bulk_create(deliveries, ignore_conflicts=True)
        ids = [event.pk for event in events]
        OutboxEvent.objects.filter(pk__in=ids).update(spread_at=now)
    return len(events)


def _listeners(
    event: OutboxEvent, endpoints: Iterable[WebhookEndpoint]
) -> list[WebhookEndpoint]:
    """Return who hears of an event. At most one query."""
    listening = [one for one in endpoints if one.listens_to(event.name)]
    if not any(one.creators for one in listening):
        return listening
    creators = _creators_of(event)
    return [
        one for one in listening if not one.creators or creators & set(one.creators)
    ]


def _creators_of(event: OutboxEvent) -> set[str]:
    """Return the creators of an event's relationship, or of all that its user has."""
    rows = Relationship.objects.filter(global_user_id=event.user_id)
    if event.relationship_id is not None:
        rows = rows.filter(pk=event.relationship_id)
    return set(rows.values_list("persona__creator__external_id", flat=True).distinct())
