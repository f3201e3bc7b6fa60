"""`manage.py erasure_scan`: is a text anywhere? Proves an erasure, or names the places.

Reads every table as the maintenance role, every key, queue and file; what it planted
itself it must find first. Tells places, counts and ids, never the text. Ends with 1 when
the text was found, with 2 when it could not look everywhere.

    manage.py erasure_scan 暗号-7731
    echo 暗号-7731 | manage.py erasure_scan -     # not seen in the list of processes
"""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from memsys.kernel.valkey import Unreachable
from memsys.scanning import ScanFailed, Scanned, scan


class Command(BaseCommand):
    help = "Look for a text in every table, key, queue and file; end with 1 if found."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "text", metavar="TEXT", help="what to look for; - reads it from the input"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        text = options["text"]
        if text == "-":
            text = sys.stdin.read().strip("\r\n")
        try:
            scanned = scan(text)
        except (ScanFailed, DatabaseError, Unreachable) as exc:
            # An error of the database may quote a row.
            said = str(exc) if isinstance(exc, ScanFailed) else type(exc).__name__
            raise CommandError(f"The scan failed: {said}", returncode=2) from None
        finally:
            if "maintenance" in connections:
                connections["maintenance"].close()
        if options["json"]:
            self.stdout.write(json.dumps(asdict(scanned), ensure_ascii=False, indent=2))
        else:
            self._print(scanned)
        if scanned.found:
            raise CommandError(f"Found in {len(scanned.found)} place(s).")

    def _print(self, scanned: Scanned) -> None:
        for one in scanned.found:
            ids = f" ({', '.join(one.ids)})" if one.ids else ""
            self.stdout.write(f"{one.place}: {one.count}{ids}")
        looked = (
            f"{scanned.tables} tables, {scanned.columns} columns, {scanned.keys} keys, "
            f"{scanned.files} files"
        )
        for folder in scanned.left_out:
            self.stdout.write(
                f"Left out: {folder}, a database's own files, where what was deleted "
                "stands until they are vacuumed."
            )
        if not scanned.found:
            self.stdout.write(f"Nowhere: looked at {looked}.")
