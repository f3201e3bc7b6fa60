"""Keeps erased statements from coming back.

Owns the salted hashes that stay of an erased memory: of its words, and of each name that
it gave to its thing, as said. A statement is asked for by all names that its thing has
today, so a change of the synonyms opens no way back. They block evidence sent before the
erasure; what is said again later may be remembered.

>>> load_tombstones(relationship_id).block(new_memory)  # doctest: +SKIP
"""

import hashlib
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from identity.types import RelationshipRef
from memories.models import ErasureTombstone, Memory
from memories.slots.senses import family_of, names_known, names_said
from memories.slots.synonyms import SYNONYMS, Synonyms
from memories.statements import PreparedStatement
from memsys.kernel.text.clean import fold

EVERYTHING = b"everything"


class Meant(Protocol):
    """What a tombstone looks at beside the words."""

    @property
    def kind(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def value(self) -> str: ...
    @property
    def polarity(self) -> int: ...


class Statement(Meant, Protocol):
    """A statement that may have been erased."""

    @property
    def statement(self) -> PreparedStatement: ...
    @property
    def said_at(self) -> datetime: ...


@dataclass(frozen=True)
class Tombstones:
    """The tombstones of one relationship: (salt, digest, blocks until)."""

    rows: tuple[tuple[bytes, bytes, datetime], ...]
    synonyms: Synonyms = SYNONYMS

    @property
    def everything_until(self) -> datetime | None:
        """Return until when all that was said is erased, or None."""
        ends = (until for _, digest, until in self.rows if digest == EVERYTHING)
        return max(ends, default=None)

    def block(self, new: Statement) -> bool:
        """Say whether a statement was erased and was said before that."""
        names = names_known(
            kind=new.kind, key=new.key, value=new.value, synonyms=self.synonyms
        )
        meanings = _meanings(new, new.statement.text, names)
        return any(
            new.said_at <= until
            and (digest == EVERYTHING or digest in _digests(salt, meanings))
            for salt, digest, until in self.rows
        )


def load_tombstones(
    relationship_id: UUID, *, synonyms: Synonyms = SYNONYMS
) -> Tombstones:
    """Return the tombstones of a relationship. One query."""
    rows = ErasureTombstone.objects.filter(relationship_id=relationship_id)
    return Tombstones(
        tuple(
            (bytes(salt), bytes(digest), until)
            for salt, digest, until in rows.values_list(
                "salt", "digest", "blocks_until"
            )
        ),
        synonyms,
    )


def bury(
    relationship: RelationshipRef, rows: Sequence[Memory], *, now: datetime
) -> int:
    """Leave a tombstone for each meaning of the rows about to be erased."""
    # A sender's clock may run ahead: what was erased may be dated after now.
    until = max([now, *(at for row in rows for at in row.evidence_at)])
    meanings = {
        meaning
        for row in rows
        for meaning in _meanings(
            row,
            row.text,
            names_said(kind=row.kind, key=row.key, value=row.value),
        )
    }
    stones = []
    for meaning in sorted(meanings):
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


def _meanings(of: Meant, text: str, names: Collection[str]) -> list[str]:
    """Return what must not come back: the words, and what is said of each name."""
    family = family_of(kind=of.kind, key=of.key)
    of_names = [
        "\x1f".join(("name", of.kind, of.subject, family, name, str(of.polarity)))
        for name in sorted(names)
    ]
    return ["text\x1f" + fold(text), *of_names]


def _digest(salt: bytes, meaning: str) -> bytes:
    return hashlib.sha256(salt + meaning.encode("utf-8")).digest()


def _digests(salt: bytes, meanings: Sequence[str]) -> set[bytes]:
    return {_digest(salt, meaning) for meaning in meanings}
