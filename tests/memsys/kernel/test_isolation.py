"""Isolation, tried by raw unfiltered SQL as the app's login, with real commits.

The two mutations at the end must break the check: a check that cannot fail proves
nothing.
"""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import (
    DatabaseError,
    IntegrityError,
    ProgrammingError,
    connection,
    connections,
    transaction,
)

from identity.models import ContentModel
from memsys.kernel.scope import Purpose
from memsys.kernel.sharding.ids import new_id
from tests.memsys.kernel.cast import Cast, each_table, undone_scope


def list_owners(statement: str, purpose: Purpose, **target: Any) -> list[uuid.UUID]:
    """Run an unfiltered statement that returns relationships; return all of them."""
    with undone_scope(purpose, **target) as cursor:
        cursor.execute(statement)
        return [row[0] for row in cursor.fetchall()]


def reads(table: str) -> str:
    return f"SELECT relationship_id FROM {table}"  # noqa: S608


def updates(table: str) -> str:
    return (
        f"UPDATE {table} SET global_user_id = global_user_id RETURNING relationship_id"  # noqa: S608
    )


def deletes(table: str) -> str:
    return f"DELETE FROM {table} RETURNING relationship_id"  # noqa: S608


def count_foreign(model: type[ContentModel], cast: Cast) -> int:
    """Return how many foreign rows Ann's scope reads, changes, takes or plants."""
    table = model._meta.db_table
    service = {"purpose": Purpose.SERVICE, "relationship": cast.ann.id}
    touched = [
        owner
        for statement in (reads(table), updates(table), deletes(table))
        for owner in list_owners(statement, **service)
    ]
    is_planted = not is_refused(plant, model, cast)
    is_given_away = not is_refused(give_away, model, cast)
    foreign = sum(owner != cast.ann.id for owner in touched)
    return foreign + is_planted + is_given_away


def is_refused(
    deed: Callable[[Any, str, Cast], None], model: type[ContentModel], cast: Cast
) -> bool:
    """Say whether a policy refused a deed in Ann's scope."""
    try:
        with undone_scope(Purpose.SERVICE, relationship=cast.ann.id) as cursor:
            deed(cursor, model._meta.db_table, cast)
    except ProgrammingError as error:
        return "violates row-level security policy" in str(error)
    except IntegrityError:
        return False
    return False


def plant(cursor: Any, table: str, cast: Cast) -> None:
    """Write a copy of Ann's row that says that it is Chloe's."""
    cursor.execute(
        f"INSERT INTO {table} SELECT (jsonb_populate_record(one, %s)).* "  # noqa: S608
        f"FROM {table} AS one LIMIT 1",
        [json.dumps({"id": str(new_id()), "relationship_id": str(cast.chloe.id)})],
    )


def give_away(cursor: Any, table: str, cast: Cast) -> None:
    """Make Ann's row Chloe's."""
    cursor.execute(
        f"UPDATE {table} SET relationship_id = %s WHERE relationship_id = %s",  # noqa: S608
        [cast.chloe.id, cast.ann.id],
    )


@each_table
@pytest.mark.usefixtures("real_commits")
def test_it_touches_no_foreign_row(cast: Cast, model: type[ContentModel]):
    """Acceptance row C15."""
    assert count_foreign(model, cast) == 0


@each_table
@pytest.mark.usefixtures("real_commits")
def test_it_sees_the_own_rows(cast: Cast, model: type[ContentModel]):
    owners = list_owners(
        reads(model._meta.db_table), Purpose.SERVICE, relationship=cast.ann.id
    )

    assert set(owners) == {cast.ann.id}


@each_table
@pytest.mark.parametrize("statement", [reads, updates, deletes])
@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.usefixtures("real_commits")
def test_it_keeps_every_role_to_its_scope(
    cast: Cast,
    model: type[ContentModel],
    statement: Callable[[str], str],
    purpose: Purpose,
):
    sql = statement(model._meta.db_table)

    by_relationship = set(list_owners(sql, purpose, relationship=cast.ann.id))
    by_user = set(list_owners(sql, purpose, user=cast.ann.user_id))

    assert by_relationship == (set() if purpose is Purpose.PORTAL else {cast.ann.id})
    assert by_user == (
        {cast.ann.id, cast.ann_too.id}
        if purpose in (Purpose.PORTAL, Purpose.DESK)
        else set()
    )


@each_table
@pytest.mark.parametrize("role", ["memsys_app", "memsys_portal", "memsys_staff"])
@pytest.mark.usefixtures("real_commits")
def test_it_answers_with_an_error_outside_a_scope(
    cast: Cast, model: type[ContentModel], role: str
):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {role}")
        with pytest.raises(DatabaseError):
            cursor.execute(reads(model._meta.db_table))
        transaction.set_rollback(True)


@each_table
@pytest.mark.usefixtures("real_commits")
def test_it_hides_the_rows_from_their_owner_too(cast: Cast, model: type[ContentModel]):
    with connections["owner"].cursor() as cursor:
        cursor.execute(reads(model._meta.db_table))
        assert cursor.fetchall() == []


@each_table
@pytest.mark.usefixtures("real_commits")
def test_it_gives_the_staff_nothing_without_a_purpose(
    cast: Cast, model: type[ContentModel]
):
    with undone_scope(Purpose.DESK, user=cast.ann.user_id) as cursor:
        cursor.execute("SET LOCAL memsys.purpose = ''")
        cursor.execute(reads(model._meta.db_table))
        assert cursor.fetchall() == []


@each_table
@pytest.mark.usefixtures("real_commits")
def test_it_refuses_to_truncate(cast: Cast, model: type[ContentModel]):
    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        undone_scope(Purpose.SERVICE, relationship=cast.ann.id) as cursor,
    ):
        cursor.execute(f"TRUNCATE {model._meta.db_table} CASCADE")


MUTATIONS = {
    "row security disabled": (
        "ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
    ),
    "a policy that lets all pass": (
        "CREATE POLICY mutation ON {table} TO memsys_app USING (true)",
        "DROP POLICY mutation ON {table}",
    ),
}


@each_table
@pytest.mark.parametrize("name", MUTATIONS)
@pytest.mark.usefixtures("real_commits")
def test_it_notices_when_isolation_is_broken(
    cast: Cast, model: type[ContentModel], name: str
):
    """Acceptance row C14."""
    mutate, restore = (
        statement.format(table=model._meta.db_table) for statement in MUTATIONS[name]
    )

    with connections["owner"].cursor() as cursor:
        cursor.execute(mutate)
        try:
            leaks = count_foreign(model, cast)
        finally:
            cursor.execute(restore)

    assert leaks > 0
    assert count_foreign(model, cast) == 0
