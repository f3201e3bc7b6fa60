"""Copy the recall policies to each node."""

from django.db import migrations

from memsys.kernel.sharding.operations import ReferenceTable


class Migration(migrations.Migration):
    dependencies = [("recall", "0001_initial")]
    operations = [ReferenceTable("recallpolicy")]
