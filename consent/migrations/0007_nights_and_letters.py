"""Keep what each night deleted, what was done for a request, and which letter told it."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("consent", "0006_export_attempts"),
        ("identity", "0007_retention"),
    ]
    operations = [
        migrations.CreateModel(
            name="RetentionRun",
            fields=[
                ("night", models.DateField(primary_key=True, serialize=False)),
                ("days", models.JSONField(default=dict)),
                ("started_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                ("looked", models.IntegerField(default=0)),
                ("counts", models.JSONField(default=dict)),
                ("kept", models.JSONField(default=dict)),
            ],
        ),
        migrations.AddField(
            model_name="subjectrequest",
            name="deeds",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=60), default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="subjectrequest",
            name="letter_version",
            field=models.SmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="subjectrequest",
            name="letter_locale",
            field=models.CharField(blank=True, max_length=20),
        ),
    ]
