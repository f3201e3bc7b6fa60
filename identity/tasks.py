"""The bodies of identity's jobs.

>>> sweep_custody.delay()  # doctest: +SKIP
"""

from celery import shared_task
from django.utils import timezone

from identity.custody import move_expired


@shared_task(name="identity.sweep_custody")
def sweep_custody() -> int:
    """Move relationships whose creator fell silent to the proxy pool."""
    return move_expired(now=timezone.now())
