"""Keeps erased statements from coming back.

Owns the salted hash that stays of an erased memory. It blocks evidence sent before
the erasure; what is said again later may be remembered.

>>> load_tombstones(relationship_id).block(new_memory)  # doctest: +SKIP
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from identity.types import RelationshipRef
from memories.models import ErasureTombstone, Memory
from memories.statements import PreparedStatement
from memories.types import SLOTTED_KINDS
from memsys.kernel.text.clean import fold

EVERYTHING = b"everything"


class Statement(Protocol):
    """What a tombstone looks at."""

    @property
    def kind(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def dimension(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def polarity(self) -> int: ...
    @property
    def statement(self) -> PreparedStatement: ...
    @property
    def said_at(self) -> datetime: ...


@dataclass(frozen=True)
class Tombstones:
    """The tombstones of one relationship: (salt, digest, blocks until)."""

    rows: tuple[tuple[bytes, bytes, datetime], ...]

    @property
    def everything_until(self) -> datetime | None:
        """Return until when all that was said is erased, or None."""
        ends = (until for _, digest, until in self.rows if digest == EVERYTHING)
        return max(ends, default=None)

    def block(self, new: Statement) -> bool:
        """Say whether a statement was erased and was said before that."""
        meanings = _meanings(
            new.kind,
            (new.subject, new.dimension, new.key, new.value, new.polarity),
            new.statement.text,
        )
        return any(
            new.said_at <= until
            and (digest == EVERYTHING or digest in _digests(salt, meanings))
            for salt, digest, until in self.rows
        )


def load_tombstones(relationship_id: UUID) -> Tombstones:
    """Return the tombstones of a relationship. One query."""
    rows = ErasureTombstone.objects.filter(relationship_id=relationship_id)
    return Tombstones(
        tuple(
            (bytes(salt), bytes(digest), until)
            for salt, digest, until in rows.values_list(
                "salt", "digest", "blocks_until"
            )
        )
    )


def bury(
    relationship: RelationshipRef, rows: Sequence[Memory], *, now: datetime
) -> int:
    """Leave a tombstone for each meaning of the rows about to be erased."""
    # A sender's clock may run ahead: what was erased may be dated after now.
    until = max([now, *(at for row in rows for at in row.evidence_at)])
    stones = []
    for row in rows:
        meanings = _meanings(
            row.kind,
            (row.subject, row.dimension, row.key, row.value, row.polarity),
            row.text,
        )
        for meaning in meanings:
            salt = os.urandom(16)
            stones.append(_stone(relationship, salt, _digest(salt, meaning), until))
    ErasureTombstone.objects.bulk_create(stones)
    return len(stones)


def bury_everything(relationship: RelationshipRef, *, until: datetime) -> None:
    """Block all that was said in a relationship until then; replaces older stones."""
    ErasureTombstone.objects.filter(relationship_id=relationship.id).delete()
    _stone(relationship, b"", EVERYTHING, until).save()


def _stone(
    relationship: RelationshipRef, salt: bytes, digest: bytes, until: datetime
) -> ErasureTombstone:
    return ErasureTombstone(
        global_user_id=relationship.user_id,
        relationship_id=relationship.id,
        salt=salt,
        digest=digest,
        blocks_until=until,
    )


def _meanings(kind: str, slot: tuple[str, str, str, str, int], text: str) -> list[str]:
    """Return what of a memory must not come back: its slot's value, and its words."""
    words = "text\x1f" + fold(text)
    if kind not in SLOTTED_KINDS:
        return [words]
    subject, dimension, key, value, polarity = slot
    filled = "\x1f".join(
        ("slot", subject, dimension, fold(key), fold(value), str(polarity))
    )
    return [filled, words]


def _digest(salt: bytes, meaning: str) -> bytes:
    return hashlib.sha256(salt + meaning.encode("utf-8")).digest()


def _digests(salt: bytes, meanings: Sequence[str]) -> set[bytes]:
    return {_digest(salt, meaning) for meaning in meanings}
