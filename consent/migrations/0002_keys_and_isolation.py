"""Give the rows of users their keys, references, isolation and narrower rights."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memsys.kernel.sharding.isolation import IsolateRows
from memsys.kernel.sharding.operations import (
    ReferenceTable,
    ShardKey,
    ShardReference,
)
from memsys.kernel.sql import load_sql

ISOLATED = [
    "consentevent", "consentgrant", "disclosurereminder", "profilevalue",
    "releasereceipt", "accessrecord", "exportchunk", "subjectrequestnote",
]  # fmt: skip
# Queues of jobs and of staff: ids, codes and dates, no policy.
QUEUES = ["legalhold", "erasurerun", "exportrun", "subjectrequest"]
OF_RELATIONSHIP = [
    "disclosurereminder", "releasereceipt", "accessrecord", "legalhold",
    "erasurerun", "exportrun", "subjectrequest",
]  # fmt: skip


def narrow_rights(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("consent", "rights"))


def widen_rights(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    editor.execute(load_sql("consent", "rights_undo"))


class Migration(migrations.Migration):
    dependencies = [
        ("consent", "0001_initial"),
        ("identity", "0006_profile_versions"),
        ("kernel", "0002_audit_triggers"),
    ]
    operations = [
        *(ReferenceTable(n) for n in ("policyversion", "profilefield")),
        ReferenceTable("releasepolicy"),
        *(
            ShardKey(name, colocate_with="identity_globaluser")
            for name in [*ISOLATED, *QUEUES]
        ),
        *(ShardReference(name, "global_user") for name in [*ISOLATED, *QUEUES]),
        *(
            ShardReference(name, "relationship", within=["global_user"])
            for name in OF_RELATIONSHIP
        ),
        ShardReference("consentgrant", "last_event", within=["global_user"]),
        ShardReference("exportchunk", "export", within=["global_user"]),
        ShardReference("subjectrequestnote", "request", within=["global_user"]),
        *(IsolateRows(name, by="user") for name in ISOLATED),
        migrations.RunPython(narrow_rights, widen_rights),
    ]
