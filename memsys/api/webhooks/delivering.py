"""Deliveries: which are due, one attempt, and what follows from how it ended.

Owns at-least-once: an attempt is claimed by moving its next time ahead, so one whose
worker died is made again. Order is not promised. What is sent is written anew for each
attempt from the outbox, ids and codes only, under the same id.

>>> deliver(delivery_id, now=now)  # doctest: +SKIP
Outcome(status_code=204, error_code='', retry_after_seconds=None)
"""

import json
import logging
import random
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from identity.models import GlobalUser
from memsys.api.webhooks.errors import BodyGone, DeliveryNotFound
from memsys.api.webhooks.models import DeliveryState, WebhookDelivery
from memsys.api.webhooks.outcomes import Outcome
from memsys.api.webhooks.signing import headers_of, live_secrets
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.outbox import OutboxEvent

logger = logging.getLogger("memsys.webhooks")

FIRST_WAIT_SECONDS = 10
WAIT_FACTOR = 3
LONGEST_WAIT_SECONDS = 6 * 3600
# More than an attempt can take.
CLAIM_SPARE = timedelta(seconds=30)
DUE_ROWS = 200
# One that hangs must not have all workers.
DUE_OF_ONE_ENDPOINT = 50
GONE = 410
WEBHOOK_CHAIN = "webhooks"
BODY_GONE = "body-gone"


def list_due(*, now: datetime) -> list[UUID]:
    """Return what is to be tried now, the longest due first. One query."""
    place = Window(RowNumber(), partition_by="endpoint", order_by="next_at")
    rows = WebhookDelivery.objects.filter(
        state=DeliveryState.WAITING, next_at__lte=now
    ).annotate(place=place)
    due = rows.filter(place__lte=DUE_OF_ONE_ENDPOINT).order_by("next_at", "pk")
    return list(due.values_list("pk", flat=True)[:DUE_ROWS])


def deliver(delivery_id: UUID, *, now: datetime) -> Outcome | None:
    """Make one attempt; None when it is not due, or another has it in hand.

    Called outside of any transaction, which would wait for the other side.
    """
    claimed = _claim(delivery_id, now=now)
    if claimed is None:
        return None
    outcome = _attempt(claimed, now=now)
    _note(claimed, outcome)
    return outcome


def list_deliveries(
    endpoint_id: UUID,
    *,
    state: str | None = None,
    before: tuple[datetime, UUID] | None = None,
    limit: int = 50,
) -> list[WebhookDelivery]:
    """Return deliveries to an endpoint, the latest first. One query."""
    rows = WebhookDelivery.objects.filter(endpoint=endpoint_id)
    if state is not None:
        rows = rows.filter(state=state)
    if before is not None:
        at, key = before
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=key))
    return list(rows.order_by("-created_at", "-pk")[:limit])


def get_delivery(delivery_id: UUID) -> WebhookDelivery:
    """Return one delivery. One query.

    Raises:
        DeliveryNotFound: there is no such delivery.
    """
    row = WebhookDelivery.objects.filter(pk=delivery_id).first()
    if row is None:
        raise DeliveryNotFound("There is no such delivery.")
    return row


def replay(delivery_id: UUID, *, by: str, now: datetime) -> WebhookDelivery:
    """Have a delivery made again from the start, whatever came of it; records it.

    Raises:
        DeliveryNotFound: there is no such delivery.
        BodyGone: the event is older than what is kept.
    """
    rows = WebhookDelivery.objects.filter(pk=delivery_id)
    row = rows.select_for_update().first()
    if row is None:
        raise DeliveryNotFound("There is no such delivery.")
    if not OutboxEvent.objects.filter(pk=row.event).exists():
        raise BodyGone("What was to be sent is no longer kept.")
    rows.update(
        state=DeliveryState.WAITING,
        attempts=0,
        next_at=now,
        status_code=None,
        error_code="",
        ended_at=None,
    )
    record(
        Deed(
            chain=WEBHOOK_CHAIN,
            action="webhook.replayed",
            actor=by,
            object_ref=f"webhook_delivery:{row.pk}",
        )
    )
    row.refresh_from_db()
    return row


def wait_after(
    attempts: int, *, asked_seconds: int | None, share: float
) -> timedelta | None:
    """Return how long to wait after so many attempts; None when it is the end.

    Grows threefold from ten seconds to six hours; `share`, 0 to 1, spreads it from
    three quarters to five quarters, so that what failed together comes back apart.

    >>> wait_after(2, asked_seconds=None, share=0.5).total_seconds()
    30.0
    """
    if attempts >= settings.WEBHOOK_MAX_ATTEMPTS:
        return None
    grown = FIRST_WAIT_SECONDS * WAIT_FACTOR ** (attempts - 1)
    seconds = min(grown, LONGEST_WAIT_SECONDS) * (0.75 + 0.5 * share)
    return timedelta(seconds=max(seconds, asked_seconds or 0))


def _claim(delivery_id: UUID, *, now: datetime) -> WebhookDelivery | None:
    """Take an attempt in hand; whoever comes second finds it not due."""
    spared = timedelta(seconds=settings.WEBHOOK_TIMEOUT_SECONDS) + CLAIM_SPARE
    taken = WebhookDelivery.objects.filter(
        pk=delivery_id, state=DeliveryState.WAITING, next_at__lte=now
    ).update(attempts=F("attempts") + 1, next_at=now + spared)
    if not taken:
        return None
    rows = WebhookDelivery.objects.select_related("endpoint")
    return rows.filter(pk=delivery_id).first()


def _attempt(delivery: WebhookDelivery, *, now: datetime) -> Outcome:
    # The HTTP client is big, and this module is on the web's way to its views.
    from memsys.api.webhooks.sending import send

    event = OutboxEvent.objects.filter(pk=delivery.event).first()
    if event is None:
        return Outcome(error_code=BODY_GONE)
    body = envelope_of(event)
    headers = headers_of(
        live_secrets(delivery.endpoint, now=now),
        message_id=str(event.pk),
        at=now,
        body=body,
    )
    return send(delivery.endpoint.url, body=body, headers=headers)


def envelope_of(event: OutboxEvent) -> bytes:
    """Return what is sent of an event. One query.

    The user has the name that the platform gave; null once it is erased, unless the
    event itself still tells it.
    """
    user = GlobalUser.objects.filter(pk=event.user_id)
    relationship = event.relationship_id
    data: dict[str, Any] = {
        "user": user.values_list("external_id", flat=True).first(),
        "relationship": str(relationship) if relationship is not None else None,
        **event.data,
    }
    envelope = {
        "id": str(event.pk),
        "type": event.name,
        "happened_at": event.happened_at.astimezone(UTC).isoformat(),
        "data": data,
    }
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":")).encode()


def _note(delivery: WebhookDelivery, outcome: Outcome) -> None:
    """Keep how an attempt ended, unless a later one has begun or ended it."""
    ended_at = timezone.now()
    rows = WebhookDelivery.objects.filter(
        pk=delivery.pk, state=DeliveryState.WAITING, attempts=delivery.attempts
    )
    told = {"status_code": outcome.status_code, "error_code": outcome.error_code}
    if outcome.is_taken:
        rows.update(state=DeliveryState.DONE, next_at=None, ended_at=ended_at, **told)
        return
    wait = wait_after(
        delivery.attempts,
        asked_seconds=outcome.retry_after_seconds,
        share=random.random(),
    )
    is_end = outcome.error_code == BODY_GONE or outcome.status_code == GONE
    if wait is None or is_end:
        rows.update(state=DeliveryState.DEAD, next_at=None, ended_at=ended_at, **told)
        logger.warning(
            "webhook.dead",
            extra={"delivery": str(delivery.pk), "attempts": delivery.attempts, **told},
        )
        return
    rows.update(next_at=ended_at + wait, **told)
