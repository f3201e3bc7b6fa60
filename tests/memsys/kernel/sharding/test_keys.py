"""What the database itself knows of keys and references of sharded tables."""

from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection

from identity.models import Relationship
from memsys.kernel.sharding.fields import ShardForeignKey
from memsys.kernel.sharding.models import ShardModel
from memsys.kernel.sharding.query import ShardQuerySet

SHARDED = [model for model in apps.get_models() if issubclass(model, ShardModel)]

pytestmark = pytest.mark.parametrize(
    "model", SHARDED, ids=lambda model: model._meta.label
)


def fetch(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query on the catalogue."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall()


def columns_of(model: type[ShardModel], kind: str) -> list[list[str]]:
    """Return the columns of each constraint of one kind, in their order."""
    rows = fetch(
        """
        SELECT array_agg(attname ORDER BY place)
        FROM pg_constraint, unnest(conkey) WITH ORDINALITY AS part (number, place),
             pg_attribute
        WHERE conrelid = %s::regclass AND contype = %s
          AND attrelid = conrelid AND attnum = number
        GROUP BY pg_constraint.oid
        """,
        model._meta.db_table,
        kind,
    )
    return [list(map(str, columns)) for (columns,) in rows]


def test_it_has_the_key_of_id_and_shard(db: None, model: type[ShardModel]):
    assert columns_of(model, "p") == [["id", "shard"]]


def test_it_has_the_shard_in_every_unique_index(db: None, model: type[ShardModel]):
    rows = fetch(
        """
        SELECT indexrelid::regclass::text, array_agg(attname)
        FROM pg_index JOIN pg_attribute ON attrelid = indexrelid
        WHERE indrelid = %s::regclass AND indisunique GROUP BY 1
        """,
        model._meta.db_table,
    )

    assert rows
    assert [name for name, columns in rows if "shard" not in columns] == []


def test_it_ties_every_reference_by_the_shard(db: None, model: type[ShardModel]):
    tied = columns_of(model, "f")

    for field in model._meta.concrete_fields:
        if isinstance(field, ShardForeignKey):
            assert any({"shard", field.column} <= set(one) for one in tied), field


def test_it_checks_references_at_the_commit_and_never_cascades(
    db: None, model: type[ShardModel]
):
    rows = fetch(
        "SELECT conname, condeferrable AND condeferred, confdeltype, confupdtype "
        "FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'f'",
        model._meta.db_table,
    )

    assert {row[1:] for row in rows} <= {(True, "a", "a")}


def test_it_uses_the_shard_in_every_query_of_the_model(model: type[ShardModel]):
    assert isinstance(model._base_manager.all(), ShardQuerySet)
    assert isinstance(model._default_manager.all(), ShardQuerySet)


def test_it_refuses_a_shard_that_is_not_the_ids(
    ann: Relationship, model: type[ShardModel]
):
    if model is not Relationship:
        assert any("shard" in columns for columns in columns_of(model, "c"))
        return

    with (
        pytest.raises(IntegrityError, match="identity_relationship_shard_check"),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            "UPDATE identity_relationship SET shard = %s WHERE id = %s",
            [(ann.shard + 1) % 4096, ann.pk],
        )
