"""Owns what a running `up` leaves for other commands to find: `.memsys/run.json`.

It holds who runs and under which addresses. It starts and stops nothing.

    environment = load_environment(Path("."), command="ingest")
"""

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from memsys.running.processes import ProcessIdentity, is_alive

_RUN_NAME = "run.json"
# Every other command works with the rights of the web and the workers.
_PRIVILEGED: Mapping[str, frozenset[str]] = {
    "DATABASE_OWNER_URL": frozenset({"migrate", "prepare_database"}),
    "DATABASE_ADMIN_URL": frozenset({"prepare_database"}),
    "DATABASE_MAINTENANCE_URL": frozenset({"prepare_database", "erasure_scan"}),
}


@dataclass(frozen=True)
class Run:
    """One run of `up`: its own process, its services' and the environment."""

    supervisor: ProcessIdentity
    base_url: str
    environment: Mapping[str, str] = field(repr=False)
    services: Mapping[str, ProcessIdentity]


def get_memsys_dir(base_dir: Path) -> Path:
    """Return the folder of data, MEMSYS_DIR or `.memsys`; below `base_dir` if relative.

    >>> get_memsys_dir(Path("/srv/memsys"))
    PosixPath('/srv/memsys/.memsys')
    """
    return base_dir / (os.environ.get("MEMSYS_DIR") or ".memsys")


def load_environment(base_dir: Path, *, command: str = "") -> dict[str, str] | None:
    """Return what a command beside a running `up` lacks; None when none runs.

    What the environment has already, itself or as `<NAME>_FILE`, is left out.
    """
    run = read_run(get_memsys_dir(base_dir))
    if run is None or not is_alive(run.supervisor):
        return None
    return {
        name: value
        for name, value in limit_rights(run.environment, command=command).items()
        if not is_given(name.removesuffix("_FILE"))
    }


def is_given(name: str) -> bool:
    """Tell whether the environment has a setting, itself or as `<NAME>_FILE`."""
    return bool(os.environ.get(name) or os.environ.get(f"{name}_FILE"))


def limit_rights(environment: Mapping[str, str], *, command: str) -> dict[str, str]:
    """Return an environment without the addresses that a command must not hold.

    >>> limit_rights({"DATABASE_OWNER_URL": "postgres://o@/"}, command="ingest")
    {}
    """
    return {
        name: value
        for name, value in environment.items()
        if command in _PRIVILEGED.get(name.removesuffix("_FILE"), {command})
    }


def read_run(folder: Path) -> Run | None:
    """Return the last run that was noted in this folder, whether it lives or not."""
    try:
        content = json.loads((folder / _RUN_NAME).read_text("utf-8"))
        return Run(
            supervisor=ProcessIdentity(**content["supervisor"]),
            base_url=content["base_url"],
            environment=dict(content["environment"]),
            services={
                name: ProcessIdentity(**identity)
                for name, identity in content["services"].items()
            },
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_run(folder: Path, run: Run) -> None:
    _write_private(folder / _RUN_NAME, json.dumps(asdict(run), indent=1))


def remove_run(folder: Path) -> None:
    (folder / _RUN_NAME).unlink(missing_ok=True)


def keep_secret_key(folder: Path) -> Path:
    """Return the file with this folder's secret key; it is made once and kept."""
    path = folder / "secret_key"
    if not path.exists():
        _write_private(path, secrets.token_urlsafe(50))
    return path


def _write_private(path: Path, text: str) -> None:
    unfinished = path.with_name(path.name + ".new")
    with suppress(FileNotFoundError):
        unfinished.unlink()
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    unfinished.replace(path)
