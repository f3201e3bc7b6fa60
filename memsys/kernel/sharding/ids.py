"""Buckets and the ids that carry them.

Owns the 12-bit bucket of a user and the UUIDv7 that carries it in its low bits.
Does not own where rows are stored; see `operations`.

>>> bucket_of(new_id(bucket=7))
7
"""

import hashlib
import os
import time
import uuid

BUCKET_BITS = 12
BUCKET_MASK = (1 << BUCKET_BITS) - 1


def bucket_of_user(external_id: str) -> int:
    """Return the bucket of a user: the first 12 bits of SHA-256 of the external id."""
    digest = hashlib.sha256(external_id.encode("utf-8")).digest()
    return int.from_bytes(digest[:2], "big") >> (16 - BUCKET_BITS)


def bucket_of(value: uuid.UUID) -> int:
    """Return the bucket that an id carries in its low 12 bits, 0..4095."""
    return value.int & BUCKET_MASK


def new_id(*, bucket: int | None = None) -> uuid.UUID:
    """Return a UUIDv7 whose low 12 bits are `bucket`, or random without one.

    Source: RFC 9562, section 5.7. The standard library has no UUIDv7 before
    Python 3.14, and the packages that do move their clock ahead in bursts.
    """
    milliseconds = time.time_ns() // 1_000_000
    random_bits = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds << 80) | random_bits & ((1 << 80) - 1)
    value = value & ~(0xF << 76) | (0x7 << 76)
    value = value & ~(0x3 << 62) | (0x2 << 62)
    if bucket is not None:
        value = value & ~BUCKET_MASK | bucket
    return uuid.UUID(int=value)
