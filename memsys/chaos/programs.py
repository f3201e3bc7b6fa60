"""The programs of the rehearsal: web and worker, as `up` runs them, on its own servers.

Owns their start, their death by force, and what they logged of errors. Nothing but
what was started here is ever killed.

>>> worker = make_worker(folder)  # doctest: +SKIP
>>> worker.kill()  # the whole group at once  # doctest: +SKIP
"""

import json
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from memsys.chaos.errors import ProgramFailed
from memsys.runfile import limit_rights
from memsys.running.service import Program

BASE_DIR = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
WORKER_PROCESSES = 2
_READY_SECONDS = 60.0
_END_SECONDS = 10.0


def find_free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def make_web(folder: Path, *, port: int) -> Program:
    """Return the web server, not started; `folder` takes its log."""
    command = [
        "gunicorn", "memsys.wsgi:application", "--bind", f"{HOST}:{port}",
        "--worker-class", "gthread", "--workers", "2", "--threads", "4",
        "--timeout", "60", "--graceful-timeout", "5", "--no-control-socket",
        "--log-level", "warning",
    ]  # fmt: skip
    return _make("web", command, folder)


def make_worker(folder: Path) -> Program:
    """Return the worker, not started; `folder` takes its log."""
    command = [
        "celery", "-A", "memsys.celery", "worker",
        "--concurrency", str(WORKER_PROCESSES), "--loglevel", "WARNING",
        "--without-gossip", "--without-mingle",
    ]  # fmt: skip
    return _make("worker", command, folder)


def _make(name: str, module: Sequence[str], folder: Path) -> Program:
    environment = limit_rights(dict(os.environ), command=name)
    # One that is killed leaves its temporary files behind, here until the end of all.
    environment["TMPDIR"] = str(folder)
    return Program(
        name=name,
        command=[sys.executable, "-m", *module],
        folder=BASE_DIR,
        environment=environment,
        log_path=folder / "logs" / f"{name}.log",
    )


def wait_for_web(web: Program, *, port: int, cancelled: Callable[[], bool]) -> None:
    """Wait for the web's first answer.

    Raises:
        ProgramFailed: it ends, or is silent for a minute.
    """
    deadline = time.monotonic() + _READY_SECONDS
    while not cancelled() and not _answers(port):
        if not web.is_running() or time.monotonic() > deadline:
            raise ProgramFailed(f"The web does not start.\n{web.read_log()}")
        time.sleep(0.1)


def _answers(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/livez")
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True


def kill_and_restart(program: Program) -> None:
    """Kill a program with all that it started, and start it anew.

    Raises:
        ProgramFailed: it cannot be killed.
    """
    program.kill()
    deadline = time.monotonic() + _END_SECONDS
    while program.is_running():
        if time.monotonic() > deadline:
            raise ProgramFailed(f"The {program.name} does not end.")
        time.sleep(0.02)
    program.start()


def count_errors(log_path: Path) -> Counter[str]:
    """Count what a program logged as an error, by message and kind of exception."""
    counted: Counter[str] = Counter()
    for path in (log_path.with_suffix(".old.log"), log_path):
        if path.exists():
            for line in path.read_text("utf-8", "replace").splitlines():
                counted.update(_read_error(line))
    return counted


def _read_error(line: str) -> list[str]:
    try:
        entry = json.loads(line)
    except ValueError:
        return []  # cut off by a kill, or not of ours
    if not isinstance(entry, dict) or entry.get("level") not in ("error", "critical"):
        return []
    message, kind = str(entry.get("message", "")), str(entry.get("exception", ""))
    return [f"{message.splitlines()[0][:60]} {kind}".strip()]
