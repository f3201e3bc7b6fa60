"""Isolation, tried by raw unfiltered SQL as the app's login, with real commits.

Of every table with row security: content, which belongs to a relationship, and what
belongs to a user over all relationships. The two mutations at the end must break the
check: a check that cannot fail proves nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import (
    DatabaseError,
    ProgrammingError,
    connection,
    connections,
    transaction,
)

from memsys.kernel.scope import Purpose
from memsys.kernel.sharding.models import ShardModel
from tests.memsys.kernel.cast import (
    CONTENT,
    USER_OWNED,
    Cast,
    each_table,
    each_user_table,
    name_of_table,
    undone_scope,
)
from tests.memsys.kernel.trespass import (
    APPEND_ONLY,
    BY_RELATIONSHIP,
    BY_USER,
    Border,
    count_foreign,
    is_refused,
    list_owners,
    plant,
)

GUARDED = [
    *((model, BY_RELATIONSHIP) for model in CONTENT),
    *((model, BY_USER) for model in USER_OWNED),
]
each_guarded = pytest.mark.parametrize(
    ("model", "border"),
    GUARDED,
    ids=[name_of_table(model) for model, _border in GUARDED],
)
ROLES = ["memsys_app", "memsys_portal", "memsys_staff"]


@each_guarded
@pytest.mark.usefixtures("real_commits")
def test_it_touches_no_foreign_row(cast: Cast, model: type[ShardModel], border: Border):
    """Acceptance row C15."""
    assert count_foreign(model, cast, border) == 0


@each_guarded
@pytest.mark.usefixtures("real_commits")
def test_it_sees_the_own_rows(cast: Cast, model: type[ShardModel], border: Border):
    mine = border.owner_of(cast.ann)

    owners = list_owners(border.reads(model), Purpose.SERVICE, **{border.target: mine})

    assert set(owners) == {mine}


@each_guarded
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.usefixtures("real_commits")
def test_it_answers_with_an_error_outside_a_scope(
    cast: Cast, model: type[ShardModel], border: Border, role: str
):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {role}")
        with pytest.raises(DatabaseError):
            cursor.execute(border.reads(model))
        transaction.set_rollback(True)


@each_table
@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.usefixtures("real_commits")
def test_it_keeps_every_role_to_its_scope_of_content(
    cast: Cast, model: type[ShardModel], purpose: Purpose
):
    for sql in BY_RELATIONSHIP.list_statements(model, purpose):
        by_relationship = set(list_owners(sql, purpose, relationship=cast.ann.id))
        by_user = set(list_owners(sql, purpose, user=cast.ann.user_id))

        assert by_relationship == (
            set() if purpose is Purpose.PORTAL else {cast.ann.id}
        )
        assert by_user == (
            {cast.ann.id, cast.ann_too.id}
            if purpose in (Purpose.PORTAL, Purpose.DESK)
            else set()
        )


@each_guarded
@pytest.mark.usefixtures("real_commits")
def test_it_lets_the_desk_only_read(
    cast: Cast, model: type[ShardModel], border: Border
):
    target = {border.target: border.owner_of(cast.ann)}

    assert is_refused(plant, model, cast, border, Purpose.DESK)
    for sql in (border.updates(model), border.deletes(model)):
        with pytest.raises(ProgrammingError, match="permission denied"):
            list_owners(sql, Purpose.DESK, **target)


@each_user_table
@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.usefixtures("real_commits")
def test_it_shows_every_role_what_a_user_owns_in_the_scope_of_that_user_alone(
    cast: Cast, model: type[ShardModel], purpose: Purpose
):
    for sql in BY_USER.list_statements(model, purpose):
        by_user = set(list_owners(sql, purpose, user=cast.ann.user_id))
        by_relationship = list_owners(sql, purpose, relationship=cast.ann.id)

        assert by_user == {cast.ann.user_id}
        assert by_relationship == []


@each_user_table
@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.usefixtures("real_commits")
def test_it_lets_no_role_write_a_row_of_another_user(
    cast: Cast, model: type[ShardModel], purpose: Purpose
):
    assert is_refused(plant, model, cast, BY_USER, purpose)


@pytest.mark.parametrize("purpose", [Purpose.SERVICE, Purpose.JOB])
@pytest.mark.usefixtures("real_commits")
def test_it_keeps_a_scope_of_both_to_the_relationship_and_to_its_user(
    cast: Cast, purpose: Purpose
):
    both = {"relationship": cast.ann.id, "user": cast.ann.user_id}

    content = [
        list_owners(BY_RELATIONSHIP.reads(one), purpose, **both) for one in CONTENT
    ]
    owned = [list_owners(BY_USER.reads(one), purpose, **both) for one in USER_OWNED]

    assert [set(owners) for owners in content] == [{cast.ann.id}] * len(CONTENT)
    assert [set(owners) for owners in owned] == [{cast.ann.user_id}] * len(USER_OWNED)


@pytest.mark.usefixtures("real_commits")
def test_it_shows_a_scope_nothing_of_a_user_who_is_not_its_own(cast: Cast):
    """A caller's mistake crosses the targets; the rows still do not mix."""
    crossed = {"relationship": cast.ann.id, "user": cast.chloe.user_id}

    for model in USER_OWNED:
        owners = list_owners(BY_USER.reads(model), Purpose.SERVICE, **crossed)
        assert set(owners) == {cast.chloe.user_id}


@pytest.mark.parametrize("label", sorted(APPEND_ONLY))
@pytest.mark.parametrize("purpose", list(Purpose))
@pytest.mark.usefixtures("real_commits")
def test_it_lets_nobody_change_or_take_what_is_only_added(
    cast: Cast, label: str, purpose: Purpose
):
    (model,) = [one for one in USER_OWNED if one._meta.label == label]

    for sql in (BY_USER.updates(model), BY_USER.deletes(model)):
        with pytest.raises(ProgrammingError, match="permission denied"):
            list_owners(sql, purpose, user=cast.ann.user_id)


@each_guarded
@pytest.mark.usefixtures("real_commits")
def test_it_hides_the_rows_from_their_owner_too(
    cast: Cast, model: type[ShardModel], border: Border
):
    with connections["owner"].cursor() as cursor:
        cursor.execute(border.reads(model))
        assert cursor.fetchall() == []


@each_guarded
@pytest.mark.usefixtures("real_commits")
def test_it_gives_the_staff_nothing_without_a_purpose(
    cast: Cast, model: type[ShardModel], border: Border
):
    with undone_scope(Purpose.DESK, user=cast.ann.user_id) as cursor:
        cursor.execute("SET LOCAL memsys.purpose = ''")
        cursor.execute(border.reads(model))
        assert cursor.fetchall() == []


@each_guarded
@pytest.mark.usefixtures("real_commits")
def test_it_refuses_to_truncate(cast: Cast, model: type[ShardModel], border: Border):
    target = {border.target: border.owner_of(cast.ann)}

    with (
        pytest.raises(ProgrammingError, match="permission denied"),
        undone_scope(Purpose.SERVICE, **target) as cursor,
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


@contextmanager
def mutated(model: type[ShardModel], name: str) -> Iterator[Any]:
    """Break the isolation of a table, and mend it."""
    mutate, restore = (
        statement.format(table=model._meta.db_table) for statement in MUTATIONS[name]
    )
    with connections["owner"].cursor() as cursor:
        cursor.execute(mutate)
        try:
            yield
        finally:
            cursor.execute(restore)


@each_guarded
@pytest.mark.parametrize("name", MUTATIONS)
@pytest.mark.usefixtures("real_commits")
def test_it_notices_when_isolation_is_broken(
    cast: Cast, model: type[ShardModel], border: Border, name: str
):
    """Acceptance row C14."""
    mine = border.owner_of(cast.ann)
    target = {border.target: mine}

    with mutated(model, name):
        leaks = count_foreign(model, cast, border)
        seen = list_owners(border.reads(model), Purpose.SERVICE, **target)
        is_planted = not is_refused(plant, model, cast, border)

    assert leaks > 0
    assert set(seen) > {mine}
    assert is_planted
    assert count_foreign(model, cast, border) == 0
