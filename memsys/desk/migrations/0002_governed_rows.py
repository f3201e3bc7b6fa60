"""Chain each change of accounts, roles, keys and policies; let the desk only read."""

from collections.abc import Iterator

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memsys.kernel.audit.governed import govern, let_go
from memsys.kernel.sql import load_sql

# Each with the column that names a row, and those that change without a deed.
LOCAL = (
    ("auth_user", "id", "last_login"),
    ("auth_group", "id"),
    ("auth_user_groups", "user_id"),
    ("auth_user_user_permissions", "user_id"),
    ("auth_group_permissions", "group_id"),
    # The id of a key holds its hash, its prefix does not.
    ("api_servicekey", "prefix"),
    ("api_webhookendpoint", "id"),
    ("consent_changerequest", "id"),
)
# Citus refuses triggers on tables that are copied to each node.
REFERENCE = (
    ("consent_policyversion", "id"),
    ("consent_profilefield", "key"),
    ("consent_releasepolicy", "id"),
    ("recall_recallpolicy", "id"),
)


def list_governed() -> Iterator[tuple[str, ...]]:
    yield from LOCAL
    if settings.MEMSYS_LAYOUT == "plain":
        yield from REFERENCE


def govern_rows(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    for one in list_governed():
        editor.execute(govern(*one), params=None)
    editor.execute(load_sql("desk", "desk_reads"), params=None)


def let_rows_go(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    # The role of the desk stays one that only reads.
    for one in list_governed():
        editor.execute(let_go(one[0]), params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("desk", "0001_signing_in_and_reveals"),
        ("kernel", "0005_audit_of_rows"),
        ("api", "0003_webhooks"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("consent", "0002_keys_and_isolation"),
        ("memories", "0004_model_call_keys_and_isolation"),
        ("recall", "0001_initial"),
    ]
    operations = [migrations.RunPython(govern_rows, let_rows_go)]
