"""Bulk edits: each object leaves a chained row of its own, or nothing is changed.

Accounts, roles and keys are chained row by row by the database, whatever the statement.
The role in which the desk reads may change nothing at all, content least of all.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import ProgrammingError, connection, transaction
from django.utils import timezone

from memsys.api.models import ServiceKey, WebhookEndpoint
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.scope.staff import staff_role
from tests.factories.content import list_content_models, make_row
from tests.factories.identity import make_relationship, new_name
from tests.memsys.kernel.audit.conftest import list_faults
from tests.rules.sources import PACKAGES

ROWS = "rows"


def make_users(count: int) -> list[Any]:
    return [User.objects.create(username=new_name("person")) for _ in range(count)]


def make_groups(count: int) -> list[Any]:
    return [Group.objects.create(name=new_name("role")) for _ in range(count)]


def make_keys(count: int) -> list[Any]:
    ends = timezone.now() + timedelta(days=1)
    return [
        ServiceKey.objects.create_key(name="t", scopes=["x"], expiry_date=ends)[0]
        for _ in range(count)
    ]


def make_endpoints(count: int) -> list[Any]:
    return [
        WebhookEndpoint.objects.create(url="https://a.test/", seed=b"s", made_by="x")
        for _ in range(count)
    ]


# How to make some, the column that is changed, and by what the audit names them.
GOVERNED: dict[Any, tuple[Callable[[int], list[Any]], str, str]] = {
    User: (make_users, "first_name", "pk"),
    Group: (make_groups, "name", "pk"),
    ServiceKey: (make_keys, "name", "prefix"),
    WebhookEndpoint: (make_endpoints, "url", "pk"),
}


def update(rows: Any, column: str) -> None:
    for number, one in enumerate(rows):
        # A name may be unique, so one by one, in one transaction.
        type(one).objects.filter(pk=one.pk).update(
            **{column: f"{number}{uuid4()}"[:40]}
        )


def bulk_update(rows: Any, column: str) -> None:
    for one in rows:
        setattr(one, column, str(uuid4()))
    type(rows[0]).objects.bulk_update(rows, [column])


def update_by_sql(rows: Any, column: str) -> None:
    table = type(rows[0])._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} SET {column} = {column} || 'x' WHERE id = ANY (%s)",  # noqa: S608
            [[one.pk for one in rows]],
        )


def delete(rows: Any, column: str) -> None:
    type(rows[0]).objects.filter(pk__in=[one.pk for one in rows]).delete()


def delete_by_sql(rows: Any, column: str) -> None:
    table = type(rows[0])._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM {table} WHERE id = ANY (%s)",  # noqa: S608
            [[one.pk for one in rows]],
        )


EDITS = {
    update: "row.changed",
    bulk_update: "row.changed",
    update_by_sql: "row.changed",
    delete: "row.deleted",
    delete_by_sql: "row.deleted",
}


def list_entries(rows: list[Any], names: list[str]) -> list[tuple[str, list[str]]]:
    """Return action and fields of each entry about these objects, in order."""
    table = type(rows[0])._meta.db_table
    refs = [f"{table}:{name}" for name in names]
    with staff_role():
        entries = AuditEntry.objects.filter(chain=ROWS, object_ref__in=refs)
        return list(entries.order_by("seq").values_list("action", "field_names"))


@pytest.mark.parametrize("edit", EDITS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("model", GOVERNED, ids=lambda one: one.__name__)
@pytest.mark.usefixtures("real_commits")
def test_each_object_of_a_bulk_edit_leaves_a_row(model: Any, edit: Any):
    """Acceptance row C1."""
    make, column, name = GOVERNED[model]
    rows = make(3)
    names = [str(getattr(one, name)) for one in rows]
    before = list_entries(rows, names)

    with transaction.atomic():
        edit(rows, column)

    new = list_entries(rows, names)[len(before) :]
    assert [action for action, _ in before] == ["row.added"] * 3
    assert [action for action, _ in new] == [EDITS[edit]] * 3
    if EDITS[edit] == "row.changed":
        assert [fields for _, fields in new] == [[column]] * 3
    assert list_faults(ROWS) == []


@pytest.mark.usefixtures("real_commits")
def test_each_row_that_is_made_in_bulk_leaves_one():
    """Acceptance row C1."""
    users = User.objects.bulk_create(
        [User(username=new_name("person")) for _ in range(5)]
    )

    entries = list_entries(users, [str(one.pk) for one in users])

    assert [action for action, _ in entries] == ["row.added"] * 5


@pytest.mark.usefixtures("real_commits")
def test_who_gets_a_role_is_chained_with_the_account():
    (person,) = make_users(1)
    roles = make_groups(2)

    person.groups.set(roles)

    with staff_role():
        entries = AuditEntry.objects.filter(
            chain=ROWS, object_ref=f"auth_user_groups:{person.pk}"
        )
        assert [one.action for one in entries] == ["row.added"] * 2


GOVERNED_TABLES = {
    "auth_user",
    "auth_group",
    "auth_user_groups",
    "auth_user_user_permissions",
    "auth_group_permissions",
    "api_servicekey",
    "api_webhookendpoint",
    "consent_changerequest",
    "consent_policyversion",
    "consent_profilefield",
    "consent_releasepolicy",
    "recall_recallpolicy",
}


def test_it_governs_accounts_roles_keys_and_policies(db: None):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, tgdeferrable AND tginitdeferred "
            "FROM pg_trigger WHERE tgname = 'audit_row'"
        )
        triggers = dict(cursor.fetchall())

    assert triggers == dict.fromkeys(GOVERNED_TABLES, True)


@pytest.mark.usefixtures("real_commits")
def test_no_value_and_no_secret_is_written_down():
    (key,) = make_keys(1)
    (person,) = make_users(1)
    User.objects.filter(pk=person.pk).update(first_name="小明", password="geheim")

    with staff_role():
        entries = [
            str(one)
            for one in AuditEntry.objects.filter(chain=ROWS).values_list(
                "actor", "action", "object_ref", "field_names"
            )
        ]

    text = "\n".join(entries)
    assert key.hashed_key not in text
    assert not {"小明", "geheim", person.username} & set(text.split("'"))
    assert "['first_name', 'password']" in text


@pytest.mark.usefixtures("real_commits")
def test_a_sign_in_is_no_change_of_the_account():
    (person,) = make_users(1)
    User.objects.filter(pk=person.pk).update(last_login=timezone.now())

    entries = list_entries([person], [str(person.pk)])

    assert [action for action, _ in entries] == ["row.added"]


@pytest.mark.usefixtures("real_commits")
def test_what_is_rolled_back_leaves_none():
    (person,) = make_users(1)
    with transaction.atomic():
        User.objects.filter(pk=person.pk).update(first_name="x")
        transaction.set_rollback(True)

    assert len(list_entries([person], [str(person.pk)])) == 1


CONTENT = list_content_models()
CONTENT_EDITS: dict[str, Callable[[Any, Any], Any]] = {
    "update": lambda model, row: model.objects.filter(pk=row.pk).update(shard=1),
    "bulk_update": lambda model, row: model.objects.bulk_update([row], ["shard"]),
    "bulk_create": lambda model, row: model.objects.bulk_create([row]),
    "raw delete": lambda model, row: model.objects.filter(pk=row.pk)._raw_delete(
        "default"
    ),
    "raw SQL": lambda model, row: _run(f"UPDATE {model._meta.db_table} SET shard = 1"),  # noqa: S608
    "raw SQL delete": lambda model, row: _run(f"DELETE FROM {model._meta.db_table}"),  # noqa: S608
}


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("model", CONTENT, ids=lambda one: one._meta.db_table)
@pytest.mark.usefixtures("real_commits")
def test_the_desk_changes_no_content_in_its_own_role(model: Any):
    """Acceptance row C1."""
    ann = make_relationship()
    row = make_row(model, ann)

    refused = []
    for name, edit in CONTENT_EDITS.items():
        with (
            pytest.raises(ProgrammingError, match="permission denied"),
            access_scope(Purpose.DESK, relationship=ann.id),
        ):
            edit(model, row)
        refused.append(name)

    assert refused == list(CONTENT_EDITS)


# The audit itself, and what outsiders are told in the transaction of a deed.
ADDED_BY_STAFF = {"kernel_auditentry", "kernel_auditpayload", "kernel_outboxevent"}
TABLES = sorted(
    model._meta.db_table
    for model in apps.get_models()
    if model.__module__.split(".")[0] in (*PACKAGES, "django")
)


COLUMN_RIGHTS = ("INSERT", "UPDATE")
TABLE = "has_table_privilege"


def list_rights(role: str) -> Iterator[tuple[str, str]]:
    """Yield table and right of each right to change that a role has."""
    for table in TABLES:
        for right in ("INSERT", "UPDATE", "DELETE", "TRUNCATE"):
            function = "has_any_column_privilege" if right in COLUMN_RIGHTS else TABLE
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT {function}(%s, %s, %s)", [role, table, right])
                if cursor.fetchone() == (True,):
                    yield table, right


def test_the_role_of_the_desk_may_only_read_and_record(db: None):
    """Acceptance row C1."""
    assert set(list_rights("memsys_staff")) == {
        (table, "INSERT") for table in ADDED_BY_STAFF
    }


@pytest.mark.parametrize("table", ["kernel_auditentry", "kernel_audithead"])
def test_no_role_changes_a_chain(db: None, table: str):
    """Acceptance row C2."""
    for role in ("memsys_app", "memsys_portal", "memsys_staff", "memsys_maintenance"):
        rights = {right for name, right in list_rights(role) if name == table}
        assert rights <= {"INSERT"}
