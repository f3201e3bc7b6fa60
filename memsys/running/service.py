"""Owns what the supervisor may ask of anything that it keeps running.

web = Program(name="web", command=["python", "-m", "gunicorn"], ...)
web.start()
"""

import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from memsys.running.processes import LoggedProcess, ProcessIdentity


class ServiceError(Exception):
    """A service cannot be started; the text tells the person why."""


class Service(Protocol):
    """One long-running part of a running memsys."""

    name: str

    def start(self, *, cancelled: Callable[[], bool] = ...) -> None:
        """Start it, or do nothing when it runs.

        Raises:
            ServiceError: it does not start, or `cancelled` became true.
        """

    def stop(self) -> None:
        """Stop it in good order; returns when it has ended."""

    def kill(self) -> None:
        """Stop it at once."""

    def is_running(self) -> bool: ...

    @property
    def identity(self) -> ProcessIdentity | None:
        """The process that it runs as; None when it does not run."""

    def explain_end(self) -> str:
        """Return one line on how it ended."""


class Program:
    """A program of our own that runs until it is told to stop."""

    def __init__(
        self,
        *,
        name: str,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        log_path: Path,
        stop_seconds: float = 8.0,
    ) -> None:
        self.name = name
        self._command = command
        self._folder = folder
        self._environment = environment
        self._stop_seconds = stop_seconds
        self.log_path = log_path
        self._process = LoggedProcess(log_path=log_path)

    def start(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Start it anew, after what is left of the last start is gone."""
        if self.is_running() or cancelled():
            return
        self._process.kill_group()
        try:
            self._process.spawn(
                self._command, folder=self._folder, environment=self._environment
            )
        except OSError as error:
            raise ServiceError(f"{self.name}: {error}") from error

    def stop(self) -> None:
        self._process.stop(((signal.SIGTERM, self._stop_seconds),))

    def kill(self) -> None:
        self._process.kill_group()

    def is_running(self) -> bool:
        return self._process.is_running()

    @property
    def identity(self) -> ProcessIdentity | None:
        return self._process.identity if self.is_running() else None

    def explain_end(self) -> str:
        return self._process.explain_end()

    def read_log(self) -> str:
        """Return the last lines that it logged since its start."""
        return self._process.read_log()
