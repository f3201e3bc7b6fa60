"""Loads what one relationship remembers: from the cache, else from the tables.

Owns the cold path: one binary cursor, no vector through the ORM. The version is read
before the rows, so a pack is never older than it says.

The pack that is kept holds what may be recalled now. A question about an earlier time
is rare and reads all versions each time: so what is over leaves the pack, and still
stays right as of then.

>>> load(relationship, view).turns  # doctest: +SKIP
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import psycopg
from django.conf import settings
from django.db import connection
from numpy.typing import NDArray

from identity.types import RelationshipRef
from identity.versions import read_memory_version
from memories import working_memory
from memories.decay import (
    LASTING_DIMENSIONS,
    LASTING_KINDS,
    RETENTION_FLOOR,
    age_days,
    lifetimes,
)
from memories.embedding import get_embedder
from memories.working_memory import Standing, WorkingMemory, read_standing
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql
from recall import cache
from recall.pack import Pack, build_pack, to_microseconds
from recall.types import PackRow, View

_FACTS = (
    "id", "text", "kind", "tier", "dimension", "subject", "key", "value", "polarity",
    "importance", "stability_days", "occurred_at", "valid_from", "valid_to",
    "recorded_at", "recorded_to", "session", "visibility", "sensitive_category",
    "status", "due_at", "due_until", "last_said_at",
)  # fmt: skip
_HALFVEC_HEADER = 4  # bytes: dimensions and an unused field
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A pack serves views from a day before it is made: the clocks of servers differ, and
# PostgreSQL may round a moment otherwise than the view does.
MARGIN = timedelta(days=1)


@dataclass(frozen=True)
class Loaded:
    """The pack of a relationship and its session that is going on.

    `in_use_since` is when the user's presence without a pause began, or None.
    """

    pack: Pack
    working: WorkingMemory
    in_use_since: datetime | None


def load(relationship: RelationshipRef, view: View) -> Loaded:
    """Return what a context is made of, as PostgreSQL stands now.

    Hot: one statement and one call of Valkey. Cold: up to four more statements, and
    put back.
    """
    require_scope(relationship=relationship.id)
    standing = read_standing(relationship.id, now=view.now)
    kept = cache.read(
        relationship.id,
        version=None if _reads_all(view) else standing.memory_version,
        standing=standing,
    )
    return Loaded(
        pack=_choose(relationship, kept.pack, view),
        working=_follow(relationship, standing, kept.turns),
        in_use_since=standing.in_use_since,
    )


def load_pack(relationship: RelationshipRef, view: View) -> Pack:
    """Return a pack no older than the relationship's version as it was resolved.

    Hot: one call of Valkey, no statement. Cold: three statements, and put back.
    """
    require_scope(relationship=relationship.id)
    version = None if _reads_all(view) else relationship.memory_version
    kept = cache.read(relationship.id, version=version)
    return _choose(relationship, kept.pack, view)


def _follow(
    relationship: RelationshipRef,
    standing: Standing,
    turns: tuple[working_memory.Turn, ...] | None,
) -> WorkingMemory:
    if standing.session is None:
        return WorkingMemory(standing, ())
    if turns is not None:
        return WorkingMemory(standing, turns)
    return working_memory.rebuild(relationship.id)


def _choose(relationship: RelationshipRef, kept: Pack | None, view: View) -> Pack:
    """Return the kept pack if it serves the view, else build one."""
    if _reads_all(view):
        return build(relationship)
    if (
        kept is not None
        and kept.embedding_model == get_embedder().name
        and kept.since <= to_microseconds(view.now)
    ):
        return kept
    pack = build(relationship, since=view.now - MARGIN)
    cache.write(pack)
    return pack


def _reads_all(view: View) -> bool:
    return view.is_as_of or view.retention_floor < RETENTION_FLOOR


def build(relationship: RelationshipRef, *, since: datetime | None = None) -> Pack:
    """Build the pack for views from `since` on, or for any view, from the tables."""
    model = get_embedder().name
    version = read_memory_version(relationship.id)
    parameters: dict[str, Any] = {
        "relationship": relationship.id,
        "shard": bucket_of(relationship.id),
        "model": model,
    }
    if since is None:
        rows = _read_rows("all_versions", parameters)
    else:
        rows = _read_rows("pack_rows", parameters | _kept_since(since))
    return build_pack(
        [_to_row(row) for row in rows],
        relationship=relationship.id,
        version=version,
        embedding_model=model,
        since=since,
    )


def _kept_since(moment: datetime) -> dict[str, Any]:
    return {
        "since": moment,
        "since_days": age_days(now=moment, t0=_EPOCH),
        "cap": settings.MEMORY_CAP,
        "lifetimes": lifetimes(floor=RETENTION_FLOOR),
        "lasting_kinds": sorted(LASTING_KINDS),
        "lasting_dimensions": sorted(LASTING_DIMENSIONS),
    }


def _read_rows(name: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        # The rows are scattered: a bitmap reads each page once, and ahead.
        cursor.execute("SET LOCAL enable_indexscan = off")
    binary: Any = psycopg.Cursor(connection.connection)
    with binary:
        binary.execute(load_sql("recall", name), parameters, binary=True, prepare=False)
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
