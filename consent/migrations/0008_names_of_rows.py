"""Call the rows what readers call them; no table changes."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('consent', '0007_nights_and_letters'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='accessbatch',
            options={'verbose_name': 'batch of sealed reads', 'verbose_name_plural': 'batches of sealed reads'},
        ),
        migrations.AlterModelOptions(
            name='changerequest',
            options={'verbose_name': 'change for two persons', 'verbose_name_plural': 'changes for two persons'},
        ),
        migrations.AlterModelOptions(
            name='erasurerun',
            options={'base_manager_name': 'objects', 'verbose_name': 'erasure', 'verbose_name_plural': 'erasures'},
        ),
        migrations.AlterModelOptions(
            name='exportrun',
            options={'base_manager_name': 'objects', 'verbose_name': 'export', 'verbose_name_plural': 'exports'},
        ),
        migrations.AlterModelOptions(
            name='legalhold',
            options={'base_manager_name': 'objects', 'verbose_name': 'hold', 'verbose_name_plural': 'holds'},
        ),
        migrations.AlterModelOptions(
            name='policyversion',
            options={'verbose_name': 'policy text', 'verbose_name_plural': 'policy texts'},
        ),
        migrations.AlterModelOptions(
            name='profilefield',
            options={'verbose_name': 'profile field', 'verbose_name_plural': 'profile fields'},
        ),
        migrations.AlterModelOptions(
            name='releasepolicy',
            options={'verbose_name': 'release', 'verbose_name_plural': 'releases'},
        ),
        migrations.AlterModelOptions(
            name='subjectrequest',
            options={'base_manager_name': 'objects', 'verbose_name': 'request', 'verbose_name_plural': 'requests'},
        ),
    ]
