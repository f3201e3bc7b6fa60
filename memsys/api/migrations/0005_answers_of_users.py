"""Note of each kept answer of which user it is, so that an erasure finds it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("api", "0004_answers_of_relationships")]
    operations = [
        migrations.AddField(
            model_name="idempotencyrecord",
            name="user_id",
            field=models.UUIDField(null=True),
        ),
        migrations.AddIndex(
            model_name="idempotencyrecord",
            index=models.Index(
                condition=models.Q(("user_id__isnull", False)),
                fields=["user_id"],
                name="idempotency_user",
            ),
        ),
    ]
