"""Where each table lives: spread by the user's bucket, copied, or local."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from memsys.kernel.sharding.fields import is_sharded
from memsys.kernel.sharding.operations import (
    DatabaseOperation,
    ReferenceTable,
    ShardKey,
)

SHARDED = {
    "consent.AccessRecord",
    "consent.ConsentEvent",
    "consent.ConsentGrant",
    "consent.DisclosureReminder",
    "consent.ErasureRun",
    "consent.ExportChunk",
    "consent.ExportRun",
    "consent.LegalHold",
    "consent.ProfileValue",
    "consent.ReleaseReceipt",
    "consent.SubjectRequest",
    "consent.SubjectRequestNote",
    "identity.CustodyTransfer",
    "identity.GlobalUser",
    "identity.Relationship",
    "identity.UserFacet",
    "memories.ChatSession",
    "memories.ErasureTombstone",
    "memories.ModelAnswer",
    "memories.ModelAttempt",
    "memories.Memory",
    "memories.Message",
    "memories.MessageFingerprint",
}
REFERENCE = {
    "consent.PolicyVersion",
    "consent.ProfileField",
    "consent.ReleasePolicy",
    "identity.Creator",
    "identity.CreatorPersona",
    "identity.CreatorPersonaProfile",
    "recall.RecallPolicy",
}
LOCAL = {
    "api.IdempotencyRecord",
    "api.ServiceKey",
    "api.WebhookDelivery",
    "api.WebhookEndpoint",
    "consent.AccessBatch",
    "consent.ChangeRequest",
    "consent.LedgerMark",
    "consent.RetentionOverride",
    "consent.RetentionRun",
    "desk.DeskSession",
    "desk.Reveal",
    "kernel.OutboxEvent",
    # Triggers are refused on distributed tables.
    "kernel.AuditCheck",
    "kernel.AuditEntry",
    "kernel.AuditHead",
    "kernel.AuditPayload",
}
# Tables of packages stay on the coordinator.
LOCAL_APPS = {
    "admin",
    "auth",
    "axes",
    "contenttypes",
    "django_celery_beat",
    "otp_static",
    "otp_totp",
    "rest_framework_api_key",
    "sessions",
}


def list_operations() -> Iterator[tuple[str, DatabaseOperation]]:
    """Yield each database operation of the migrations with its app, in their order."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    leaves = sorted(loader.graph.leaf_nodes())
    plans = [loader.graph.forwards_plan(leaf) for leaf in leaves]
    for node in dict.fromkeys(one for plan in plans for one in plan):
        app_label, _ = node
        for operation in loader.disk_migrations[node].operations:
            if isinstance(operation, DatabaseOperation):
                yield app_label, operation


def label_of(app_label: str, model_name: str) -> str:
    """Return a model's label as it is written in code."""
    return str(apps.get_model(app_label, model_name)._meta.label)


def test_it_knows_the_place_of_every_model_exactly_once():
    placed = [*SHARDED, *REFERENCE, *LOCAL]
    ours = {
        model._meta.label
        for model in apps.get_models()
        if model._meta.app_label not in LOCAL_APPS
    }

    assert sorted(placed) == sorted(ours)


def test_it_spreads_the_models_that_are_sharded():
    sharded = {model._meta.label for model in apps.get_models() if is_sharded(model)}

    assert sharded == SHARDED


@pytest.mark.parametrize(
    ("kind", "expected"), [(ShardKey, SHARDED), (ReferenceTable, REFERENCE)]
)
def test_it_migrates_each_model_to_its_place_once(
    kind: type[DatabaseOperation], expected: set[str]
):
    migrated = [
        label_of(app_label, operation.model_name)
        for app_label, operation in list_operations()
        if isinstance(operation, kind)
    ]

    assert sorted(migrated) == sorted(expected)


def test_it_keeps_all_sharded_tables_beside_the_user():
    neighbours = {
        label_of(app_label, operation.model_name): operation.colocate_with
        for app_label, operation in list_operations()
        if isinstance(operation, ShardKey)
    }

    assert neighbours.pop("identity.GlobalUser") == "default"
    assert set(neighbours.values()) == {"identity_globaluser"}


def test_it_gives_a_table_its_key_before_anything_stands_on_it():
    keyed: set[str] = set()
    for app_label, operation in list_operations():
        if isinstance(operation, ShardKey | ReferenceTable):
            keyed.add(label_of(app_label, operation.model_name))
        else:
            assert label_of(app_label, operation.model_name) in keyed
