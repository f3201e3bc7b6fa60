"""Works out the digests of sealed access rows again and compares them.

Owns the comparison of three: the rows, the stored batch, and what the audit chain
committed when it was sealed. That the chain itself is whole is the kernel's to say.

>>> [fault.text for report in verify_batches() for fault in report.faults]
... # doctest: +SKIP
['batch 0193…: 998 rows are there, 1000 were']
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from consent.reads.sealing import SEALED, list_chains
from memsys.kernel.audit.replay import ChainReport, Fault, FaultKind
from memsys.kernel.scope.staff import staff_role
from memsys.kernel.sql import load_sql

REPORT = "(access rows)"
PAGE = 50  # batches in one transaction
MAX_FAULTS = 1000
MAX_STRAYS = 100


@dataclass(frozen=True)
class SealedBatch:
    """A row of `sealed_batches.sql`, its columns in that order."""

    seq: int
    object_ref: str
    told_rows: str
    told_digest: str
    rows: int | None
    digest: str | None
    found_rows: int
    found_digest: str


def verify_batches() -> Iterator[ChainReport]:
    """Yield one report of all sealed batches; none when nothing was sealed yet.

    Raises:
        RuntimeError: a transaction is open.
    """
    count, faults = 0, list[Fault]()
    for chain in list_chains():
        for batch in _read(chain):
            count += 1
            if (fault := _compare(batch)) is not None:
                faults.append(fault)
    faults += _list_strays()
    if count or faults:
        kept = tuple(faults[:MAX_FAULTS])
        yield ChainReport(REPORT, count, 0, len(faults), kept)


def _compare(batch: SealedBatch) -> Fault | None:
    """Return what is wrong with a batch; the first difference tells."""
    name = batch.object_ref.partition(":")[2].partition("/")[0]
    kind, text = None, ""
    if batch.rows is None:
        kind, text = FaultKind.MISSING_BATCH, " is not stored any more"
    elif (batch.told_rows, batch.told_digest) != (str(batch.rows), batch.digest):
        kind, text = FaultKind.CHANGED_BATCH, " was sealed otherwise"
    elif batch.found_rows != batch.rows:
        kind = FaultKind.MISSING_READS
        text = f": {batch.found_rows} rows are there, {batch.rows} were"
    elif batch.found_digest != batch.digest:
        kind = FaultKind.CHANGED_READS
        text = f": of its {batch.rows} rows some were changed"
    return Fault(kind, batch.seq, f"batch {name}{text}") if kind is not None else None


def _read(chain: str) -> Iterator[SealedBatch]:
    """Yield what was sealed into one chain, a page in memory at a time."""
    after = 0
    while True:
        wanted = {"chain": chain, "action": SEALED, "after": after, "limit": PAGE}
        with staff_role():
            rows = _fetch("sealed_batches", wanted)
        yield from (SealedBatch(*row) for row in rows)
        if len(rows) < PAGE:
            return
        after = rows[-1][0]


def _list_strays() -> list[Fault]:
    with staff_role():
        rows = _fetch("stray_batches", {"action": SEALED, "limit": MAX_STRAYS})
    return [
        Fault(FaultKind.STRAY_BATCH, None, f"batch {batch}: no chain knows of it")
        for (batch,) in rows
    ]


def _fetch(name: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(load_sql("consent", name), parameters)
        return list(cursor.fetchall())
