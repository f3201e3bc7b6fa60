"""Verifies the stored audit chains, as the staff role, in bounded memory.

Owns the reading: chains, heads and rows in batches. What is compared is `replay`'s.
An entry that is added meanwhile is left for the next time.

>>> all(not report.faults for report in verify_chains())  # doctest: +SKIP
True
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from memsys.kernel.audit.errors import ChainNotFound
from memsys.kernel.audit.replay import (
    ChainReport,
    Fault,
    FaultKind,
    Head,
    Replay,
    StoredEntry,
)
from memsys.kernel.scope.staff import staff_role
from memsys.kernel.sql import load_sql

BATCH_ROWS = 500
MAX_STRAYS = 100
LOWEST_ID = UUID(int=0)
LOWEST_SEQ = -(2**63)
NO_CHAIN = "(no chain)"


@dataclass(frozen=True)
class StoredChain:
    """A chain's name, its head, and where its entries ended at that moment."""

    name: str
    head: Head | None
    last_seq: int


def list_heads() -> list[Head]:
    """Return the head of every chain, to be kept outside the database. One query."""
    with staff_role():
        return [one.head for one in _list_chains() if one.head is not None]


def verify_chains(
    *, chain: str | None = None, published: Iterable[Head] = ()
) -> Iterator[ChainReport]:
    """Yield what is found in each chain, or in one; a transaction for each.

    `published` are heads from outside: the entries that they name must still be
    there. Payloads whose entry is gone are looked for when all chains are verified.

    Raises:
        ChainNotFound: there is no such chain, and none was published.
        RuntimeError: a transaction is open.
    """
    kept = _by_chain(published)
    with staff_role():
        stored = {one.name: one for one in _list_chains()}
    names = sorted(stored.keys() | kept.keys()) if chain is None else [chain]
    for name in names:
        if name not in stored and name not in kept:
            raise ChainNotFound("There is no audit chain of this name.")
        found = stored.get(name, StoredChain(name, None, 0))
        with staff_role():
            report = _verify(found, kept.get(name, {}))
        yield report
    if chain is None:
        yield from _report_strays()


def _by_chain(published: Iterable[Head]) -> dict[str, dict[int, set[bytes]]]:
    kept: dict[str, dict[int, set[bytes]]] = {}
    for head in published:
        kept.setdefault(head.chain, {}).setdefault(head.seq, set()).add(head.digest)
    return kept


def _list_chains() -> list[StoredChain]:
    rows = _fetch("audit_chains", {})
    return [
        StoredChain(
            name=name,
            head=Head(name, seq, bytes(digest)) if seq is not None else None,
            last_seq=last_seq or 0,
        )
        for name, seq, digest, last_seq in rows
    ]


def _verify(chain: StoredChain, published: Mapping[int, set[bytes]]) -> ChainReport:
    replay = Replay(chain.name, published)
    for entry in _read_entries(chain):
        replay.add(entry)
    return replay.report(head=chain.head)


def _read_entries(chain: StoredChain) -> Iterator[StoredEntry]:
    """Yield the entries by (seq, id), one batch in memory at a time."""
    after_seq, after_id = LOWEST_SEQ, LOWEST_ID
    while True:
        rows = _fetch(
            "audit_rows",
            {
                "chain": chain.name,
                "after_seq": after_seq,
                "after_id": after_id,
                "last_seq": chain.last_seq,
                "limit": BATCH_ROWS,
            },
        )
        yield from (StoredEntry(*row) for row in rows)
        if len(rows) < BATCH_ROWS:
            return
        after_id, _, after_seq = rows[-1][:3]


def _report_strays() -> Iterator[ChainReport]:
    with staff_role():
        strays = _fetch("audit_strays", {"limit": MAX_STRAYS})
    if strays:
        faults = tuple(
            Fault(FaultKind.STRAY_PAYLOAD, None, f"the entry {entry_id} is gone")
            for (entry_id,) in strays
        )
        yield ChainReport(NO_CHAIN, 0, 0, len(faults), faults)


def _fetch(name: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(load_sql("kernel", name), parameters)
        return list(cursor.fetchall())
