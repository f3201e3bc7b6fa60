"""`manage.py load_demo`: demo personas, chats and sign-ins, once."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memsys.demo.loading import is_loaded, load_demo, make_sign_ins


class Command(BaseCommand):
    help = "Load the demo once: personas, chats through the real pipeline, sign-ins."

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.localtime()
        if not (folder := os.environ.get("MEMSYS_DIR")):
            raise CommandError("Set MEMSYS_DIR to the folder for the sign-ins.")
        make_sign_ins(Path(folder) / "sign_ins.json", now=now)
        if is_loaded(now=now):
            self.stdout.write("The demo is there already.")
            return
        summary = load_demo(now=now)
        self.stdout.write(
            f"Demo: {summary.stored} messages in {len(summary.sessions)} sessions."
        )
