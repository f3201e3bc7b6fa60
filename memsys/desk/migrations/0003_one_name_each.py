"""Refuse a second account whose name differs by capitals alone."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memsys.kernel.sql import load_sql


def make_index(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("desk", "one_name_each"), params=None)


def drop_index(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("desk", "one_name_each_undo"), params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("desk", "0002_governed_rows"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [migrations.RunPython(make_index, drop_index)]
