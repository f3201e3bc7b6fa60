"""Call the rows what readers call them; no table changes."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('identity', '0007_retention'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='creator',
            options={'verbose_name': 'creator', 'verbose_name_plural': 'creators'},
        ),
        migrations.AlterModelOptions(
            name='creatorpersona',
            options={'verbose_name': 'persona', 'verbose_name_plural': 'personas'},
        ),
        migrations.AlterModelOptions(
            name='creatorpersonaprofile',
            options={'verbose_name': 'persona profile', 'verbose_name_plural': 'persona profiles'},
        ),
        migrations.AlterModelOptions(
            name='custodytransfer',
            options={'base_manager_name': 'objects', 'verbose_name': 'custody move', 'verbose_name_plural': 'custody moves'},
        ),
        migrations.AlterModelOptions(
            name='globaluser',
            options={'base_manager_name': 'objects', 'verbose_name': 'user', 'verbose_name_plural': 'users'},
        ),
        migrations.AlterModelOptions(
            name='relationship',
            options={'base_manager_name': 'objects', 'verbose_name': 'relationship', 'verbose_name_plural': 'relationships'},
        ),
        migrations.AlterModelOptions(
            name='userfacet',
            options={'base_manager_name': 'objects', 'verbose_name': 'facet', 'verbose_name_plural': 'facets'},
        ),
    ]
