"""The bodies of the API's jobs.

>>> sweep_answers.delay()  # doctest: +SKIP
"""

from uuid import UUID

from celery import shared_task
from django.utils import timezone

from memsys.api.idempotency import delete_expired
from memsys.api.webhooks.delivering import deliver, list_due
from memsys.api.webhooks.spreading import spread
from memsys.api.webhooks.upkeep import delete_old
from memsys.kernel.jobs import send_job

DELIVER = "api.deliver_webhook"
DELIVER_EXPIRES_SECONDS = 60


@shared_task(name="api.sweep_answers")
def sweep_answers() -> int:
    """Delete the answers of idempotent writes that are no longer replayed."""
    return delete_expired(now=timezone.now())


@shared_task(name="api.spread_events")
def spread_events() -> int:
    """Make the deliveries of what happened, and ask for those that are due."""
    now = timezone.now()
    spread(now=now)
    due = list_due(now=now)
    for delivery in due:
        ids = {"delivery_id": str(delivery)}
        if not send_job(DELIVER, expires_seconds=DELIVER_EXPIRES_SECONDS, **ids):
            break
    return len(due)


@shared_task(name=DELIVER)
def deliver_webhook(*, delivery_id: str = "") -> None:
    """Make one attempt at a delivery, unless it is not due or another makes it.

    Raises:
        ValueError: the id is missing, blank or no UUID; the task is refused.
    """
    deliver(UUID(str(delivery_id)), now=timezone.now())


@shared_task(name="api.sweep_webhooks")
def sweep_webhooks() -> int:
    """Delete events and deliveries that are kept no longer."""
    return delete_old(now=timezone.now())
