"""Keep shorter times of keeping, and what was asked for as it was asked."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memsys.kernel.sql import load_sql


def narrow_rights(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("consent", "change_rights"))


def widen_rights(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("consent", "change_rights_undo"))


class Migration(migrations.Migration):
    dependencies = [("consent", "0004_release_counts")]
    operations = [
        migrations.CreateModel(
            name="RetentionOverride",
            fields=[
                (
                    "data_class",
                    models.CharField(
                        max_length=40, primary_key=True, serialize=False
                    ),
                ),
                ("days", models.IntegerField()),
                ("change_request", models.UUIDField()),
                ("set_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(days__gte=1), name="retention_override_days"
                    )
                ],
            },
        ),
        migrations.RunPython(narrow_rights, widen_rights),
    ]
