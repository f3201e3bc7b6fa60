"""Give the calls of the model their keys, references and isolation."""

from django.db import migrations

from memsys.kernel.sharding.isolation import IsolateRows
from memsys.kernel.sharding.operations import ShardKey, ShardReference


class Migration(migrations.Migration):
    dependencies = [("memories", "0003_model_calls")]
    operations = [
        ShardKey("modelattempt", colocate_with="identity_globaluser"),
        ShardKey("modelanswer", colocate_with="identity_globaluser"),
        ShardReference("modelattempt", "relationship", within=["global_user"]),
        ShardReference("modelanswer", "relationship", within=["global_user"]),
        ShardReference("modelattempt", "session", within=["relationship"]),
        ShardReference("modelanswer", "session", within=["relationship"]),
        IsolateRows("modelanswer", by="relationship"),
    ]
