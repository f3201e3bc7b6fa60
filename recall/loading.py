"""Loads the pack of one relationship: from the cache, else from the tables.

Owns the cold path: one binary cursor, no vector through the ORM. The version is read
before the rows, so a pack is never older than it says.

>>> load_pack(relationship)  # doctest: +SKIP
"""

from typing import Any

import numpy as np
import psycopg
from django.db import connection
from numpy.typing import NDArray

from identity.types import RelationshipRef
from identity.versions import read_memory_version
from memories.embedding import get_embedder
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql
from recall import cache
from recall.pack import Pack, build_pack
from recall.types import PackRow

_FACTS = (
    "id", "text", "kind", "tier", "dimension", "subject", "key", "value", "polarity",
    "importance", "stability_days", "occurred_at", "valid_from", "valid_to",
    "recorded_at", "recorded_to", "session", "visibility", "status", "due_at",
)  # fmt: skip
_HALFVEC_HEADER = 4  # bytes: dimensions and an unused field


def load_pack(relationship: RelationshipRef) -> Pack:
    """Return a pack no older than the relationship's version as it was resolved.

    Hot: one call of Valkey, no statement. Cold: three statements, and put back.
    """
    require_scope(relationship=relationship.id)
    pack = cache.read(relationship.id, version=relationship.memory_version)
    if pack is None or pack.embedding_model != get_embedder().name:
        pack = build(relationship)
        cache.write(pack)
    return pack


def build(relationship: RelationshipRef) -> Pack:
    """Build the pack from the tables."""
    model = get_embedder().name
    version = read_memory_version(relationship.id)
    rows = _read_rows(relationship, model)
    return build_pack(
        [_to_row(row) for row in rows],
        relationship=relationship.id,
        version=version,
        embedding_model=model,
    )


def _read_rows(relationship: RelationshipRef, model: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        # The rows are scattered: a bitmap reads each page once, and ahead.
        cursor.execute("SET LOCAL enable_indexscan = off")
    binary: Any = psycopg.Cursor(connection.connection)
    with binary:
        binary.execute(
            load_sql("recall", "pack_rows"),
            {
                "relationship": relationship.id,
                "shard": bucket_of(relationship.id),
                "model": model,
            },
            binary=True,
            prepare=False,
        )
        rows: list[tuple[Any, ...]] = binary.fetchall()
    with connection.cursor() as cursor:
        # What follows in this transaction finds single rows again.
        cursor.execute("SET LOCAL enable_indexscan TO DEFAULT")
    return rows


def _to_row(row: tuple[Any, ...]) -> PackRow:
    *facts, evidence, tokens, embedding = row
    return PackRow(
        **dict(zip(_FACTS, facts, strict=True)),
        evidence=tuple(evidence),
        tokens=tokens,
        embedding=None if embedding is None else read_halfvec(embedding),
    )


def read_halfvec(data: bytes) -> NDArray[np.float16]:
    """Return (d,) float16 from pgvector's binary form: big-endian after a header."""
    return np.frombuffer(data, dtype=">f2", offset=_HALFVEC_HEADER).astype(np.float16)
