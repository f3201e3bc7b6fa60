"""Notes one read by a service, with the receipt of what it released.

Owns the one statement that does both. What was read is told by ids and names of fields,
never by what they hold.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db import connection

from consent.allowances import Releases
from identity.types import RelationshipRef
from memsys.kernel.scope import require_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.sql import load_sql


class ReadAction(StrEnum):
    """What a service read: one route of the API each."""

    CONTEXT = "context"
    SEARCH = "search"
    LIST = "list"
    TIMELINE = "timeline"
    MEMORY = "memory"
    PROFILE = "profile"


def note_read(
    relationship: RelationshipRef,
    action: str,
    *,
    actor: str,
    memory_ids: Iterable[UUID] = (),
    releases: Releases | None = None,
    now: datetime,
) -> None:
    """Note a read in its own transaction, so that none is answered without. One query.

    What was released leaves its receipt in the same statement.

    Raises:
        ScopeMissing, ScopeConflict: no scope of this relationship and user is open.
    """
    require_scope(relationship=relationship.id, user=relationship.user_id)
    bucket = bucket_of(relationship.user_id)
    fields = releases.fields if releases is not None else ()
    with connection.cursor() as cursor:
        cursor.execute(
            load_sql("consent", "note_read"),
            {
                "id": new_id(bucket=bucket),
                "receipt": new_id(bucket=bucket) if fields else None,
                "shard": bucket,
                "user": relationship.user_id,
                "relationship": relationship.id,
                "actor": actor,
                "action": str(action),
                "memory_ids": list(dict.fromkeys(memory_ids)),
                "field_keys": [field.key for field in fields],
                "policies": json.dumps([str(field.policy_id) for field in fields]),
                "grants": json.dumps([str(field.grant_id) for field in fields]),
                "moment": now,
            },
        )
