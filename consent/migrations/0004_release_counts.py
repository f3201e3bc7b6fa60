"""Find policies by field and grants by scope, and count whom a release would reach."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memsys.kernel.sql import load_sql


def count(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("consent", "release_counts"))


def forget(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("consent", "release_counts_undo"))


class Migration(migrations.Migration):
    dependencies = [("consent", "0003_ledger_mark")]
    operations = [
        migrations.AddIndex(
            model_name="releasepolicy",
            index=models.Index(
                fields=["field", "expires_at"], name="release_policy_field"
            ),
        ),
        migrations.AddIndex(
            model_name="consentgrant",
            index=models.Index(
                fields=["scope"],
                condition=models.Q(status="granted"),
                name="consent_grant_scope",
            ),
        ),
        migrations.RunPython(count, forget),
    ]
