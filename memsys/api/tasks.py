"""The bodies of the API's jobs.

>>> sweep_answers.delay()  # doctest: +SKIP
"""

from celery import shared_task
from django.utils import timezone

from memsys.api.idempotency import delete_expired


@shared_task(name="api.sweep_answers")
def sweep_answers() -> int:
    """Delete the answers of idempotent writes that are no longer replayed."""
    return delete_expired(now=timezone.now())
