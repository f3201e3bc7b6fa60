"""The search through the files of an installation: logs, ledger, whatever lies there.

A database's own folder is left out, and told: what was deleted stands in its pages until
they are vacuumed, and in its log until that is recycled.

>>> list(search_files([Path(".memsys")], forms_of("暗号")))  # doctest: +SKIP
"""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from memsys.runfile import get_memsys_dir
from memsys.scanning.forms import WINDOW_BYTES, Forms
from memsys.scanning.results import Found, ScanFailed

MARK_OF_DATABASE = "PG_VERSION"
HIDDEN = "file: (a file whose name holds the text)"


@dataclass(frozen=True)
class Listed:
    """The files to look into, and the folders that are left out."""

    files: tuple[Path, ...]
    left_out: tuple[Path, ...]


def list_roots() -> list[Path]:
    """Return the folders of this installation."""
    roots = [get_memsys_dir(settings.BASE_DIR), Path(settings.ERASURE_LEDGER_DIR)]
    return [
        one
        for one in roots
        if not any(one != other and other in one.parents for other in roots)
    ]


def list_files(roots: Iterable[Path]) -> Listed:
    """Return the plain files below some folders; links are not followed."""
    files: list[Path] = []
    left_out: list[Path] = []
    for root in roots:
        for folder, below, names in os.walk(root):
            if MARK_OF_DATABASE in names:
                left_out.append(Path(folder))
                below.clear()
                continue
            files += [Path(folder, name) for name in names]
    return Listed(tuple(files), tuple(left_out))


def search_files(files: Iterable[Path], forms: Forms) -> Iterator[Found]:
    """Yield each file that holds one of the forms, in its name or its bytes.

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
        with path.open("rb") as file:
            while window := file.read(WINDOW_BYTES):
                yield window
    except FileNotFoundError:
        return
    except OSError as exc:
        raise ScanFailed(f"{path} cannot be read.") from exc
