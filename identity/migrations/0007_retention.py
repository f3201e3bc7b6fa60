"""Note when each relationship is looked at next for what is kept no longer."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("identity", "0006_profile_versions")]
    operations = [
        migrations.AddField(
            model_name="relationship",
            name="retention_at",
            field=models.DateTimeField(db_default=Now(), null=True),
        ),
        migrations.AddField(
            model_name="relationship",
            name="inactive_noticed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name="relationship",
            index=models.Index(
                condition=models.Q(("retention_at__isnull", False)),
                fields=["retention_at"],
                name="relationship_retention",
            ),
        ),
    ]
