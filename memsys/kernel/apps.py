"""The kernel: what every app stands on."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class KernelConfig(AppConfig):
    name = "memsys.kernel"
    label = "kernel"
    verbose_name = _("Audit")

    def ready(self) -> None:
        """Register the system checks and watch for refused audit changes."""
        from memsys.kernel.audit import refusals
        from memsys.kernel.sharding import checks

        refusals.watch()
        assert checks
