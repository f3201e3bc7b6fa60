"""May we keep it, show it, release it."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ConsentConfig(AppConfig):
    name = "consent"
    verbose_name = _("Consent")
