"""The Celery app: jobs by name, at least once, safe to run again.

Owns the broker's settings and the checks before a worker begins.

>>> celery -A memsys.celery worker  # doctest: +SKIP
"""

import logging
import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_init
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsys.settings")

logger = logging.getLogger("memsys.jobs")

app = Celery("memsys")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()


@worker_init.connect
def check_before_work(**kwargs: Any) -> None:
    """Refuse a login that sees past the policies, vectors that do not fit, a restore.

    Raises:
        SystemExit: of any other error Celery would make a log entry and go on.
    """
    from django.db import connection
    from django.utils import timezone

    from consent.erasures import make_up
    from memories.embedding import check_settings
    from memsys.kernel.scope.login import check_login

    try:
        check_login()
        make_up(now=timezone.now())
        faults = check_settings()
    except Exception as exc:
        logger.exception("worker.refused")
        raise SystemExit(f"memsys: {exc}") from exc
    if faults:
        raise SystemExit(f"memsys: {faults[0].msg}")
    # The processes to come make pools of their own.
    served: Any = connection
    served.close()
    served.close_pool()


@setup_logging.connect
def configure_logging(**kwargs: Any) -> None:
    """Log as the web does: JSON, without text, names or vectors."""
    from logging.config import dictConfig

    dictConfig(settings.LOGGING)
