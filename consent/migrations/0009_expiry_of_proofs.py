"""Let receipts and reminders that are older than the law's floor be deleted."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memsys.kernel.sql import load_sql


def allow(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("consent", "expiry_rights"))


def forbid(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("consent", "expiry_rights_undo"))


class Migration(migrations.Migration):
    dependencies = [("consent", "0008_names_of_rows")]
    operations = [migrations.RunPython(allow, forbid)]
