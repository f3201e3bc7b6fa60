"""The search through the files of an installation: logs, ledger, whatever lies there.

A database's own folder is left out, and told: what was deleted stands in its pages until
they are vacuumed, and in its log until that is recycled.

>>> list(search_files([Path(".memsys")], forms_of("暗号")))  # doctest: +SKIP
"""

import gzip
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from memsys.runfile import get_memsys_dir
from memsys.scanning.forms import WINDOW_BYTES, Forms
from memsys.scanning.results import Found, ScanFailed

MARK_OF_DATABASE = "PG_VERSION"
MARK_OF_GZIP = b"\x1f\x8b"
HIDDEN = "file: (a file whose name holds the text)"


@dataclass(frozen=True)
class Listed:
    """The files to look into, and the folders that are left out."""

    files: tuple[Path, ...]
    left_out: tuple[Path, ...]


def list_roots() -> list[Path]:
    """Return the folders of this installation, none of which lies in another."""
    places = (
        get_memsys_dir(settings.BASE_DIR),
        settings.ERASURE_LEDGER_DIR,
        settings.AUDIT_HEADS_DIR,
    )
    roots = {Path(one).resolve() for one in places}
    return [
        one for one in sorted(roots) if not any(other in one.parents for other in roots)
    ]


def list_files(roots: Iterable[Path]) -> Listed:
    """Return the plain files below some folders; links are not followed.

    Raises:
        ScanFailed: a folder cannot be read.
    """
    files: list[Path] = []
    left_out: list[Path] = []
    for root in roots:
        for folder, below, names in os.walk(root, onerror=_refuse):
            if MARK_OF_DATABASE in names:
                left_out.append(Path(folder))
                below.clear()
                continue
            files += [Path(folder, name) for name in names]
    return Listed(tuple(files), tuple(left_out))


def _refuse(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise ScanFailed(f"{error.filename} cannot be read.") from error


def search_files(files: Iterable[Path], forms: Forms) -> Iterator[Found]:
    """Yield each file that holds one of the forms, in its name or its bytes.

    What gzip packed, such as an old log, is looked into.

    Raises:
        ScanFailed: a file cannot be read.
    """
    for path in files:
        if forms.are_in(str(path).encode(errors="surrogateescape")):
            yield Found(HIDDEN, 1)
        elif forms.are_in_any(_read(path)):
            yield Found(f"file: {path}", 1)


def _read(path: Path) -> Iterator[bytes]:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return
        with path.open("rb") as plain:
            is_packed = plain.read(2) == MARK_OF_GZIP
            plain.seek(0)
            file: Any = gzip.GzipFile(fileobj=plain) if is_packed else plain
            while window := file.read(WINDOW_BYTES):
                yield window
    except FileNotFoundError:
        return
    except (OSError, EOFError, zlib.error) as exc:
        raise ScanFailed(f"{path} cannot be read.") from exc
