"""A chain as a file that anybody can verify, without the database and without us.

Owns the form: a JSON line with the chain's name and head, then one for each entry with
the very text that the database digested. Payloads are not in it, their commitments are.
`offline_verifier.py` proves such a file.

>>> lines = export_chain("deeds-07")  # doctest: +SKIP
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import connection

from memsys.kernel.audit.errors import ChainNotFound
from memsys.kernel.audit.replay import Head
from memsys.kernel.audit.verification import (
    BATCH_ROWS,
    LOWEST_ID,
    LOWEST_SEQ,
    list_heads,
)
from memsys.kernel.scope.staff import staff_role
from memsys.kernel.sql import load_sql

FORMAT = "memsys-audit-1"
VERIFIER = Path(__file__).with_name("offline_verifier.py")


def find_head(chain: str) -> Head:
    """Return the head of a chain. One query.

    Raises:
        ChainNotFound: there is no such chain.
    """
    for head in list_heads():
        if head.chain == chain:
            return head
    raise ChainNotFound("There is no audit chain of this name.")


def export_chain(chain: str) -> Iterator[str]:
    """Yield the lines of a chain's file, up to the head that it has now.

    A transaction as the staff's role for each batch; nothing is added below a head.

    Raises:
        ChainNotFound: there is no such chain.
    """
    head = find_head(chain)
    return _lines(head)


def _lines(head: Head) -> Iterator[str]:
    first = {"format": FORMAT, "chain": head.chain, "seq": head.seq}
    yield json.dumps(first | {"digest": head.digest.hex()}) + "\n"
    after: tuple[int, UUID] = (LOWEST_SEQ, LOWEST_ID)
    while True:
        rows = _fetch(head, after)
        for _seq, _id, hashed, previous, digest in rows:
            entry = {
                "hashed": hashed,
                "previous": bytes(previous).hex(),
                "digest": bytes(digest).hex(),
            }
            yield json.dumps(entry, ensure_ascii=False) + "\n"
        if len(rows) < BATCH_ROWS:
            return
        after = rows[-1][0], rows[-1][1]


def _fetch(
    head: Head, after: tuple[int, UUID]
) -> list[tuple[int, UUID, str, bytes, bytes]]:
    parameters: dict[str, Any] = {
        "chain": head.chain,
        "after_seq": after[0],
        "after_id": after[1],
        "last_seq": head.seq,
        "limit": BATCH_ROWS,
    }
    with staff_role(), connection.cursor() as cursor:
        cursor.execute(load_sql("kernel", "audit_hashed"), parameters)
        return list(cursor.fetchall())
