#!/usr/bin/env python3
"""Owns the command line of memsys: finds an environment, then runs one command.

`up`, `evaluate`, `chaos` and `test` make the environment when there is none; every other
command only uses what is there. What a command does is not decided here.

    python3 manage.py up
"""

import os
import sys
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent


def main() -> None:
    if os.name != "posix":
        sys.exit("memsys runs on Linux and macOS. On Windows, use WSL.")
    # An older interpreter is exactly what this has to tell apart, so the check
    # comes before any import that needs a newer one.
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(
            f"memsys needs Python 3.11 or newer; this is {sys.version.split()[0]}."
        )

    from memsys import bootstrap
    from memsys.running.installation import SetupError

    try:
        bootstrap.prepare(base_dir=BASE_DIR, arguments=sys.argv[1:])
    except SetupError as error:
        sys.exit(f"memsys: {error}")
    os.environ["DJANGO_SETTINGS_MODULE"] = "memsys.settings"
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    if command in bootstrap.EXTRAS_BY_COMMAND:
        run_without_settings(command)
    else:
        run_with_settings(command)


def run_without_settings(command: str) -> None:
    """Run a command that makes the very environment the settings are read from."""
    from importlib import import_module

    module = import_module(f"memsys.management.commands.{command}")
    module.Command().run_from_argv(sys.argv)


def run_with_settings(command: str) -> None:
    """Run a command of Django against the servers that `up` keeps."""
    from django.core.management import execute_from_command_line

    from memsys import runfile

    if not runfile.is_given("DATABASE_URL"):
        environment = runfile.load_environment(BASE_DIR, command=command)
        if environment is None and command not in ("help", "-h", "--help", "--version"):
            sys.exit(
                "memsys is not running. Start it with `python3 manage.py up`, "
                "or set DATABASE_URL, VALKEY_URL and SECRET_KEY."
            )
        os.environ.update(environment or {})
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
