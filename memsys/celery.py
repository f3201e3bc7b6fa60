"""The Celery app: jobs by name, at least once, safe to run again.

Owns the broker's settings and the check of the worker's database login.

>>> celery -A memsys.celery worker  # doctest: +SKIP
"""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_init
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsys.settings")

app = Celery("memsys")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.set_default()


@worker_init.connect
def check_database_login(**kwargs: Any) -> None:
    """Refuse to work as a login that could read past the policies."""
    from memsys.kernel.scope.login import check_login

    check_login()


@setup_logging.connect
def configure_logging(**kwargs: Any) -> None:
    """Log as the web does: JSON, without text, names or vectors."""
    import logging.config

    logging.config.dictConfig(settings.LOGGING)
