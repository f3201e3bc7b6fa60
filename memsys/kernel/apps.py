"""The kernel: what every app stands on."""

from django.apps import AppConfig


class KernelConfig(AppConfig):
    name = "memsys.kernel"
    label = "kernel"
    verbose_name = "Kernel"

    def ready(self) -> None:
        """Register the system checks and watch for refused audit changes."""
        from memsys.kernel.audit import refusals
        from memsys.kernel.sharding import checks

        refusals.watch()
        assert checks
