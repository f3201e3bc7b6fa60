"""`manage.py up`: run all of memsys on this machine until Ctrl-C.

It is called without settings, since it makes the environment they are read from.
"""

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from memsys.runfile import get_memsys_dir
from memsys.running.checks import StartupRefused
from memsys.running.service import ServiceError
from memsys.running.startup import Options, run

BASE_DIR = Path(__file__).resolve().parents[3]


class Command(BaseCommand):
    help = (
        "Start PostgreSQL, Valkey, web, worker and beat; keep them running until "
        "Ctrl-C. DATABASE_URL and VALKEY_URL replace the bundled servers; MEMSYS_DIR "
        "is the folder of data."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--port",
            type=_parse_port,
            default=os.environ.get("PORT") or "8000",
            help="port of the web server (PORT, or 8000)",
        )
        parser.add_argument(
            "--demo",
            action=argparse.BooleanOptionalAction,
            help="load the demo data (by default into the bundled database only)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = Options(
            base_dir=BASE_DIR,
            folder=get_memsys_dir(BASE_DIR),
            port=options["port"],
            demo=options["demo"],
        )
        try:
            run(chosen, say=self._say)
        except (StartupRefused, ServiceError, OSError) as error:
            sys.exit(f"memsys: {error}")

    def _say(self, text: str) -> None:
        # Who closes the output, as `up | head` does, still wants a clean stop.
        with suppress(BrokenPipeError):
            self.stdout.write(text)
            self.stdout.flush()


def _parse_port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 1 to 65535")
    return int(text)
