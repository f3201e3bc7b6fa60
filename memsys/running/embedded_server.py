"""Owns what the bundled servers have in common: adopt, wait, stop.

What each of them is started with is in `memsys.embedded`.

    server.start()
    assert server.is_running()
"""

import signal
import time
from collections.abc import Callable
from pathlib import Path

from memsys.running.account import NoServerAccount, find_account
from memsys.running.processes import Account, LoggedProcess, ProcessIdentity, is_alive
from memsys.running.server_folder import ServerFolder
from memsys.running.service import ServiceError
from memsys.running.socket_folder import NoSocketFolder


class EmbeddedServerError(ServiceError):
    """A bundled server cannot be started; the text tells the person why."""


class EmbeddedServer:
    """What the bundled servers share: whether they run, and as which process."""

    name: str
    stop_steps: tuple[tuple[signal.Signals, float], ...]
    kill_steps: tuple[tuple[signal.Signals, float], ...]

    def __init__(self, data_dir: Path) -> None:
        self._folder = ServerFolder(Path(data_dir))
        self.data_dir = self._folder.data_dir
        self._process = LoggedProcess(log_path=self._folder.log_path)

    def start(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Return when the server of this folder answers, ours or a running one.

        Raises:
            EmbeddedServerError: it does not start, or `cancelled` became true.
        """
        try:
            with self._folder.lock():
                account = find_account(owner_of=self.data_dir)
                self._bring_up(account, cancelled)
        except (NoServerAccount, NoSocketFolder, OSError) as error:
            raise EmbeddedServerError(f"{self.name}: {error}") from error

    def stop(self) -> None:
        """Stop the server in good order; returns when it has ended."""
        if self.is_running():
            with self._folder.lock():
                self._process.stop(self.stop_steps)

    def kill(self) -> None:
        """Stop the server at once."""
        if self.is_running():
            self._process.stop(self.kill_steps)

    def is_running(self) -> bool:
        if not self._process.is_running() and (identity := self._find_identity()):
            self._process = LoggedProcess(
                log_path=self._folder.log_path, identity=identity
            )
        return self._process.is_running()

    @property
    def identity(self) -> ProcessIdentity | None:
        return self._process.identity if self.is_running() else None

    @property
    def pid(self) -> int | None:
        return identity.pid if (identity := self.identity) else None

    def explain_end(self) -> str:
        """Return one line on how the server ended."""
        return self._process.explain_end()

    def read_log(self) -> str:
        """Return the last lines that the server logged."""
        return self._process.read_log()

    def _find_identity(self) -> ProcessIdentity | None:
        noted = self._folder.read_identity()
        return noted if noted and is_alive(noted) else None

    def _bring_up(self, account: Account | None, cancelled: Callable[[], bool]) -> None:
        raise NotImplementedError

    def _answers(self) -> bool:
        raise NotImplementedError

    def _wait_for_answer(
        self, cancelled: Callable[[], bool], *, seconds: float
    ) -> bool:
        """Wait for an answer; False when the server ends before it gives one."""
        deadline = time.monotonic() + seconds
        while self.is_running():
            if self._answers():
                return True
            if cancelled():
                raise EmbeddedServerError(f"{self.name}: stopped while it was starting")
            if time.monotonic() > deadline:
                raise EmbeddedServerError(
                    f"{self.name} (process {self.pid}) gives no answer after "
                    f"{seconds:.0f} s; its log is {self._folder.log_path}"
                )
            time.sleep(0.1)
        return False

    def _fail(self) -> EmbeddedServerError:
        log = self.read_log().replace("\n", "\n  ")
        return EmbeddedServerError(f"{self.name} does not start:\n  {log}")
