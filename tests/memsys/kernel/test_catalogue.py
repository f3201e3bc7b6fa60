"""What the database's catalogue says of isolation, for every table that there is."""

from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from consent.models import UserModel
from identity.models import ContentModel
from memsys.kernel.sharding.fields import ShardForeignKey, is_sharded
from memsys.kernel.sharding.models import ShardModel
from tests.memsys.kernel.cast import (
    CONTENT,
    QUEUES,
    USER_OWNED,
    each_guarded_table,
    each_queue,
    each_table,
    each_user_table,
    name_of_table,
)
from tests.memsys.kernel.trespass import APPEND_ONLY

ENTERED = ("memsys_app", "memsys_staff", "memsys_portal")


def fetch(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query on the catalogue."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def list_unique(model: type[ShardModel]) -> dict[str, set[str]]:
    """Return the columns of each unique index of a table but its primary key."""
    rows = fetch(
        """
        SELECT indexrelid::regclass::text, array_agg(attname)
        FROM pg_index JOIN pg_attribute ON attrelid = indexrelid
        WHERE indrelid = %s::regclass AND indisunique AND NOT indisprimary GROUP BY 1
        """,
        model._meta.db_table,
    )
    return {name: set(columns) for name, columns in rows}


@each_table
def test_it_has_the_relationship_in_every_unique_index_but_the_key(
    db: None, model: type[ContentModel]
):
    indexes = list_unique(model)

    assert [
        one for one, names in indexes.items() if "relationship_id" not in names
    ] == []


@each_user_table
def test_it_has_the_user_or_the_parent_in_every_unique_index_but_the_key(
    db: None, model: type[UserModel]
):
    """A key without an owner would tell that somebody has a row of these values.

    The id of a parent is as good as the user's: it is drawn, not chosen, and belongs to
    one user; who knows it has it from a row that they may see.
    """
    owners = {"global_user_id"} | {
        field.attname
        for field in model._meta.concrete_fields
        if isinstance(field, ShardForeignKey)
        and issubclass(field.related_model, UserModel)
    }

    indexes = list_unique(model)

    assert [one for one, names in indexes.items() if not owners & names] == []


@each_queue
def test_it_lets_only_those_write_to_a_queue_who_see_all_of_it(
    db: None, model: type[UserModel]
):
    """Why keys of a queue need no owner, such as `number` and `receipt_code`.

    An oracle tells a role of rows that are hidden from it. In a queue none are: there is
    no policy, and whoever may insert may read every row. Nor does it tell anybody
    outside: both values are made here, and none is taken from a caller.
    """
    rows = fetch(
        "SELECT rolname, has_table_privilege(rolname, %s, 'SELECT') FROM pg_roles "
        "WHERE rolname = ANY (%s) AND has_table_privilege(rolname, %s, 'INSERT')",
        model._meta.db_table,
        list(ENTERED),
        model._meta.db_table,
    )
    guards = fetch(
        "SELECT FROM pg_class WHERE oid = %s::regclass AND relrowsecurity",
        model._meta.db_table,
    )

    assert rows == [("memsys_app", True)]
    assert guards == []


@each_queue
def test_it_holds_no_words_of_a_person_in_a_queue(model: type[UserModel]):
    """No policy guards these rows, so nothing may stand in them that one should."""
    privacy: Any = model.__dict__["Privacy"]

    assert (privacy.sensitive, privacy.releasable) == ((), ())


OF_RELATIONSHIP = (
    "(relationship_id = (current_setting('memsys.relationship'::text))::uuid)"
)
OF_USER = "(global_user_id = (current_setting('memsys.user'::text))::uuid)"
HAS_PURPOSE = "(current_setting('memsys.purpose'::text) <> ''::text)"
POLICIES_OF_CONTENT = {
    "memsys_app": OF_RELATIONSHIP,
    "memsys_portal": OF_USER,
    "memsys_staff": f"({HAS_PURPOSE} AND ({OF_RELATIONSHIP} OR {OF_USER}))",
}
POLICIES_OF_USERS = {
    "memsys_app": OF_USER,
    "memsys_portal": OF_USER,
    "memsys_staff": f"({HAS_PURPOSE} AND {OF_USER})",
}
# Who seals and counts is a role without a login, through the functions listed below.
POLICIES_OF_AUDIT = {
    "consent_accessrecord": [("ALL", "true", "true")],
    "consent_consentgrant": [("SELECT", "true", None)],
    "consent_disclosurereminder": [("ALL", "true", "true")],
    "consent_releasereceipt": [("ALL", "true", "true")],
}


def list_policies(table: str) -> dict[str, list[tuple[str, str, str | None]]]:
    """Return the policies of a table by role: the command and the two conditions."""
    rows = fetch(
        "SELECT roles::text[], permissive, cmd, qual, with_check FROM pg_policies "
        "WHERE schemaname = 'public' AND tablename = %s",
        table,
    )
    found: dict[str, list[tuple[str, str, str | None]]] = {}
    for (role,), permissive, command, rows_seen, rows_written in rows:
        assert permissive == "PERMISSIVE"
        found.setdefault(role, []).append((command, rows_seen, rows_written))
    return found


@each_table
def test_it_has_the_three_policies_of_content_and_no_other(
    db: None, model: type[ContentModel]
):
    assert list_policies(model._meta.db_table) == {
        role: [("ALL", rows, rows)] for role, rows in POLICIES_OF_CONTENT.items()
    }


@each_user_table
def test_it_has_the_three_policies_of_users_and_those_of_the_audit(
    db: None, model: type[UserModel]
):
    table = model._meta.db_table

    policies = list_policies(table)

    assert policies.pop("memsys_audit", []) == POLICIES_OF_AUDIT.get(table, [])
    assert policies == {
        role: [("ALL", rows, rows)] for role, rows in POLICIES_OF_USERS.items()
    }


def test_it_lets_the_audit_change_nothing_of_a_user_but_the_batch(db: None):
    rows = fetch(
        "SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid "
        "WHERE relrowsecurity AND attnum > 0 AND (has_column_privilege('memsys_audit', "
        "pg_class.oid, attnum, 'UPDATE') OR has_column_privilege('memsys_audit', "
        "pg_class.oid, attnum, 'INSERT'))"
    )

    assert rows == [("consent_accessrecord", "batch")]


@each_guarded_table
def test_it_enables_and_forces_row_security(db: None, model: type[ShardModel]):
    rows = fetch(
        "SELECT relrowsecurity, relforcerowsecurity FROM pg_class "
        "WHERE oid = %s::regclass",
        model._meta.db_table,
    )

    assert rows == [(True, True)]


def test_it_finds_the_guarded_tables_that_there_are(db: None):
    rows = fetch("SELECT relname FROM pg_class WHERE relrowsecurity")

    assert sorted(name for (name,) in rows) == sorted(
        model._meta.db_table for model in (*CONTENT, *USER_OWNED)
    )
    assert (len(CONTENT) >= 5, len(USER_OWNED) >= 8, len(QUEUES)) == (True, True, 4)


def test_it_cascades_nowhere_in_the_database(db: None):
    """Acceptance row C15."""
    rows = fetch(
        "SELECT conname FROM pg_constraint WHERE contype = 'f' "
        "AND (confdeltype <> 'a' OR confupdtype <> 'a')"
    )

    assert rows == []


def list_references(model: type[ShardModel]) -> dict[str, set[str]]:
    """Return the columns of each reference of a table to a sharded one."""
    sharded = [one._meta.db_table for one in apps.get_models() if is_sharded(one)]
    rows = fetch(
        """
        SELECT conname, array_agg(attname::text)
        FROM pg_constraint
        JOIN pg_class AS parent ON parent.oid = confrelid
        JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
        WHERE contype = 'f' AND conrelid = %s::regclass AND parent.relname = ANY (%s)
        GROUP BY 1
        """,
        model._meta.db_table,
        sharded,
    )
    return {name: set(columns) for name, columns in rows}


def count_references(model: type[ShardModel]) -> int:
    """Return how many references the model declares to rows of its user."""
    fields = model._meta.concrete_fields
    return sum(isinstance(field, ShardForeignKey) for field in fields)


@each_table
def test_it_ties_content_to_content_within_the_relationship(
    db: None, model: type[ContentModel]
):
    references = list_references(model)

    assert len(references) >= count_references(model) - 1
    for name, columns in references.items():
        assert {"shard", "relationship_id"} <= columns, name


@pytest.mark.parametrize("model", [*USER_OWNED, *QUEUES], ids=name_of_table)
def test_it_ties_what_a_user_owns_to_rows_of_that_user(
    db: None, model: type[UserModel]
):
    references = list_references(model)

    assert len(references) == count_references(model)
    for name, columns in references.items():
        assert {"shard", "global_user_id"} <= columns, name


@pytest.mark.parametrize("label", sorted(APPEND_ONLY))
def test_it_lets_no_role_of_the_app_change_what_is_only_added(db: None, label: str):
    rows = fetch(
        "SELECT rolname, has_table_privilege(rolname, %s, 'DELETE'), "
        "has_any_column_privilege(rolname, %s, 'UPDATE') FROM pg_roles "
        "WHERE rolname = ANY (%s) ORDER BY 1",
        *[apps.get_model(label)._meta.db_table] * 2,
        list(ENTERED),
    )

    assert rows == [(role, False, False) for role in sorted(ENTERED)]


def test_it_lets_the_app_change_of_a_policy_text_only_when_it_needs_renewal(db: None):
    rows = fetch(
        "SELECT attname FROM pg_attribute WHERE attnum > 0 "
        "AND attrelid = 'consent_policyversion'::regclass "
        "AND has_column_privilege('memsys_app', attrelid, attnum, 'UPDATE')"
    )

    assert rows == [("renewal_from",)]


def test_it_has_no_view_that_reads_past_the_policies(db: None):
    rows = fetch(
        "SELECT relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace "
        "WHERE relkind IN ('v', 'm') AND nspname NOT IN "
        "('pg_catalog', 'information_schema')"
    )

    assert rows == []


# What each may do past the policies: chain an entry, chain a change of a governed row,
# seal access rows and digest a sealed batch, and count whom a release would reach.
FUNCTIONS = {
    "expire_proofs",
    "chain_entry",
    "count_granting",
    "digest_access",
    "note_row",
    "seal_access",
}


def test_it_has_no_function_with_rights_of_its_own_but_those_of_the_audit(db: None):
    rows = fetch(
        "SELECT nspname, proname, proowner::regrole::text, proconfig FROM pg_proc "
        "JOIN pg_namespace AS n ON n.oid = pronamespace "
        "WHERE prosecdef AND nspname NOT IN ('pg_catalog', 'information_schema') "
        "ORDER BY proname"
    )

    path = ["search_path=pg_catalog, pg_temp"]
    assert rows == [
        ("memsys_audit", name, "memsys_audit", path) for name in sorted(FUNCTIONS)
    ]


def test_it_lets_not_everybody_call_a_function_with_rights_of_its_own(db: None):
    """Trigger functions aside, which nobody can call."""
    rows = fetch(
        "SELECT proname, rolname FROM pg_proc, pg_roles "
        "WHERE prosecdef AND prorettype <> 'trigger'::regtype "
        "AND pronamespace = 'memsys_audit'::regnamespace "
        "AND rolname = 'memsys_portal' "
        "AND has_function_privilege(pg_roles.oid, pg_proc.oid, 'EXECUTE')"
    )

    assert rows == []


def test_it_lets_only_maintenance_and_superusers_past_the_policies(db: None):
    rows = fetch("SELECT rolname FROM pg_roles WHERE rolbypassrls AND NOT rolsuper")

    assert rows == [("memsys_maintenance",)]


def test_it_lets_no_role_of_the_app_truncate(db: None):
    rows = fetch(
        "SELECT rolname, relname FROM pg_roles, pg_class "
        "WHERE rolname IN ('memsys_app', 'memsys_staff', 'memsys_portal') "
        "AND relkind IN ('r', 'p') AND has_table_privilege(pg_roles.oid, "
        "pg_class.oid, 'TRUNCATE')"
    )

    assert rows == []
