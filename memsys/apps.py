"""The composition root as a Django app: commands, templates, translations."""

from django.apps import AppConfig


class MemsysConfig(AppConfig):
    name = "memsys"

    def ready(self) -> None:
        """Make the Celery app the current one, so that any process can enqueue."""
        from memsys import celery

        assert celery.app
