"""What is hidden cannot be told from what is not there. Acceptance row C15."""

import json
from typing import Any

import pytest
from django.db import IntegrityError

from identity.models import ContentModel
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import bucket_of, new_id
from tests.factories.content import list_parents, make_row
from tests.memsys.kernel.cast import CONTENT, Cast, each_table, undone_scope
from tests.memsys.kernel.conftest import SuperuserConnection


def error_of(model: type[ContentModel], cast: Cast, **fields: Any) -> str:
    """Return what the database says at the commit of a row in Ann's scope."""
    try:
        with access_scope(Purpose.SERVICE, relationship=cast.ann.id):
            make_row(model, cast.ann, **fields)
    except IntegrityError as error:
        return str(error)
    return "stored"


REFERENCES = [(model, field) for model in CONTENT for field in list_parents(model)]


@pytest.mark.parametrize(
    ("model", "field"), REFERENCES, ids=lambda one: getattr(one, "name", None)
)
@pytest.mark.parametrize("whose", ["ann_too", "chloe"])
@pytest.mark.usefixtures("real_commits")
def test_it_says_the_same_of_a_hidden_parent_and_of_none(
    cast: Cast, model: type[ContentModel], field: Any, whose: str
):
    """Acceptance row C15."""
    owner = getattr(cast, whose)
    hidden = make_row(field.related_model, owner).pk
    missing = new_id(bucket=hidden.int & 0xFFF)

    of_hidden = error_of(model, cast, **{field.attname: hidden})
    of_missing = error_of(model, cast, **{field.attname: missing})

    assert "violates foreign key constraint" in of_missing
    assert of_hidden.replace(str(hidden), "?") == of_missing.replace(str(missing), "?")


@each_table
@pytest.mark.usefixtures("real_commits")
def test_it_does_not_tell_that_a_hidden_row_has_the_same_values(
    cast: Cast, superuser: SuperuserConnection, model: type[ContentModel]
):
    """Acceptance row C15."""
    table = model._meta.db_table
    (copied,) = superuser.execute(
        f"SELECT to_jsonb(one)::text FROM {table} AS one "  # noqa: S608
        "WHERE relationship_id = %s LIMIT 1",
        [cast.ann_too.id],
    ).fetchone()
    mine = json.loads(copied) | {
        "id": str(new_id(bucket=bucket_of(cast.ann.id))),
        "relationship_id": str(cast.ann.id),
    }

    with undone_scope(Purpose.SERVICE, relationship=cast.ann.id) as cursor:
        cursor.execute(
            f"INSERT INTO {table} SELECT * FROM "  # noqa: S608
            f"jsonb_populate_record(NULL::{table}, %s)",
            [json.dumps(mine)],
        )
        assert cursor.rowcount == 1
