"""Call the rows what readers call them; no table changes."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('kernel', '0005_audit_of_rows'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='auditentry',
            options={'verbose_name': 'audit entry', 'verbose_name_plural': 'audit entries'},
        ),
        migrations.AlterModelOptions(
            name='audithead',
            options={'verbose_name': 'audit chain', 'verbose_name_plural': 'audit chains'},
        ),
        migrations.AlterModelOptions(
            name='auditpayload',
            options={'verbose_name': 'audit payload', 'verbose_name_plural': 'audit payloads'},
        ),
    ]
