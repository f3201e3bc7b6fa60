"""Call the rows what readers call them; no table changes."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('recall', '0002_reference_table'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='recallpolicy',
            options={'verbose_name': 'recall policy', 'verbose_name_plural': 'recall policies'},
        ),
    ]
