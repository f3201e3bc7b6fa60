"""What is late, what is given up, and what is kept no longer.

Owns the numbers of the probe and the end of old rows: an event that was spread stays
seven days, for attempts and replays; a delivery, which holds codes alone, ninety.

>>> measure_lag(now=now)  # doctest: +SKIP
Lag(waiting_seconds=0, dead=0)
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q

from memsys.api.webhooks.models import DeliveryState, WebhookDelivery
from memsys.kernel.outbox import OutboxEvent

BODIES_KEPT = timedelta(days=7)
DELIVERIES_KEPT = timedelta(days=90)
SWEPT_ROWS = 5000


@dataclass(frozen=True)
class Lag:
    """How long the oldest event waits to be taken, and how many were given up."""

    waiting_seconds: int
    dead: int


def measure_lag(*, now: datetime) -> Lag:
    """Count what waits and what is dead. Two queries, each on what is not done."""
    is_waiting = Q(state=DeliveryState.WAITING)
    is_dead = Q(state=DeliveryState.DEAD)
    counted = WebhookDelivery.objects.filter(is_waiting | is_dead).aggregate(
        oldest=Min("created_at", filter=is_waiting), dead=Count("pk", filter=is_dead)
    )
    unspread = OutboxEvent.objects.filter(spread_at=None).aggregate(
        oldest=Min("happened_at")
    )
    starts = [one["oldest"] for one in (counted, unspread) if one["oldest"] is not None]
    waited = max(now - min(starts), timedelta()) if starts else timedelta()
    return Lag(waiting_seconds=int(waited.total_seconds()), dead=counted["dead"])


def delete_old(*, now: datetime) -> int:
    """Delete what is kept no longer; bounded, the next run takes the rest."""
    events = OutboxEvent.objects.filter(spread_at__lt=now - BODIES_KEPT)
    deliveries = WebhookDelivery.objects.filter(
        created_at__lt=now - DELIVERIES_KEPT
    ).exclude(state=DeliveryState.WAITING)
    deleted = 0
    for rows in (events, deliveries):
        ids = list(rows.order_by("pk").values_list("pk", flat=True)[:SWEPT_ROWS])
        deleted += rows.model.objects.filter(pk__in=ids).delete()[0]
    return deleted
