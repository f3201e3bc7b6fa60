"""`manage.py load_demo`: demo personas, chats and sign-ins, once."""

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from memsys.demo.loading import is_loaded, load_demo, make_sign_ins


class Command(BaseCommand):
    help = "Load the demo once: personas, chats through the real pipeline, sign-ins."

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.localtime()
        make_sign_ins(Path(os.environ["MEMSYS_DIR"]) / "sign_ins.json", now=now)
        if is_loaded():
            self.stdout.write("The demo is there already.")
            return
        summary = load_demo(now=now)
        self.stdout.write(
            f"Demo: {summary.stored} messages in {len(summary.sessions)} sessions."
        )
