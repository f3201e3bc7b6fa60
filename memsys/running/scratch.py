"""Owns a whole installation for scratch data: private servers that end with it.

For commands that build data only to measure on it. Nothing of a running `up`, or of
the database that the environment names, is read or touched. What is measured is not
decided here.

    with scratch_installation():
        ...  # Django is set up, the database migrated; afterwards all of it is gone
"""

import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from memsys.embedded import SUPERUSER, EmbeddedPostgres, EmbeddedValkey

_REMOVAL_SECONDS = 10
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_REPLACED = (
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_ADMIN_URL",
    "DATABASE_MAINTENANCE_URL",
    "VALKEY_URL",
    "SECRET_KEY",
    "MEMSYS_DIR",
    "MEMSYS_LAYOUT",
)
_SETTINGS = {
    "SECRET_KEY": "of-an-installation-that-serves-nobody",
    "DJANGO_SETTINGS_MODULE": "memsys.settings",
    "MEMSYS_LAYOUT": "plain",
    # A kept connection would notice that its server ends, and complain.
    "DATABASE_POOL_MAX": "0",
}
_DEFAULTS = {"LOG_LEVEL": "WARNING", "OMP_NUM_THREADS": "1"}


@contextmanager
def scratch_installation(settings: Mapping[str, str] | None = None) -> Iterator[None]:
    """Set Django up on servers in a folder of their own, and remove all of it.

    Also after an error, Ctrl-C, SIGTERM or a hang-up, which all raise
    KeyboardInterrupt inside. It changes the environment of this process for good, so
    there is one in a process. `settings` come last, before them what the environment
    says of anything but servers. Takes about five seconds.

    Raises:
        RuntimeError: settings were read before; they name other servers.
        ServiceError: a server does not start.
    """
    _check_no_settings()
    with ExitStack() as stack:
        stack.callback(_listen_to_signals())
        folder = Path(tempfile.gettempdir(), f"memsys-scratch-{secrets.token_hex(8)}")
        # Before it is made: a signal may come right after.
        stack.callback(_remove, folder)
        folder.mkdir(mode=0o700)
        postgres = EmbeddedPostgres(folder / "postgres")
        stack.callback(postgres.stop)
        valkey = EmbeddedValkey(folder / "valkey")
        stack.callback(valkey.stop)
        stack.callback(ignore_signals)  # the first to run: nothing stops the stopping
        postgres.start()
        valkey.start()
        _enter(_make_environment(folder, postgres, valkey) | dict(settings or {}))
        _prepare_database()
        stack.callback(_disconnect)
        stack.callback(ignore_signals)
        yield


def _remove(folder: Path) -> None:
    """Remove a folder into which a program that was cut short may still write."""
    deadline = time.monotonic() + _REMOVAL_SECONDS
    while folder.exists() and time.monotonic() < deadline:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.05)


def _check_no_settings() -> None:
    from django.conf import settings

    if settings.configured:
        raise RuntimeError("A scratch installation comes before any settings.")


def _make_environment(
    folder: Path, postgres: EmbeddedPostgres, valkey: EmbeddedValkey
) -> dict[str, str]:
    return {
        "DATABASE_URL": postgres.url("memsys_app"),
        "DATABASE_OWNER_URL": postgres.url("memsys_owner"),
        "DATABASE_ADMIN_URL": postgres.url(SUPERUSER, SUPERUSER),
        "DATABASE_MAINTENANCE_URL": postgres.url("memsys_maintenance"),
        "VALKEY_URL": valkey.url,
        "MEMSYS_DIR": str(folder),
        **_SETTINGS,
    }


def _enter(environment: Mapping[str, str]) -> None:
    for name in _REPLACED:
        for form in (name, f"{name}_FILE"):
            os.environ.pop(form, None)
    os.environ.update({**_DEFAULTS, **os.environ, **environment})
    import django

    django.setup()


def _prepare_database() -> None:
    from django.core.management import call_command
    from django.db import connections

    # Standard output belongs to what the command finds out.
    call_command("prepare_database", verbosity=0, stdout=StringIO())
    call_command("migrate", database="owner", verbosity=0, stdout=StringIO())
    connections["owner"].close()


def _disconnect() -> None:
    from django.db import connections

    connections.close_all()


def _listen_to_signals() -> Callable[[], None]:
    """Let signals interrupt; return what puts back how they were handled."""
    before = {number: signal.getsignal(number) for number in _STOPS}
    for number, handler in before.items():
        # A program that was started under nohup outlives its terminal.
        if handler is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    return partial(_handle_signals, before)


def _handle_signals(handlers: Mapping[signal.Signals, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def ignore_signals() -> None:
    """Let no signal interrupt what stops things; the installation's end undoes it."""
    _handle_signals(dict.fromkeys(_STOPS, signal.SIG_IGN))
