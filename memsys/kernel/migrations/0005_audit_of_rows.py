"""Let governed tables have each change of a row chained, whoever makes it."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memsys.kernel.sql import load_sql


def make_function(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("kernel", "audit_row_trigger"))


def drop_function(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("kernel", "audit_row_trigger_undo"))


class Migration(migrations.Migration):
    dependencies = [("kernel", "0004_audit_checks")]
    operations = [migrations.RunPython(make_function, drop_function)]
