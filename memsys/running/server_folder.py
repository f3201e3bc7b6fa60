"""Owns the files around one server's data folder: its lock, log and state.

They lie beside the folder and not in it, since the server may run as another
account, which must not be able to plant files that we read.

    folder = ServerFolder(Path(".memsys/valkey"))
    folder.log_path  # .memsys/valkey.log
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memsys.running.processes import Account, ProcessIdentity


class ServerFolder:
    """A data folder and the files that go with it."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir.resolve()
        self.log_path = self._beside(".log")
        self.unfinished = self._beside(".new")
        self._state_path = self._beside(".json")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder against every other process that starts or stops it."""
        self.data_dir.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._beside(".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def read_state(self) -> dict[str, str]:
        """Read what `write_state` kept; empty when there is nothing readable."""
        try:
            content = json.loads(self._state_path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    def write_state(self, state: Mapping[str, str]) -> None:
        unfinished = self._state_path.with_suffix(".json.new")
        unfinished.touch(mode=0o600)
        unfinished.write_text(json.dumps(dict(state)), "utf-8")
        unfinished.replace(self._state_path)

    def read_identity(self) -> ProcessIdentity | None:
        """Return the process that was noted as this folder's server, alive or not."""
        state = self.read_state()
        try:
            return ProcessIdentity(int(state["pid"]), state["started"])
        except (KeyError, ValueError):
            return None

    def write_identity(self, identity: ProcessIdentity | None, **more: str) -> None:
        """Note the folder's server, with whatever else belongs to its state."""
        if identity is not None:
            more |= {"pid": str(identity.pid), "started": identity.started}
        self.write_state(more)

    def make(self, *, account: Account | None) -> None:
        """Make the data folder, open to the server's account alone."""
        make_private(self.data_dir, account=account)

    def make_unfinished(self, *, account: Account | None) -> Path:
        """Make an empty folder beside it, in place of what a killed run left."""
        if self.unfinished.exists():
            shutil.rmtree(self.unfinished)
        make_private(self.unfinished, account=account)
        return self.unfinished

    def finish(self) -> None:
        """Put the folder of `make_unfinished` into place, at once and whole."""
        if self.data_dir.exists():
            self.data_dir.rmdir()
        self.unfinished.rename(self.data_dir)

    def _beside(self, suffix: str) -> Path:
        return self.data_dir.with_name(self.data_dir.name + suffix)


def make_private(folder: Path, *, account: Account | None = None) -> None:
    """Make a folder, if it is missing, that one account alone can enter."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if account is not None:
        os.chown(folder, account.uid, account.gid)
