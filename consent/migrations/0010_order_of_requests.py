"""An index for the desk's list of requests, by the date on which they are due."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("consent", "0009_expiry_of_proofs")]

    operations = [
        migrations.AddIndex(
            model_name="subjectrequest",
            index=models.Index(fields=["due_date", "id"], name="subject_request_due"),
        ),
    ]
