"""Keep until when a person knew better than the messages."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0004_model_call_keys_and_isolation")]
    operations = [
        migrations.AddField(
            model_name="memory",
            name="corrected_at",
            field=models.DateTimeField(null=True),
        ),
    ]
