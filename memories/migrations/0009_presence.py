"""Let a session say since when its user has been here without a pause."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0008_names_of_rows")]
    operations = [
        migrations.AddField(
            model_name="chatsession",
            name="in_use_since",
            field=models.DateTimeField(null=True),
        ),
    ]
