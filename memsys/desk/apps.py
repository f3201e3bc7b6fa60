"""The staff's pages."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class DeskConfig(AppConfig):
    name = "memsys.desk"
    label = "desk"
    verbose_name = _("Desk")

    def ready(self) -> None:
        """Make the groups of the roles after each migration."""
        from memsys.desk.roles import make_roles

        post_migrate.connect(make_roles, sender=self)
