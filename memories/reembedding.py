"""Gives vectors to memories that were written while the embedder was away.

Owns the sweep over the relationships that were noted. Until then their memories are
found by their words.

>>> embed_missing(relationship_id, since=noted_at)  # doctest: +SKIP
3
"""

from datetime import datetime
from uuid import UUID

from django.db import connection
from pgvector import HalfVector

from identity.versions import bump_memory_version, clear_vectors_missing
from memories.embedding import get_embedder
from memories.models import Memory
from memories.statements import embed
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import bucket_of
from memsys.kernel.sql import load_sql

BATCH = 200


def embed_missing(relationship_id: UUID, *, since: datetime) -> int:
    """Embed up to a batch of a relationship's rows; return how many.

    Raises:
        EmbeddingFailed: the embedder is still away; nothing was changed.
    """
    with access_scope(Purpose.JOB, relationship=relationship_id):
        rows = Memory.objects.of(relationship_id).filter(embedding=None)
        waiting = list(rows.order_by("id").values_list("id", "text")[:BATCH])
    vectors = embed([text for _, text in waiting])
    with access_scope(Purpose.JOB, relationship=relationship_id):
        if waiting:
            with connection.cursor() as cursor:
                cursor.execute(
                    load_sql("memories", "set_vectors"),
                    {
                        "shard": bucket_of(relationship_id),
                        "model": get_embedder().name,
                        "ids": [row_id for row_id, _ in waiting],
                        "vectors": [HalfVector(one).to_text() for one in vectors],
                    },
                )
            bump_memory_version(relationship_id)
        if len(waiting) < BATCH:
            clear_vectors_missing(relationship_id, since=since)
    return len(waiting)
