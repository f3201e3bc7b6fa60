"""Call the rows what readers call them; no table changes."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('api', '0005_answers_of_users'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='idempotencyrecord',
            options={'verbose_name': 'repeated write', 'verbose_name_plural': 'repeated writes'},
        ),
        migrations.AlterModelOptions(
            name='servicekey',
            options={'ordering': [], 'verbose_name': 'service key', 'verbose_name_plural': 'service keys'},
        ),
    ]
