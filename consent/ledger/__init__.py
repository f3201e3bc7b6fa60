"""The erasure ledger: a file outside the database that a restore cannot turn back.

Owns its lines and what the database knows of them. A line is on disk before the
transaction that erases commits, so no erasure is done that the ledger does not know. It
holds ids, codes and dates; each line has the digest of the one before. Legal holds stand
in it too, so that a restore does not lose what was placed after the dump. The row of
`LedgerMark` is locked from the writing of a line to the commit: so at most one line, that
of a transaction which never committed, can be ahead of a database that was not restored.

Does not erase: `consent.erasures` does again what the database does not know.

>>> check()  # doctest: +SKIP
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction

from consent.errors import LedgerBehind, LedgerDamaged, LedgerError
from consent.ledger.lines import (
    HOLD_LIFTED,
    HOLD_PLACED,
    Entry,
    Line,
    Place,
    parse,
    to_line,
)
from consent.ledger.storage import (
    end_of,
    open_locked,
    path_of,
    read_last,
    read_texts,
    write,
)
from consent.models import ErasureRun, LedgerMark, LegalHold

__all__ = [
    "HOLD_LIFTED",
    "HOLD_PLACED",
    "Entry",
    "Line",
    "append",
    "append_erasure",
    "append_hold",
    "check",
    "count_missing",
    "is_behind",
    "lock_next",
    "note_known",
    "path_of",
    "read_known",
    "read_lines",
]

logger = logging.getLogger("memsys.erasures")


def is_behind() -> bool:
    """Say whether the ledger knows of erasures that this database has not done.

    One query and one read of the file's end, unless it seems so; then it waits for the
    erasure that may be committing, and looks again. Call it outside a transaction.

    Raises:
        LedgerDamaged: the ledger is missing, cut or edited.
    """
    return count_missing() > 0


def count_missing() -> int:
    """Return how many lines the database does not know; see `is_behind`."""
    # The file first: what it has then, the mark has or will have.
    last = read_last()
    ahead = _compare(last, _read_mark())
    if ahead > 0:
        with _waiting():
            ahead = _compare(read_last(), _read_mark())
    return ahead


def check() -> None:
    """Refuse to serve while the database is behind the ledger.

    Raises:
        LedgerBehind: erasures must be done again first.
        LedgerDamaged: the ledger is missing, cut or edited.
    """
    if missing := count_missing():
        raise LedgerBehind(
            f"The erasure ledger has {missing} line(s) that this database does not "
            "know: it was restored. Run `manage.py erasures replay` before serving."
        )


def append(entry: Entry) -> Line:
    """Write a line and mark it as known, in the transaction that erases.

    Holds the mark until the commit: call it last.

    Raises:
        LedgerBehind: there are lines that the database does not know.
        LedgerDamaged: the ledger is missing, cut or edited.
        LedgerUnwritable: the file takes no line.
    """
    mark = _lock_mark()
    with open_locked() as file:
        last = end_of(file)
        if _compare(last, mark) > 0:
            raise LedgerBehind("The ledger has lines that this database does not know.")
        line = to_line(entry, after=last)
        write(file, line)
    note_known(line)
    return line


def append_erasure(run: ErasureRun) -> None:
    """Write the line of an erasure whose `covers_until` is known; see `append`."""
    assert run.covers_until is not None
    append(
        Entry(
            run=run.pk,
            target=str(run.target),
            user=run.global_user_id,
            relationship=run.relationship_id,
            memory=run.memory,
            covers_until=run.covers_until,
            requested_at=run.requested_at,
            by=run.requested_by,
            reason_code=run.reason_code,
            receipt=run.receipt_code,
        )
    )


def append_hold(hold: LegalHold, step: str, *, by: str, at: datetime) -> None:
    """Write that a hold was placed or lifted, before the audit rows of the transaction.

    That no line can be written is told in the log and no error: the hold keeps all the
    same, and nothing is erased meanwhile either.
    """
    entry = Entry(
        run=hold.pk,
        target=step,
        user=hold.global_user_id,
        relationship=hold.relationship_id,
        memory=hold.memory,
        covers_until=at,
        requested_at=hold.placed_at,
        by=by,
        reason_code=hold.reason_code,
        receipt=hold.case_ref,
    )
    try:
        append(entry)
    except LedgerError:
        logger.exception("ledger.hold_not_written", extra={"hold": str(hold.pk)})


def note_known(line: Line) -> None:
    """Mark a line as known to the database, within the transaction that did it."""
    LedgerMark.objects.update_or_create(
        pk=1, defaults={"number": line.number, "digest": line.digest}
    )


def lock_next(line: Line) -> bool:
    """Hold the mark; say whether the line is the next one that it does not know."""
    return _lock_mark().number == line.number - 1


def read_lines(*, after: int = 0) -> Iterator[Line]:
    """Yield the lines after a number; every line is checked, from the first.

    Raises:
        LedgerDamaged: a line is edited, missing or no line, or the database's mark is
            not among them.
    """
    mark, last, seen = _read_mark(), Place(), False
    for text in read_texts():
        line = parse(text, after=last)
        last = Place(line.number, line.digest)
        seen = seen or last == mark
        if line.number > after:
            yield line
    if mark.number and not seen:
        _compare(last, mark)
        raise LedgerDamaged(f"The ledger's line {mark.number} was edited.")


def read_known() -> int:
    """Return the number of the last line that the database knows. One query."""
    return _read_mark().number


def _read_mark() -> Place:
    row = LedgerMark.objects.values_list("number", "digest").first()
    return Place(*row) if row is not None else Place()


def _lock_mark() -> Place:
    rows = LedgerMark.objects.select_for_update().values_list("number", "digest")
    row = rows.first()
    return Place(*row) if row is not None else Place()


@contextmanager
def _waiting() -> Iterator[None]:
    """Hold the mark for a look, so that no line is on its way to its commit."""
    with transaction.atomic():
        _lock_mark()
        yield


def _compare(last: Place, mark: Place) -> int:
    """Return by how many lines the file is ahead of the mark.

    Raises:
        LedgerDamaged: it is behind the mark, or not what the mark was set by.
    """
    if last.number < mark.number:
        what = "is missing" if last.number == 0 else f"is cut after line {last.number}"
        raise LedgerDamaged(
            f"The ledger {path_of()} {what}; this database knows {mark.number} line(s)."
        )
    if last.number == mark.number and last.digest != mark.digest:
        raise LedgerDamaged(f"The ledger's line {mark.number} was edited.")
    return last.number - mark.number
