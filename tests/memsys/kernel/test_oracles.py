"""What is hidden cannot be told from what is not there. Acceptance row C15."""

import json
from typing import Any

import pytest
from django.db import IntegrityError

from consent.models import UserModel
from identity.models import ContentModel, Relationship
from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.sharding.models import ShardModel
from tests.factories.content import list_parents, make_row
from tests.memsys.kernel.cast import (
    CONTENT,
    QUEUES,
    USER_OWNED,
    Cast,
    each_table,
    each_user_table,
    name_of_table,
    undone_scope,
)
from tests.memsys.kernel.conftest import SuperuserConnection


def error_of(model: type[ShardModel], cast: Cast, **fields: Any) -> str:
    """Return what the database says at the commit of a row in Ann's scope."""
    try:
        with access_scope(
            Purpose.SERVICE, relationship=cast.ann.id, user=cast.ann.user_id
        ):
            make_row(model, cast.ann, **fields)
    except IntegrityError as error:
        return str(error)
    return "stored"


def name_of(one: Any) -> str:
    """Return a name for a part of a test's name."""
    return (
        one
        if isinstance(one, str)
        else getattr(one, "name", None) or name_of_table(one)
    )


REFERENCES = [
    *(
        (model, field, whose)
        for model in CONTENT
        for field in list_parents(model)
        for whose in ("ann_too", "chloe")
    ),
    # What is a user's own is seen from all relationships of that user.
    *(
        (model, field, "chloe")
        for model in (*USER_OWNED, *QUEUES)
        for field in list_parents(model, with_relationship=True)
    ),
]


@pytest.mark.parametrize(("model", "field", "whose"), REFERENCES, ids=name_of)
@pytest.mark.usefixtures("real_commits")
def test_it_says_the_same_of_a_hidden_parent_and_of_none(
    cast: Cast, model: type[ShardModel], field: Any, whose: str
):
    """Acceptance row C15."""
    owner = getattr(cast, whose)
    is_relationship = field.related_model is Relationship
    hidden = owner.id if is_relationship else make_row(field.related_model, owner).pk
    missing = new_id(bucket=hidden.int & 0xFFF)

    of_hidden = error_of(model, cast, **{field.attname: hidden})
    of_missing = error_of(model, cast, **{field.attname: missing})

    assert "violates foreign key constraint" in of_missing
    assert of_hidden.replace(str(hidden), "?") == of_missing.replace(str(missing), "?")


def copy_row(
    superuser: SuperuserConnection, model: type[ShardModel], of: RelationshipRef
) -> dict[str, Any]:
    """Return the values of a row, read past the policies."""
    table = model._meta.db_table
    owner = "relationship_id" if model in CONTENT else "global_user_id"
    (copied,) = superuser.execute(
        f"SELECT to_jsonb(one)::text FROM {table} AS one WHERE {owner} = %s LIMIT 1",  # noqa: S608
        [of.id if model in CONTENT else of.user_id],
    ).fetchone()
    values: dict[str, Any] = json.loads(copied)
    return values


def is_stored(model: type[ShardModel], cast: Cast, values: dict[str, Any]) -> bool:
    """Say whether Ann's scope takes a row, before its references are looked at."""
    table = model._meta.db_table
    both = {"relationship": cast.ann.id, "user": cast.ann.user_id}
    with undone_scope(Purpose.SERVICE, **both) as cursor:
        cursor.execute(
            f"INSERT INTO {table} SELECT * FROM "  # noqa: S608
            f"jsonb_populate_record(NULL::{table}, %s)",
            [json.dumps(values)],
        )
        is_one = cursor.rowcount == 1
    return is_one


@each_table
@pytest.mark.usefixtures("real_commits")
def test_it_does_not_tell_that_a_hidden_row_has_the_same_values(
    cast: Cast, superuser: SuperuserConnection, model: type[ContentModel]
):
    """Acceptance row C15."""
    hidden = copy_row(superuser, model, cast.ann_too)

    mine = hidden | {
        "id": str(new_id(bucket=bucket_of(cast.ann.id))),
        "relationship_id": str(cast.ann.id),
    }

    assert is_stored(model, cast, mine)


@each_user_table
@pytest.mark.usefixtures("real_commits")
def test_it_does_not_tell_that_another_user_has_the_same_values(
    cast: Cast, superuser: SuperuserConnection, model: type[UserModel]
):
    """Acceptance row C15. Under a parent of Ann's own: another's id she cannot have."""
    hidden = copy_row(superuser, model, cast.chloe)
    parents = {
        field.attname: str(make_row(field.related_model, cast.ann).pk)
        for field in list_parents(model)
    }

    mine = hidden | {
        "id": str(new_id(bucket=bucket_of(cast.ann.id))),
        "global_user_id": str(cast.ann.user_id),
        **parents,
    }

    assert hidden["shard"] == bucket_of(cast.ann.id)
    assert is_stored(model, cast, mine)
