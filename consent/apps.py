"""May we keep it, show it, release it."""

from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class ConsentConfig(AppConfig):
    name = "consent"
    verbose_name = _("Consent")

    def ready(self) -> None:
        """Seed the registry of profile fields and the texts after each migration.

        Raises:
            ImproperlyConfigured: a time of keeping is out of the law's bounds.
        """
        from consent.profiles import seed_fields
        from consent.retention.classes import read_setting
        from consent.texts import seed_texts

        read_setting(settings.RETENTION_DAYS)
        post_migrate.connect(seed_fields, sender=self)
        post_migrate.connect(seed_texts, sender=self)
