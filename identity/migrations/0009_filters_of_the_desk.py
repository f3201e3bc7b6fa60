"""Indexes for the desk's list of relationships: a filter reads a page, not the table."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("identity", "0008_names_of_rows")]

    operations = [
        migrations.AddIndex(
            model_name="relationship",
            index=models.Index(
                condition=~models.Q(("status", "active")),
                fields=["status", "id"],
                name="relationship_status",
            ),
        ),
        migrations.AddIndex(
            model_name="relationship",
            index=models.Index(fields=["custody", "id"], name="relationship_custody"),
        ),
    ]
