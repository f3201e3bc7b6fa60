"""The file of the erasure ledger: read from its end or whole, appended to and synced.

>>> read_last()  # doctest: +SKIP
Place(number=0, digest='')
"""

import fcntl
import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from consent.errors import LedgerDamaged, LedgerUnwritable
from consent.ledger.lines import Line, Place, text_of

logger = logging.getLogger("memsys.erasures")

FILE = "erasures.jsonl"
TAIL_BYTES = 8192  # longer than any line


def path_of() -> Path:
    """Return where the ledger is."""
    return Path(settings.ERASURE_LEDGER_DIR) / FILE


def read_last() -> Place:
    """Return the place of the file's last line; one read.

    Raises:
        LedgerDamaged: it cannot be read, or is no ledger.
    """
    with _opened() as file:
        return end_of(file)


def end_of(file: BinaryIO) -> Place:
    """Return the last whole line's place, from the end of the file alone.

    Raises:
        LedgerDamaged: it is no line of a ledger.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - TAIL_BYTES, 0))
    lines = file.read().split(b"\n")[:-1]  # a torn line has not been committed
    if not lines:
        return Place()
    try:
        told = json.loads(lines[-1])
        return Place(int(told["number"]), str(told["digest"]))
    except (ValueError, KeyError, TypeError) as exc:
        raise LedgerDamaged("The ledger's last line is no line of it.") from exc


def read_texts() -> Iterator[bytes]:
    """Yield the whole lines of the file, unchecked.

    Raises:
        LedgerDamaged: it cannot be read.
    """
    with _opened() as file:
        for text in file:
            if text.endswith(b"\n"):
                yield text


@contextmanager
def _opened() -> Iterator[BinaryIO]:
    try:
        with _open() as file:
            yield file
    except OSError as exc:
        raise LedgerDamaged(f"The ledger {path_of()} cannot be read.") from exc


def _open() -> BinaryIO:
    """Open the file for reading; one that is missing has no line."""
    try:
        return path_of().open("rb")
    except FileNotFoundError:
        return BytesIO()


def open_locked() -> BinaryIO:
    """Open the file for appending; other processes wait until it is closed.

    Raises:
        LedgerUnwritable: it cannot be opened.
    """
    path = path_of()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = path.open("a+b")
        fcntl.flock(file, fcntl.LOCK_EX)
        path.chmod(0o600)
    except OSError as exc:
        raise LedgerUnwritable("The ledger cannot be opened for writing.") from exc
    return file


def write(file: BinaryIO, line: Line) -> None:
    """Append a line and wait until it is on disk, its folder's entry included.

    Raises:
        LedgerUnwritable: the file takes no line.
    """
    text = text_of(line)
    try:
        _cut_torn(file)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
        if line.number == 1:
            _sync_folder(path_of().parent)
    except OSError as exc:
        raise LedgerUnwritable("The ledger takes no line.") from exc


def _cut_torn(file: BinaryIO) -> None:
    """Drop what a crash left of a line that was never whole, nor committed."""
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(size - TAIL_BYTES, 0))
    tail = file.read()
    if tail and not tail.endswith(b"\n"):
        logger.warning("ledger.torn_line")
        file.truncate(start + tail.rfind(b"\n") + 1)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
