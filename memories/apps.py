"""What is remembered."""

from django.apps import AppConfig
from django.core.checks import register
from django.utils.translation import gettext_lazy as _


class MemoriesConfig(AppConfig):
    name = "memories"
    verbose_name = _("Memories")

    def ready(self) -> None:
        """Refuse an embedder that does not fit before a web or worker process starts."""
        from memories.embedding import check_settings

        register(check_settings)
