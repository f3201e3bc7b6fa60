"""Count how often a worker began to make an export, so that tries are bounded."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("consent", "0005_retention_overrides_and_change_rights")]
    operations = [
        migrations.AddField(
            model_name="exportrun",
            name="attempts",
            field=models.SmallIntegerField(db_default=0, default=0),
        ),
    ]
