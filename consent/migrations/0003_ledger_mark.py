"""Add the one row that tells how far the erasure ledger is known."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def begin(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    mark = apps.get_model("consent", "LedgerMark")
    mark.objects.using(editor.connection.alias).get_or_create(pk=1)


class Migration(migrations.Migration):
    dependencies = [("consent", "0002_keys_and_isolation")]
    operations = [
        migrations.CreateModel(
            name="LedgerMark",
            fields=[
                (
                    "id",
                    models.SmallIntegerField(
                        default=1, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.BigIntegerField(default=0)),
                ("digest", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="ledger_mark_one_row"
                    )
                ],
            },
        ),
        migrations.RunPython(begin, migrations.RunPython.noop),
    ]
