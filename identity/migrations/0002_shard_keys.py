"""Give the sharded tables their keys and the references that carry the shard."""

from django.db import migrations

from memsys.kernel.sharding.operations import (
    ReferenceTable,
    ShardKey,
    ShardReference,
)


class Migration(migrations.Migration):
    dependencies = [("identity", "0001_initial")]
    operations = [
        ReferenceTable("creator"),
        ReferenceTable("creatorpersona"),
        ReferenceTable("creatorpersonaprofile"),
        ShardKey("globaluser"),
        ShardKey("userfacet", colocate_with="identity_globaluser"),
        ShardKey("relationship", colocate_with="identity_globaluser"),
        ShardKey("custodytransfer", colocate_with="identity_globaluser"),
        ShardReference("userfacet", "global_user"),
        ShardReference("relationship", "facet", within=["global_user"]),
        ShardReference("custodytransfer", "relationship"),
    ]
