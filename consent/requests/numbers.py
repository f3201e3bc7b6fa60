"""Numbers of requests, that people can read out and that nobody can count up.

Owns the form: the day, six signs by chance, and three that hold the user's bucket under
a mask. Of two numbers with the same chance the bucket is the same too, and within one
bucket a number is there once: so it is there once everywhere.

>>> is_number(new_number(user_id, day=date(2026, 12, 1)))  # doctest: +SKIP
True
"""

import re
import secrets
from datetime import date
from hashlib import sha256
from uuid import UUID

from memsys.kernel.sharding.ids import BUCKET_MASK, bucket_of

# Crockford's: nothing in it is taken for something else when it is read out.
SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CHANCE = 6
_FORM = re.compile(rf"R-\d{{8}}-([{SIGNS}]{{{CHANCE}}})([0-9A-F]{{3}})")


def new_number(user_id: UUID, *, day: date) -> str:
    """Return a number for a request of a user that came in on a day."""
    chance = "".join(secrets.choice(SIGNS) for _ in range(CHANCE))
    return f"R-{day:%Y%m%d}-{chance}{bucket_of(user_id) ^ _mask(chance):03X}"


def is_number(text: str) -> bool:
    """Say whether a text has the form of a number.

    >>> is_number("R-20261201-7K3QF80A1"), is_number("R-1")
    (True, False)
    """
    return _FORM.fullmatch(text) is not None


def _mask(chance: str) -> int:
    return int.from_bytes(sha256(chance.encode()).digest()[:2], "big") & BUCKET_MASK
