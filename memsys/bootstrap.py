"""Owns the project's own environment: `.venv`, filled from pyproject.toml.

It uses the standard library alone, since it runs before anything is installed,
and it installs nothing but the requirements: the code runs from its folder.
Starting servers is not its business.

    bootstrap.prepare(base_dir=Path("."), arguments=["up"])
"""

import errno
import fcntl
import hashlib
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import NoReturn

from memsys.running.installation import SetupError, create_venv, has_pip, install, say

EXTRAS_BY_COMMAND: Mapping[str, frozenset[str]] = {
    "up": frozenset(),
    "evaluate": frozenset(),
    "chaos": frozenset(),
    "test": frozenset({"test"}),
}
REQUIRED_FREE_BYTES = 1_200_000_000
# Set across the re-execution only, so that a broken environment ends in a
# message and not in a loop.
_MARK = "MEMSYS_ENVIRONMENT_PREPARED"


def prepare(*, base_dir: Path, arguments: Sequence[str]) -> None:
    """Return in an interpreter that has the requirements, or replace this process.

    `up`, `evaluate`, `chaos` and `test` create `.venv` when it is missing or out of date.
    Anything else, and a request for help, installs nothing.

    Raises:
        SetupError: nothing usable is there and nothing could be made.
    """
    command = arguments[0] if arguments else ""
    asks_for_help = bool({"-h", "--help"} & set(arguments))
    extras = EXTRAS_BY_COMMAND.get(command)
    if command == "test" and os.environ.get("CI"):
        # Where a test that needs a browser may not be skipped.
        extras = EXTRAS_BY_COMMAND[command] | {"browser"}
    if extras is None or asks_for_help:
        _require_environment(base_dir, extras or frozenset())
    else:
        _ensure_environment(base_dir, extras)


def _ensure_environment(base_dir: Path, extras: frozenset[str]) -> None:
    was_prepared = os.environ.pop(_MARK, None) is not None
    inside = _is_inside(base_dir)
    if not inside and not list_missing(base_dir=base_dir, extras=extras):
        return
    if is_current(base_dir=base_dir, extras=extras):
        if inside:
            return
    else:
        _build(base_dir, extras)
    if was_prepared:
        raise SetupError(".venv was made but does not work; delete it and try again.")
    _run_again(base_dir)


def _require_environment(base_dir: Path, extras: frozenset[str]) -> None:
    was_prepared = os.environ.pop(_MARK, None) is not None
    missing = list_missing(base_dir=base_dir, extras=extras)
    if not missing:
        return
    if was_prepared or _is_inside(base_dir) or not _python(base_dir).exists():
        command = "test" if extras else "up"
        raise SetupError(
            f"run `python3 manage.py {command}` first; "
            f"this Python lacks {', '.join(missing[:3])}"
            + (f" and {len(missing) - 3} more." if len(missing) > 3 else ".")
        )
    _run_again(base_dir)


def list_missing(*, base_dir: Path, extras: frozenset[str]) -> list[str]:
    """List the required distributions that the running interpreter lacks."""
    missing = []
    for requirement in list_requirements(base_dir=base_dir, extras=extras):
        name = name_of(requirement)
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
    return missing


def name_of(requirement: str) -> str:
    """Return the name that a requirement begins with.

    >>> name_of("psycopg[binary,pool]>=3.2")
    'psycopg'
    """
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]


def list_requirements(*, base_dir: Path, extras: Iterable[str]) -> list[str]:
    """List the requirements of pyproject.toml, those of the extras last."""
    with (base_dir / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    requirements = list(project["dependencies"])
    for extra in sorted(extras):
        requirements += project["optional-dependencies"][extra]
    return requirements


def is_current(*, base_dir: Path, extras: frozenset[str]) -> bool:
    """Tell whether `.venv` holds these extras as pyproject.toml now asks."""
    digest, installed = _read_stamp(base_dir)
    exists = _python(base_dir).exists()
    return exists and digest == _digest(base_dir) and extras <= installed


def _build(base_dir: Path, extras: frozenset[str]) -> None:
    _check_folder(base_dir)
    try:
        with _lock(base_dir):
            if is_current(base_dir=base_dir, extras=extras):
                return
            extras |= _read_stamp(base_dir)[1]
            _stamp_path(base_dir).unlink(missing_ok=True)
            if not has_pip(base_dir / ".venv"):
                create_venv(base_dir / ".venv")
            install(
                folder=base_dir / ".venv",
                requirements=list_requirements(base_dir=base_dir, extras=extras),
                constraints=base_dir / ".ci" / "constraints.txt",
            )
            _write_stamp(base_dir, extras)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise SetupError("the disk became full while .venv was made.") from error
        raise SetupError(f"cannot make .venv: {error}") from error
    except KeyboardInterrupt:
        raise SetupError("stopped; the same command goes on from here.") from None


def _check_folder(base_dir: Path) -> None:
    if not os.access(base_dir, os.W_OK):
        raise SetupError(f"{base_dir} is read-only for you; .venv is made in it.")
    free = shutil.disk_usage(base_dir).free
    if free < REQUIRED_FREE_BYTES:
        raise SetupError(
            f"{base_dir} has {free // 10**6} MB free; "
            f".venv needs {REQUIRED_FREE_BYTES // 10**6} MB."
        )


@contextmanager
def _lock(base_dir: Path) -> Iterator[None]:
    with (base_dir / ".venv.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another run is making .venv; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run_again(base_dir: Path) -> NoReturn:
    python = str(_python(base_dir))
    environment = {**os.environ, _MARK: "1"}
    environment.pop("PYTHONHOME", None)
    arguments = [python, str(base_dir / "manage.py"), *sys.argv[1:]]
    sys.stdout.flush()
    os.execve(python, arguments, environment)


def _is_inside(base_dir: Path) -> bool:
    return Path(sys.prefix).resolve() == (base_dir / ".venv").resolve()


def _python(base_dir: Path) -> Path:
    return base_dir / ".venv" / "bin" / "python"


def _stamp_path(base_dir: Path) -> Path:
    return base_dir / ".venv" / "memsys-stamp"


def _digest(base_dir: Path) -> str:
    parts = (base_dir / "pyproject.toml", base_dir / ".ci" / "constraints.txt")
    return hashlib.sha256(b"\0".join(part.read_bytes() for part in parts)).hexdigest()


def _read_stamp(base_dir: Path) -> tuple[str, frozenset[str]]:
    """Read the digest and the extras of the last finished installation."""
    try:
        digest, *extras = _stamp_path(base_dir).read_text("utf-8").split()
    except (OSError, ValueError):
        return "", frozenset()
    return digest, frozenset(extras)


def _write_stamp(base_dir: Path, extras: frozenset[str]) -> None:
    path = _stamp_path(base_dir)
    unfinished = path.with_suffix(".new")
    unfinished.write_text(" ".join([_digest(base_dir), *sorted(extras)]), "utf-8")
    unfinished.replace(path)
