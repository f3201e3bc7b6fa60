"""Note of each kept answer whose it is, so that an erasure finds it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("api", "0003_webhooks")]
    operations = [
        migrations.AddField(
            model_name="idempotencyrecord",
            name="relationship_id",
            field=models.UUIDField(null=True),
        ),
        migrations.AddIndex(
            model_name="idempotencyrecord",
            index=models.Index(
                condition=models.Q(("relationship_id__isnull", False)),
                fields=["relationship_id"],
                name="idempotency_relationship",
            ),
        ),
    ]
