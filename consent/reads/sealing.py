"""Seals access rows in batches: an audit chain commits the digest of each.

Owns the batch, its row and its entry, written in one transaction. The rows themselves
are marked by a function of the database, since the app may only add them.

>>> seal(now)  # doctest: +SKIP
1204
"""

import time
from datetime import datetime

from django.db import connection, transaction

from consent.models import AccessBatch
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.sharding.ids import new_id
from memsys.kernel.sql import load_sql

CHAINS = 16
BATCH_ROWS = 1000
SEAL_SECONDS = 120  # the job is asked to stop after 240
SEALED = "access.sealed"
BY = "system:consent.seal_reads"


def seal(now: datetime, *, batch_rows: int = BATCH_ROWS) -> int:
    """Seal what waits, batch by batch; return how many rows.

    Each batch of at most `batch_rows` is a transaction. What comes in faster than it is sealed is left for the
    next run.
    """
    deadline = time.monotonic() + SEAL_SECONDS
    sealed = 0
    while (rows := _seal_batch(batch_rows, now=now)) > 0:
        sealed += rows
        if rows < batch_rows or time.monotonic() > deadline:
            break
    return sealed


def list_chains() -> list[str]:
    """Return the names of the chains that batches are sealed into."""
    return [f"access-{number:02d}" for number in range(CHAINS)]


def _seal_batch(up_to: int, *, now: datetime) -> int:
    batch = new_id()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            load_sql("consent", "seal_access"), {"batch": batch, "up_to": up_to}
        )
        rows, first_at, last_at, digest = cursor.fetchone()
        if rows == 0:
            return 0
        AccessBatch.objects.create(
            id=batch,
            rows=rows,
            first_at=first_at,
            last_at=last_at,
            digest=digest,
            sealed_at=now,
        )
        record(
            Deed(
                chain=f"access-{batch.int % CHAINS:02d}",
                action=SEALED,
                actor=BY,
                # In the entry itself: its payload could be erased, and expires.
                object_ref=f"access_batch:{batch}/{rows}/{bytes(digest).hex()}",
            )
        )
    return int(rows)
