"""`manage.py desk_code USER`: what the device of a demo account shows now."""

import os
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memsys.demo.colleagues import code_now
from memsys.running.welcome import read_sign_ins


class Command(BaseCommand):
    help = "Say the code of the second step for an account of the demo."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("user", help="officer, legal, auditor, support, lead")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(os.environ.get("MEMSYS_DIR") or ".memsys")
        for sign_in in read_sign_ins(folder):
            if sign_in.get("user") == options["user"] and sign_in.get("totp"):
                self.stdout.write(code_now(sign_in["totp"], at=time.time()))
                return
        raise CommandError("There is no account of the demo with this name.")
