"""Owns what must hold before `up` changes anything, and what it says if it does not.

prepare_folder(Path(".memsys"))
check_port(8000)
"""

import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EADDRINUSE
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path

from memsys import runfile
from memsys.embedded import EmbeddedPostgres, EmbeddedValkey
from memsys.running.processes import LoggedProcess, is_alive

REQUIRED_FREE_BYTES = 500_000_000
HOST = "127.0.0.1"
# The workers of a web server that was just stopped hold its port a little longer.
PORT_PATIENCE_SECONDS = 15


class StartupRefused(Exception):
    """memsys cannot be started here and now; the text tells the person why."""


def prepare_folder(folder: Path, *, required_bytes: int = REQUIRED_FREE_BYTES) -> None:
    """Make the folder of data, open to its owner alone, unless it cannot serve.

    Raises:
        StartupRefused: it is read-only, another user's, or its disk is full.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StartupRefused(
            f"{folder} cannot be made ({error.strerror}); "
            "set MEMSYS_DIR to a folder that you can write to"
        ) from error
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise StartupRefused(
            f"{folder} is read-only or belongs to another user; "
            "set MEMSYS_DIR to a folder that you can write to"
        )
    with suppress(PermissionError):
        folder.chmod(0o700)
    free = shutil.disk_usage(folder).free
    if free < required_bytes:
        raise StartupRefused(
            f"{folder} has {free // 10**6} MB free and needs "
            f"{required_bytes // 10**6} MB; make room, or set MEMSYS_DIR"
        )


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Hold the folder of data against every other `up`.

    The lock goes with the process, however it ends.

    Raises:
        StartupRefused: another `up` holds it.
    """
    with (folder / "up.lock").open("a") as file:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            raise StartupRefused(_describe_other(folder)) from None
        yield


def stop_leftovers(folder: Path, *, say: Callable[[str], None]) -> bool:
    """Stop the programs that a killed `up` left running; tell whether there was one.

    Its PostgreSQL and Valkey stay, to be taken over, unless others are given.
    """
    run = runfile.read_run(folder)
    leftovers = []
    for name, identity in (run.services if run else {}).items():
        if name not in ("postgres", "valkey") and is_alive(identity):
            say(f"stopping {name}, process {identity.pid}, left by a killed run")
            log_path = folder / "logs" / f"{name}.log"
            leftovers.append(LoggedProcess(log_path=log_path, identity=identity))
    for process in leftovers:
        process.send(signal.SIGTERM)
    for process in leftovers:
        process.wait(seconds=5)
        process.kill_group()
    if runfile.is_given("DATABASE_URL"):
        EmbeddedPostgres(folder / "postgres").stop()
    if runfile.is_given("VALKEY_URL"):
        EmbeddedValkey(folder / "valkey").stop()
    return run is not None


def check_port(port: int, *, patience_seconds: float = 0) -> None:
    """Check that the web's port is free, or will be so within the patience.

    Raises:
        StartupRefused: it is in use, or not ours to use.
    """
    deadline = time.monotonic() + patience_seconds
    while True:
        try:
            return _bind(port)
        except OSError as error:
            if error.errno != EADDRINUSE or time.monotonic() > deadline:
                raise StartupRefused(
                    f"port {port} cannot be used ({error.strerror}); choose another: "
                    f"python3 manage.py up --port {port + 1 if port < 65535 else 8000}"
                ) from error
        time.sleep(0.1)


def _bind(port: int) -> None:
    with socket.socket() as probe:
        # As the web server does: a port whose last users just left is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((HOST, port))


def _describe_other(folder: Path) -> str:
    run = runfile.read_run(folder)
    if run is None or not is_alive(run.supervisor):
        return f"another `up` is just starting or stopping in {folder}; try again"
    return (
        f"memsys runs already at {run.base_url}, process {run.supervisor.pid}; "
        f"stop it with Ctrl-C there, or with: kill {run.supervisor.pid}\n"
        "A second one beside it needs a MEMSYS_DIR and a --port of its own."
    )
