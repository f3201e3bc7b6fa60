"""Heads of the chains in files outside the database, a file a month, only added to.

Owns the files and the proof that they are whole. Each publication adds all heads as JSON
lines, then records a deed that holds the file's length and digest: the files vouch for
the chains, and the chains for the files.

>>> publish_heads(by="system:audit", now=now)  # doctest: +SKIP
Published(file='heads-2026-12.jsonl', heads=18)
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction

from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.audit.replay import Fault, FaultKind, Head
from memsys.kernel.audit.verification import list_heads
from memsys.kernel.scope.staff import staff_role

HEADS_CHAIN = "heads"
PUBLISHED = "audit.heads_published"
DAYS_OF = ZoneInfo("Asia/Shanghai")
_REFERENCE = re.compile(r"heads_file:(heads-\d{4}-\d{2}\.jsonl)/(\d+)/([0-9a-f]{64})")


@dataclass(frozen=True)
class Published:
    """One publication: into which file, and how many heads."""

    file: str
    heads: int


@dataclass(frozen=True)
class Mark:
    """What the chains say of a file: so many bytes, with this digest, at that time."""

    file: str
    size: int
    digest: str
    at: datetime


@dataclass(frozen=True)
class Kept:
    """The heads that the files hold, and what is wrong with the files."""

    heads: tuple[Head, ...]
    faults: tuple[Fault, ...]


class HeadsUnreadable(Exception):
    """A line is no head; the place is told, and nothing of the line."""


def publish_heads(*, by: str, now: datetime) -> Published:
    """Add the head of every chain to the month's file, and record that.

    The lines are on the disk before the deed is recorded. When that fails, they stay,
    and the next deed covers them.
    """
    name = f"heads-{now.astimezone(DAYS_OF):%Y-%m}.jsonl"
    with _locked_folder() as folder:
        heads = list_heads()
        lines = "".join(json.dumps(line_of(one, read_at=now)) + "\n" for one in heads)
        _cut_torn(folder / name)
        _add(folder / name, lines.encode())
        text = (folder / name).read_bytes()
        digest = hashlib.sha256(text).hexdigest()
        with transaction.atomic():
            record(
                Deed(
                    chain=HEADS_CHAIN,
                    action=PUBLISHED,
                    actor=by,
                    object_ref=f"heads_file:{name}/{len(text)}/{digest}",
                )
            )
    return Published(file=name, heads=len(heads))


def read_published() -> Kept:
    """Return all heads in the files, and which files are missing, cut or edited."""
    folder = Path(settings.AUDIT_HEADS_DIR)
    marks = _list_marks()
    texts = {
        path.name: path.read_bytes() for path in sorted(folder.glob("heads-*.jsonl"))
    }
    faults: list[Fault] = []
    for name in sorted({mark.file for mark in marks}):
        of_file = [mark for mark in marks if mark.file == name]
        faults += _check_file(name, texts.get(name), of_file)
    heads: list[Head] = []
    for name, text in texts.items():
        found, unread = _read_good_lines(name, text)
        heads += found
        # Where lines are edited, the digest names the file already.
        faults += [] if any(name in one.text for one in faults) else unread
    return Kept(tuple(heads), tuple(faults))


def find_last_mark() -> Mark | None:
    """Return what was published last, or None. One query, as the staff's role."""
    with staff_role():
        rows = AuditEntry.objects.filter(chain=HEADS_CHAIN, action=PUBLISHED)
        row = rows.order_by("-seq").first()
    return _mark(row) if row is not None else None


def line_of(head: Head, *, read_at: datetime) -> dict[str, Any]:
    """Return a head as it is written down."""
    return {
        "chain": head.chain,
        "seq": head.seq,
        "digest": head.digest.hex(),
        "read_at": read_at.isoformat(),
    }


def read_head(line: str) -> Head:
    """Return the head in a line.

    Raises:
        HeadsUnreadable: there is none.
    """
    try:
        told = json.loads(line)
        return Head(str(told["chain"]), int(told["seq"]), bytes.fromhex(told["digest"]))
    except (ValueError, KeyError, TypeError) as exc:
        raise HeadsUnreadable("expected chain, seq and digest.") from exc


def _list_marks() -> list[Mark]:
    """Return what the chain says of each file, in its order. One query."""
    with staff_role():
        rows = AuditEntry.objects.filter(chain=HEADS_CHAIN, action=PUBLISHED)
        marks = [_mark(row) for row in rows.order_by("seq", "pk").iterator()]
    return [mark for mark in marks if mark is not None]


def _mark(row: AuditEntry) -> Mark | None:
    found = _REFERENCE.fullmatch(row.object_ref)
    if found is None or row.at is None:
        return None
    return Mark(found[1], int(found[2]), found[3], row.at)


def _check_file(name: str, text: bytes | None, marks: list[Mark]) -> list[Fault]:
    """Compare a file with each mark of it; the first that fails says where."""
    if text is None:
        return [Fault(FaultKind.MISSING_FILE, None, f"{name} is gone")]
    before = 0
    for mark in marks:
        if len(text) < mark.size:
            told = f"{name} ends after {len(text)} of {marks[-1].size} bytes"
            return [Fault(FaultKind.CUT_FILE, None, told)]
        if hashlib.sha256(text[: mark.size]).hexdigest() != mark.digest:
            first = text[:before].count(b"\n") + 1
            last = text[: mark.size].count(b"\n")
            told = f"{name} was edited, in the lines {first} to {last}"
            return [Fault(FaultKind.EDITED_FILE, None, told)]
        before = mark.size
    return []


def _read_good_lines(name: str, text: bytes) -> tuple[list[Head], list[Fault]]:
    heads, faults = [], []
    whole = text[: _end_of_lines(text)].decode("utf-8", "replace")
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            heads.append(read_head(line))
        except HeadsUnreadable:
            told = f"{name}, line {number} is no head"
            faults.append(Fault(FaultKind.EDITED_FILE, None, told))
    return heads, faults[:1]


@contextmanager
def _locked_folder() -> Iterator[Path]:
    """Hold the folder of the files, made if it is missing, for one publication."""
    folder = Path(settings.AUDIT_HEADS_DIR)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield folder
        os.fsync(handle)
    finally:
        os.close(handle)


def _end_of_lines(text: bytes) -> int:
    """Return where the last whole line ends; what follows was torn off by a crash."""
    return text.rfind(b"\n") + 1


def _cut_torn(path: Path) -> None:
    """Drop a line that was never whole: no record covers it."""
    text = path.read_bytes() if path.exists() else b""
    if _end_of_lines(text) < len(text):
        os.truncate(path, _end_of_lines(text))


def _add(path: Path, text: bytes) -> None:
    """Add to a file, on the disk when this returns; whole lines are never touched."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        while text:
            text = text[os.write(handle, text) :]
        os.fsync(handle)
    finally:
        os.close(handle)
