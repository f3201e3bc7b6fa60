"""Owns what a process is to us: its identity, its log, how it is stopped.

Which programs run, and why, is decided by `embedded` and `startup`.

    identity = identify(os.getpid())
    assert identity is not None and is_alive(identity)
"""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_LOG_BYTES_BEFORE_ROTATION = 10_000_000
_HAS_PROC = Path("/proc/self/stat").exists()


@dataclass(frozen=True)
class ProcessIdentity:
    """A process id and its start, which together no other process ever has."""

    pid: int
    started: str


@dataclass(frozen=True)
class Account:
    """The system account that a program runs as."""

    uid: int
    gid: int


def identify(pid: int) -> ProcessIdentity | None:
    """Return the identity of a living process; None for a gone one or a zombie."""
    if _HAS_PROC:
        return _identify_by_proc(pid)
    listing = subprocess.run(
        ["ps", "-o", "state=,lstart=", "-p", str(pid)], capture_output=True, text=True
    )
    state, _, started = listing.stdout.strip().partition(" ")
    if not state or state.startswith("Z"):
        return None
    return ProcessIdentity(pid, " ".join(started.split()))


def _identify_by_proc(pid: int) -> ProcessIdentity | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The command's name stands in brackets and may hold spaces and brackets.
    fields = stat.rpartition(")")[2].split()
    state, start_ticks = fields[0], fields[19]
    # Ticks since the start of the machine do not move when its clock is set.
    return None if state in "ZX" else ProcessIdentity(pid, f"{boot_id}/{start_ticks}")


def is_alive(identity: ProcessIdentity) -> bool:
    """Tell whether this very process still runs."""
    return identify(identity.pid) == identity


def find_program_name(pid: int) -> str:
    """Return the name of the program that a process runs; empty if it is gone."""
    if _HAS_PROC:
        try:
            return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
        except (FileNotFoundError, ProcessLookupError):
            return ""
    listing = subprocess.run(
        ["ps", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True
    )
    return Path(listing.stdout.strip()).name


class LoggedProcess:
    """A program in a process group of its own that writes to one log file.

    It may also stand for a program that an earlier run of ours started; such a
    one is given by its identity.
    """

    def __init__(
        self, *, log_path: Path, identity: ProcessIdentity | None = None
    ) -> None:
        self.log_path = log_path
        self.identity = identity
        self._child: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    def spawn(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        account: Account | None = None,
        stdin_text: str = "",
    ) -> None:
        """Start the program; returns as soon as it runs, ready or not."""
        self._rotate_log()
        with self.log_path.open("ab") as log:
            self._log_start = log.tell()
            self._child = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                stdin=subprocess.PIPE if stdin_text else subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o077,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
            )
        self.identity = identify(self._child.pid)
        if self._child.stdin:
            # A program that ends before it reads shows in is_running().
            with suppress(BrokenPipeError), self._child.stdin as stdin:
                stdin.write(stdin_text.encode())

    def is_running(self) -> bool:
        if self._child is not None:
            return self._child.poll() is None
        return self.identity is not None and is_alive(self.identity)

    @property
    def pid(self) -> int | None:
        return self.identity.pid if self.identity and self.is_running() else None

    @property
    def exit_code(self) -> int | None:
        """The exit code of a program that this process started and that has ended."""
        return None if self._child is None else self._child.poll()

    def explain_end(self) -> str:
        """Return one line on how the program ended."""
        code = self.exit_code
        if code is None:
            return "it is gone"
        if code < 0:
            return f"signal {-code}"
        return f"exit code {code}: {self.read_log(max_lines=1)}"

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program alone; nothing happens if it is gone."""
        if (pid := self.pid) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill_group(self) -> None:
        """Kill the program and all that it started."""
        if self.identity is None:
            return
        successor = identify(self.identity.pid)
        if successor is not None and successor != self.identity:
            return
        # The number of a dead leader is not given out again while a member of
        # its group lives, so this reaches the group's members or nobody.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.identity.pid, signal.SIGKILL)

    def wait(self, *, seconds: float) -> bool:
        """Wait until the program has ended; False when it runs on after that long."""
        deadline = time.monotonic() + seconds
        while self.is_running():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def stop(self, steps: Sequence[tuple[signal.Signals, float]]) -> None:
        """Send each signal and wait its seconds; at last kill the whole group."""
        for number, seconds in steps:
            self.send(number)
            if self.wait(seconds=seconds):
                break
        self.kill_group()
        self.wait(seconds=5)

    def read_log(self, *, max_lines: int = 12) -> str:
        """Return the last lines that the program wrote since its start."""
        try:
            with self.log_path.open("rb") as log:
                log.seek(self._log_start)
                text = log.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return ""
        return "\n".join(text.strip().splitlines()[-max_lines:])

    def _rotate_log(self) -> None:
        self.log_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            if self.log_path.stat().st_size > _LOG_BYTES_BEFORE_ROTATION:
                self.log_path.replace(self.log_path.with_suffix(".old.log"))
