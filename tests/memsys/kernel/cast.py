"""Who isolation is tried with: two relationships of one user, one of another.

>>> with undone_scope(Purpose.SERVICE, relationship=cast.ann.id) as cursor:
...     cursor.execute("SELECT * FROM memories_memory")  # doctest: +SKIP
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection

from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.content import list_content_models, make_row
from tests.factories.identity import make_relationship

CONTENT = list_content_models()
each_table = pytest.mark.parametrize(
    "model", CONTENT, ids=lambda model: model._meta.db_table
)


@dataclass(frozen=True)
class Cast:
    """Two relationships of Ann, one of Chloe, each with a row in every table."""

    ann: RelationshipRef
    ann_too: RelationshipRef
    chloe: RelationshipRef


def make_cast() -> Cast:
    """Make the cast, each member with a row in every content table."""
    ann = make_relationship()
    ann_too = make_relationship(user=ann.user_external_id)
    chloe = make_relationship(creator=ann.creator_external_id, persona=ann.persona_key)
    for relationship in (ann, ann_too, chloe):
        for model in CONTENT:
            make_row(model, relationship)
    return Cast(ann, ann_too, chloe)


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
