"""Note when a memory was last used, and when the words of a session went."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0006_memory_due_until")]
    operations = [
        migrations.AddField(
            model_name="memory",
            name="used_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="chatsession",
            name="words_gone_at",
            field=models.DateTimeField(null=True),
        ),
    ]
