"""What the database's catalogue says of isolation, for every table that there is."""

from typing import Any

from django.db import connection

from identity.models import ContentModel
from tests.memsys.kernel.cast import CONTENT, each_table


def fetch(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query on the catalogue."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


@each_table
def test_it_has_the_relationship_in_every_unique_index_but_the_key(
    db: None, model: type[ContentModel]
):
    rows = fetch(
        """
        SELECT indexrelid::regclass::text, array_agg(attname)
        FROM pg_index JOIN pg_attribute ON attrelid = indexrelid
        WHERE indrelid = %s::regclass AND indisunique AND NOT indisprimary GROUP BY 1
        """,
        model._meta.db_table,
    )

    assert [name for name, columns in rows if "relationship_id" not in columns] == []


POLICIES = {
    "memsys_app": (
        "(relationship_id = (current_setting('memsys.relationship'::text))::uuid)"
    ),
    "memsys_portal": (
        "(global_user_id = (current_setting('memsys.user'::text))::uuid)"
    ),
    "memsys_staff": (
        "((current_setting('memsys.purpose'::text) <> ''::text) AND "
        "((relationship_id = (current_setting('memsys.relationship'::text))::uuid) "
        "OR (global_user_id = (current_setting('memsys.user'::text))::uuid)))"
    ),
}


@each_table
def test_it_has_the_three_policies_and_no_other(db: None, model: type[ContentModel]):
    rows = fetch(
        "SELECT roles::text[], permissive, cmd, qual, with_check FROM pg_policies "
        "WHERE schemaname = 'public' AND tablename = %s ORDER BY roles",
        model._meta.db_table,
    )

    assert rows == [
        ([role], "PERMISSIVE", "ALL", condition, condition)
        for role, condition in POLICIES.items()
    ]


@each_table
def test_it_enables_and_forces_row_security(db: None, model: type[ContentModel]):
    rows = fetch(
        "SELECT relrowsecurity, relforcerowsecurity FROM pg_class "
        "WHERE oid = %s::regclass",
        model._meta.db_table,
    )

    assert rows == [(True, True)]


def test_it_finds_the_content_tables_that_there_are(db: None):
    rows = fetch("SELECT relname FROM pg_class WHERE relrowsecurity")

    assert sorted(name for (name,) in rows) == sorted(
        model._meta.db_table for model in CONTENT
    )
    assert len(CONTENT) >= 4


def test_it_cascades_nowhere_in_the_database(db: None):
    """Acceptance row C15."""
    rows = fetch(
        "SELECT conname FROM pg_constraint WHERE contype = 'f' "
        "AND (confdeltype <> 'a' OR confupdtype <> 'a')"
    )

    assert rows == []


def test_it_ties_content_to_content_within_the_relationship(db: None):
    rows = fetch(
        """
        SELECT conname, array_agg(attname)
        FROM pg_constraint
        JOIN pg_class AS child ON child.oid = conrelid AND child.relrowsecurity
        JOIN pg_class AS parent ON parent.oid = confrelid
        JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
        WHERE contype = 'f' GROUP BY 1
        """
    )

    assert len(rows) >= len(CONTENT)
    for name, columns in rows:
        assert {"shard", "relationship_id"} <= set(columns), name


def test_it_has_no_view_that_reads_past_the_policies(db: None):
    rows = fetch(
        "SELECT relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace "
        "WHERE relkind IN ('v', 'm') AND nspname NOT IN "
        "('pg_catalog', 'information_schema')"
    )

    assert rows == []


def test_it_has_no_function_with_rights_of_its_own_but_the_audit_trigger(db: None):
    rows = fetch(
        "SELECT nspname, proname, proowner::regrole::text, proconfig FROM pg_proc "
        "JOIN pg_namespace AS n ON n.oid = pronamespace "
        "WHERE prosecdef AND nspname NOT IN ('pg_catalog', 'information_schema')"
    )

    assert rows == [
        (
            "memsys_audit",
            "chain_entry",
            "memsys_audit",
            ["search_path=pg_catalog, pg_temp"],
        )
    ]


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
