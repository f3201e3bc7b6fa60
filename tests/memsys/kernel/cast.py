"""Who isolation is tried with: two relationships of one user, one of another.

The other user is in the same bucket, so that no shard tells the two apart.

>>> with undone_scope(Purpose.SERVICE, relationship=cast.ann.id) as cursor:
...     cursor.execute("SELECT * FROM memories_memory")  # doctest: +SKIP
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from django.db import connection

from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import bucket_of, bucket_of_user
from tests.factories.content import (
    list_content_models,
    list_queue_models,
    list_user_models,
    make_row,
)
from tests.factories.identity import make_relationship, new_name


def name_of_table(model: Any) -> str:
    """Return a model's table, for the names of tests."""
    return str(model._meta.db_table)


CONTENT = list_content_models()
USER_OWNED = list_user_models()
QUEUES = list_queue_models()
each_table = pytest.mark.parametrize("model", CONTENT, ids=name_of_table)
each_user_table = pytest.mark.parametrize("model", USER_OWNED, ids=name_of_table)
each_queue = pytest.mark.parametrize("model", QUEUES, ids=name_of_table)
each_guarded_table = pytest.mark.parametrize(
    "model", [*CONTENT, *USER_OWNED], ids=name_of_table
)


@dataclass(frozen=True)
class Cast:
    """Two relationships of Ann, one of Chloe, each with a row in every table."""

    ann: RelationshipRef
    ann_too: RelationshipRef
    chloe: RelationshipRef


def make_cast() -> Cast:
    """Make the cast, each member with a row in every table of users."""
    ann = make_relationship()
    ann_too = make_relationship(user=ann.user_external_id)
    chloe = make_relationship(
        user=name_neighbour(ann),
        creator=ann.creator_external_id,
        persona=ann.persona_key,
    )
    for relationship in (ann, ann_too, chloe):
        for model in (*CONTENT, *USER_OWNED, *QUEUES):
            make_row(model, relationship)
    return Cast(ann, ann_too, chloe)


def name_neighbour(relationship: RelationshipRef) -> str:
    """Return a new name of a user in the bucket of the relationship's user."""
    bucket, base = bucket_of(relationship.user_id), new_name("user")
    names = (f"{base}-{number}" for number in count())
    return next(name for name in names if bucket_of_user(name) == bucket)


class Undone(Exception):
    """Ends a scope without a commit."""


@contextmanager
def undone_scope(purpose: Purpose, **target: Any) -> Iterator[Any]:
    """Open a scope and a cursor in it; nothing that is done there stays."""
    try:
        with access_scope(purpose, **target), connection.cursor() as cursor:
            yield cursor
            raise Undone
    except Undone:
        pass
