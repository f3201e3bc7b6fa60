"""Give content its keys, its references and its isolation."""

from django.db import migrations

from memsys.kernel.sharding.isolation import IsolateRows
from memsys.kernel.sharding.operations import ShardKey, ShardReference

TABLES = ["chatsession", "message", "messagefingerprint", "memory", "erasuretombstone"]
CONTENT = ["message", "messagefingerprint", "memory", "erasuretombstone"]


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_initial"), ("identity", "0002_shard_keys")]
    operations = [
        *(ShardKey(name, colocate_with="identity_globaluser") for name in TABLES),
        *(
            ShardReference(name, "relationship", within=["global_user"])
            for name in TABLES
        ),
        ShardReference("message", "session", within=["relationship"]),
        ShardReference("messagefingerprint", "message", within=["relationship"]),
        ShardReference("memory", "source_session", within=["relationship"]),
        *(IsolateRows(name, by="relationship") for name in CONTENT),
    ]
