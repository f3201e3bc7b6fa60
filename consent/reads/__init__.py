"""Who read what of a user: noted in the scope of the read, sealed in batches.

Owns the access rows, the receipts of releases that go with them, and the digests of
batches in the audit chains `access-00` to `access-15`. Reads by staff and in the portal
are deeds of their own and are not noted here.

>>> note_read(relationship, ReadAction.CONTEXT, actor="service:ab12",
...           memory_ids=[memory_id], now=now)  # doctest: +SKIP
"""

from consent.reads.notes import ReadAction, note_read
from consent.reads.receipts import ReceiptView, list_receipts
from consent.reads.sealing import seal
from consent.reads.verifying import verify_batches

__all__ = [
    "ReadAction",
    "ReceiptView",
    "list_receipts",
    "note_read",
    "seal",
    "verify_batches",
]
