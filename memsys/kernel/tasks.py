"""The bodies of the kernel's jobs.

>>> publish_audit_heads.delay()  # doctest: +SKIP
"""

from celery import shared_task
from django.utils import timezone

from memsys.kernel.audit.checking import check_chains
from memsys.kernel.audit.publishing import publish_heads

VERIFY = "kernel.verify_chains"
HOUR_SECONDS = 3600


@shared_task(name="kernel.publish_heads")
def publish_audit_heads() -> str:
    """Add the heads of all chains to the month's file outside the database."""
    return publish_heads(by="system:audit", now=timezone.now()).file


# Not given out again when it is lost: it would begin anew while it still runs.
@shared_task(
    name=VERIFY,
    acks_late=False,
    soft_time_limit=HOUR_SECONDS,
    time_limit=HOUR_SECONDS + 60,
)
def verify_chains(by: str) -> int:
    """Verify all chains for somebody at the desk; return how many faults there are."""
    return check_chains(by=by).fault_count
