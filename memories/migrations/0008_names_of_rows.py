"""Call the rows what readers call them; no table changes."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('memories', '0007_retention'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='chatsession',
            options={'base_manager_name': 'objects', 'verbose_name': 'session', 'verbose_name_plural': 'sessions'},
        ),
        migrations.AlterModelOptions(
            name='erasuretombstone',
            options={'base_manager_name': 'objects', 'verbose_name': 'tombstone', 'verbose_name_plural': 'tombstones'},
        ),
        migrations.AlterModelOptions(
            name='memory',
            options={'base_manager_name': 'objects', 'verbose_name': 'memory', 'verbose_name_plural': 'memories'},
        ),
        migrations.AlterModelOptions(
            name='message',
            options={'base_manager_name': 'objects', 'verbose_name': 'message', 'verbose_name_plural': 'messages'},
        ),
        migrations.AlterModelOptions(
            name='messagefingerprint',
            options={'base_manager_name': 'objects', 'verbose_name': 'fingerprint', 'verbose_name_plural': 'fingerprints'},
        ),
        migrations.AlterModelOptions(
            name='modelanswer',
            options={'base_manager_name': 'objects', 'verbose_name': 'answer of the model', 'verbose_name_plural': 'answers of the model'},
        ),
        migrations.AlterModelOptions(
            name='modelattempt',
            options={'base_manager_name': 'objects', 'verbose_name': 'call of the model', 'verbose_name_plural': 'calls of the model'},
        ),
    ]
