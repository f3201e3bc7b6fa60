"""Owns the name under which clients reach the socket in a data folder.

The socket always lies in the data folder itself, whose mode is its lock. A
system takes only about a hundred bytes for a socket's path, so a data folder
with a longer path gets a short link in a folder that only we can enter.

    find_socket_folder(Path("/srv/memsys/.memsys/postgres"))
"""

import hashlib
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from memsys.running.service import ServiceError

SOCKET_NAME = ".s.PGSQL.5432"
_MAX_PATH_BYTES = 103
_LINK_NAME = "data"


class NoSocketFolder(ServiceError):
    """No place takes a short link to the data folder."""


def find_socket_folder(data_dir: Path) -> Path:
    """Return the data folder, or a private short link to it if its path is long.

    Raises:
        NoSocketFolder: neither XDG_RUNTIME_DIR nor the temporary folder serves.
    """
    if _fits(data_dir):
        return data_dir
    for place in _list_places():
        # Another user may hold a name on purpose; then the next one is tried.
        for number in range(20):
            folder = place / f"memsys-{_digest(data_dir)}-{number}"
            if _fits(folder / _LINK_NAME) and _make_private(folder):
                return _link(folder / _LINK_NAME, data_dir)
    raise NoSocketFolder(
        f"the path {data_dir} is too long for a socket, and no short private "
        "folder can be made; set MEMSYS_DIR to a shorter path"
    )


def remove_socket_folder(data_dir: Path) -> None:
    """Remove the short links to a data folder, if there are any."""
    for place in _list_places():
        for folder in place.glob(f"memsys-{_digest(data_dir)}-*"):
            if _is_private(folder):
                (folder / _LINK_NAME).unlink(missing_ok=True)
                with suppress(OSError):
                    folder.rmdir()


def _fits(folder: Path) -> bool:
    # libpq takes a comma for the end of one host name of several.
    name = os.fsencode(folder / SOCKET_NAME)
    return len(name) <= _MAX_PATH_BYTES and b"," not in name


def _list_places() -> list[Path]:
    named = os.environ.get("XDG_RUNTIME_DIR", "")
    places = [Path(named)] if named.startswith("/") else []
    return [*places, Path(tempfile.gettempdir()), Path("/tmp")]


def _digest(data_dir: Path) -> str:
    return hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]


def _make_private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    return _is_private(folder)


def _is_private(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except OSError:
        return False
    is_closed = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    return is_closed and found.st_uid == os.geteuid()


def _link(link: Path, target: Path) -> Path:
    if not (link.is_symlink() and link.readlink() == target):
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    return link
