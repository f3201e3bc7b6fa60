"""From a question to ranked, permitted memories."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class RecallConfig(AppConfig):
    name = "recall"
    verbose_name = _("Recall")

    def ready(self) -> None:
        """Seed the catalogue after each migration."""
        from recall.policies import seed_global_policy

        post_migrate.connect(seed_global_policy, sender=self)
