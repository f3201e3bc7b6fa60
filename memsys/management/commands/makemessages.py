"""`manage.py makemessages`: bring the catalogue up to date with the code, and compile it.

Owns the flags, so that the same code gives the same file on every machine. It needs
the programs of gettext, which running memsys and its tests does not: the compiled
catalogue is kept beside its source.

    python manage.py makemessages   # collect, translate what is new, and call it again
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import makemessages

LOCALE = "zh_Hans"
# A date would make two runs over the same code differ.
DATE = re.compile(r'^"POT-Creation-Date: .*\n', re.MULTILINE)


class Command(makemessages.Command):
    help = "Collect what is shown to people into the catalogue, and compile it."
    # A guess from a similar sentence is more dangerous than a gap, which a test finds.
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(
            locale=[LOCALE],
            ignore_patterns=["tests/*"],
            add_location="file",
            no_wrap=True,
            no_obsolete=True,
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Collect from the project's folder, wherever it was called."""
        os.chdir(settings.BASE_DIR)
        super().handle(*args, **options)

    def write_po_file(self, potfile: str, locale: str) -> None:
        """Write the source without its date, then the compiled form."""
        super().write_po_file(potfile, locale)
        source = Path(potfile).parent / locale / "LC_MESSAGES" / f"{self.domain}.po"
        text = source.read_text(encoding="utf-8")
        source.write_text(DATE.sub("", text), encoding="utf-8")
        compile_catalogue(source)


def compile_catalogue(source: Path) -> None:
    """Write the `.mo` beside a `.po`; a wrong placeholder or plural refuses it."""
    target = source.with_suffix(".mo")
    done = subprocess.run(
        ["msgfmt", "--check", "--no-hash", "-o", str(target), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(f"The catalogue cannot be compiled.\n{done.stderr}")
