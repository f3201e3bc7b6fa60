"""Chain audit entries in the database and refuse every change of them."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memsys.kernel.sql import load_sql


def make_triggers(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("kernel", "audit_triggers"))


def drop_triggers(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("kernel", "audit_triggers_undo"))


class Migration(migrations.Migration):
    dependencies = [("kernel", "0001_initial")]
    operations = [migrations.RunPython(make_triggers, drop_triggers)]
