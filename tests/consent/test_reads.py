"""Who read what: noted with the read, sealed in batches, checked against the chain."""

import io
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, connections, transaction
from django.utils import timezone

from consent.gate import list_released
from consent.models import AccessBatch, AccessRecord, ReleaseReceipt
from consent.reads import ReadAction, list_receipts, note_read, seal, verify_batches
from consent.tasks import seal_reads
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memsys.kernel.audit.models import AuditEntry, AuditPayload
from memsys.kernel.audit.replay import Fault
from memsys.kernel.scope import Purpose, ScopeConflict, access_scope
from memsys.kernel.scope.staff import staff_role
from tests.factories.api import CountedQueries
from tests.factories.identity import make_relationship
from tests.factories.releases import release
from tests.parallel import run_parallel

ACTOR = "service:ab12cd34"


def note(relationship: RelationshipRef, *memories: UUID) -> None:
    with service_scope(relationship, is_read=True):
        note_read(
            relationship,
            ReadAction.SEARCH,
            actor=ACTOR,
            memory_ids=memories,
            now=timezone.now(),
        )


def list_reads(relationship: RelationshipRef) -> list[AccessRecord]:
    with access_scope(Purpose.JOB, user=relationship.user_id):
        rows = AccessRecord.objects.filter(global_user_id=relationship.user_id)
        return list(rows.order_by("read_at", "id"))


@pytest.mark.django_db
class TestNoting:
    def test_it_takes_one_statement_and_tells_ids_only(self) -> None:
        ann, memory = make_relationship(), uuid4()
        now = timezone.now()

        with service_scope(ann, is_read=True), CountedQueries() as counted:
            note_read(
                ann,
                ReadAction.CONTEXT,
                actor=ACTOR,
                memory_ids=[memory, memory],
                now=now,
            )

        assert len(counted.statements) == 1
        (row,) = list_reads(ann)
        assert (row.actor, row.action, row.read_at) == (ACTOR, "context", now)
        assert row.memory_ids == [memory]
        assert (row.relationship_id, row.field_keys) == (ann.id, [])
        assert row.batch is None

    def test_what_is_released_leaves_its_receipt_in_the_same_statement(self) -> None:
        ann = make_relationship()
        grant = release(ann, "region", "浙江杭州")
        now = timezone.now()

        with service_scope(ann, is_read=True):
            released = list_released(ann, now=now)
            with CountedQueries() as counted:
                note_read(
                    ann, ReadAction.CONTEXT, actor=ACTOR, releases=released, now=now
                )
            (receipt,) = list_receipts(ann)
            stored = str(ReleaseReceipt.objects.values().get(pk=receipt.id))

        assert len(counted.statements) == 1
        assert receipt.field_keys == ("region",)
        assert receipt.grants == (grant.pk,)
        assert receipt.policies == (released.fields[0].policy_id,)
        assert (receipt.actor, receipt.released_at) == (ACTOR, now)
        assert "杭州" not in stored
        (row,) = list_reads(ann)
        assert row.field_keys == ["region"]

    def test_what_releases_nothing_leaves_none(self) -> None:
        ann = make_relationship()

        note(ann)

        with service_scope(ann):
            assert list_receipts(ann) == []

    def test_a_user_s_rows_are_nobody_else_s(self) -> None:
        ann, chloe = make_relationship(), make_relationship()
        note(ann)

        with access_scope(Purpose.JOB, user=chloe.user_id):
            assert not AccessRecord.objects.filter(global_user_id=ann.user_id).exists()
        with service_scope(chloe), pytest.raises(ScopeConflict):
            list_receipts(ann)

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE consent_accessrecord SET actor = 'x'",
            "DELETE FROM consent_accessrecord",
            "UPDATE consent_releasereceipt SET actor = 'x'",
            "DELETE FROM consent_releasereceipt",
        ],
    )
    def test_the_app_cannot_change_what_it_noted(self, statement: str) -> None:
        ann = make_relationship()
        note(ann)

        with (
            access_scope(Purpose.JOB, user=ann.user_id),
            pytest.raises(DatabaseError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


@pytest.mark.django_db
class TestScopesForReading:
    def setting(self) -> str:
        with connection.cursor() as cursor:
            cursor.execute("SHOW synchronous_commit")
            (value,) = cursor.fetchone()
        return str(value)

    def test_they_do_not_wait_for_the_disk_and_others_do(self) -> None:
        ann = make_relationship()

        with service_scope(ann, is_read=True):
            while_reading = self.setting()
        after = self.setting()
        with service_scope(ann):
            while_writing = self.setting()

        assert while_reading == "off"
        assert (after, while_writing) == ("on", "on")

    def test_they_take_no_last_deeds(self) -> None:
        ann = make_relationship()

        with service_scope(ann, is_read=True) as scope, pytest.raises(ScopeConflict):
            scope.finish("audit", 1, lambda: None)

    def test_they_and_others_do_not_mix(self) -> None:
        ann = make_relationship()

        with (
            service_scope(ann, is_read=True),
            pytest.raises(ScopeConflict),
            service_scope(ann),
        ):
            pass


def find_faults() -> list[Fault]:
    return [fault for report in verify_batches() for fault in report.faults]


def faults_of(batch: AccessBatch) -> list[tuple[str, str]]:
    return [
        (fault.kind.value, fault.text)
        for fault in find_faults()
        if str(batch.pk) in fault.text
    ]


@pytest.fixture
def batch(real_commits: None) -> AccessBatch:
    """A batch of three reads that was just sealed."""
    seal(timezone.now())
    ann = make_relationship()
    for _ in range(3):
        note(ann, uuid4())
    assert seal(timezone.now()) == 3
    (row,) = list_reads(ann)[:1]
    return AccessBatch.objects.get(pk=row.batch)


# Table by table: what is kept aside, and how it comes back.
KEEP = (
    "CREATE TEMP TABLE kept_rows AS "
    "SELECT * FROM consent_accessrecord WHERE batch = %s",
    "CREATE TEMP TABLE kept_batch AS SELECT * FROM consent_accessbatch WHERE id = %s",
)
RESTORE = (
    "DELETE FROM consent_accessrecord WHERE batch = %s",
    "DELETE FROM consent_accessbatch WHERE id = %s",
)
PUT_BACK = (
    "INSERT INTO consent_accessrecord SELECT * FROM kept_rows",
    "INSERT INTO consent_accessbatch SELECT * FROM kept_batch",
    "DROP TABLE kept_rows, kept_batch",
)


@pytest.fixture
def owner(batch: AccessBatch) -> Iterator[Any]:
    """Whoever has the database itself, past all policies; then all is as it was."""
    connected = connections["maintenance"]
    for statement in KEEP:
        tamper(connected, statement, batch.pk)
    yield connected
    for statement in RESTORE:
        tamper(connected, statement, batch.pk)
    for statement in PUT_BACK:
        tamper(connected, statement)


def tamper(connected: Any, statement: str, *parameters: Any) -> None:
    with connected.cursor() as cursor:
        cursor.execute(statement, parameters)


class TestSealing:
    def test_it_commits_the_digest_to_a_chain(self, batch: AccessBatch) -> None:
        assert batch.rows == 3
        assert len(bytes(batch.digest)) == 32
        assert batch.first_at <= batch.last_at <= batch.sealed_at
        with staff_role():
            entry = AuditEntry.objects.get(
                object_ref__startswith=f"access_batch:{batch.pk}/3/"
            )
        assert entry.chain in [f"access-{number:02d}" for number in range(16)]
        assert (entry.action, entry.actor) == (
            "access.sealed",
            "system:consent.seal_reads",
        )
        assert faults_of(batch) == []

    def test_nothing_waiting_makes_no_batch(self, batch: AccessBatch) -> None:
        count = AccessBatch.objects.count()

        assert seal(timezone.now()) == 0

        assert AccessBatch.objects.count() == count

    def test_all_that_waits_is_sealed(self, batch: AccessBatch) -> None:
        ann = make_relationship()
        for _ in range(5):
            note(ann)

        assert seal(timezone.now(), batch_rows=2) == 5

        batches = {row.batch for row in list_reads(ann)}
        assert len(batches) == 3
        assert None not in batches

    def test_two_at_once_seal_each_row_once(self, batch: AccessBatch) -> None:
        relationships = [make_relationship() for _ in range(4)]
        for ann in relationships * 5:
            note(ann)

        counts = run_parallel(4, lambda _: seal(timezone.now(), batch_rows=3))

        rows = [row for ann in relationships for row in list_reads(ann)]
        assert sum(counts) + seal(timezone.now()) == len(rows) == 20
        assert None not in {row.batch for row in rows}
        assert find_faults() == []

    def test_the_job_does_it(self, batch: AccessBatch) -> None:
        note(make_relationship())

        assert seal_reads() == 1

    def test_rows_batch_and_entry_are_there_together_or_not_at_all(
        self, batch: AccessBatch
    ) -> None:
        ann = make_relationship()
        note(ann)
        count = AccessBatch.objects.count()

        with transaction.atomic():
            seal(timezone.now())
            transaction.set_rollback(True)

        (row,) = list_reads(ann)
        assert row.batch is None
        assert AccessBatch.objects.count() == count
        assert seal(timezone.now()) == 1


class TestTampering:
    def test_a_changed_row_is_found(self, batch: AccessBatch, owner: Any) -> None:
        tamper(
            owner,
            "UPDATE consent_accessrecord SET actor = 'service:nobody00' WHERE id = ("
            "SELECT id FROM consent_accessrecord WHERE batch = %s LIMIT 1)",
            batch.pk,
        )

        (found,) = faults_of(batch)

        text = f"batch {batch.pk}: of its 3 rows some were changed"
        assert found == ("changed-reads", text)

    def test_a_missing_row_is_found(self, batch: AccessBatch, owner: Any) -> None:
        tamper(
            owner,
            "DELETE FROM consent_accessrecord WHERE id = ("
            "SELECT id FROM consent_accessrecord WHERE batch = %s LIMIT 1)",
            batch.pk,
        )

        (found,) = faults_of(batch)

        text = f"batch {batch.pk}: 2 rows are there, 3 were"
        assert found == ("missing-reads", text)

    @pytest.mark.parametrize("are_payloads_gone", [False, True])
    def test_rows_and_batch_changed_alike_are_found(
        self, batch: AccessBatch, owner: Any, are_payloads_gone: bool
    ) -> None:
        """What a chain says of a batch does not go with a payload."""
        if are_payloads_gone:
            AuditPayload.objects.filter(subject=None).delete()
        tamper(owner, "DELETE FROM consent_accessrecord WHERE batch = %s", batch.pk)
        tamper(
            owner,
            "UPDATE consent_accessbatch SET (rows, digest) = (SELECT rows, digest "
            "FROM memsys_audit.digest_access(%s)) WHERE id = %s",
            batch.pk,
            batch.pk,
        )

        (found,) = faults_of(batch)

        assert found == ("changed-batch", f"batch {batch.pk} was sealed otherwise")

    def test_a_batch_that_is_gone_is_found(
        self, batch: AccessBatch, owner: Any
    ) -> None:
        tamper(owner, "DELETE FROM consent_accessbatch WHERE id = %s", batch.pk)

        (found,) = faults_of(batch)

        assert found == (
            "missing-batch",
            f"batch {batch.pk} is not stored any more",
        )

    def test_a_batch_that_was_made_up_is_found(
        self, batch: AccessBatch, owner: Any
    ) -> None:
        made_up = AccessBatch.objects.create(
            rows=1,
            first_at=timezone.now(),
            last_at=timezone.now(),
            digest=b"x" * 32,
            sealed_at=timezone.now() - timedelta(days=1),
        )

        (found,) = faults_of(made_up)

        assert found == ("stray-batch", f"batch {made_up.pk}: no chain knows of it")
        tamper(owner, "DELETE FROM consent_accessbatch WHERE id = %s", made_up.pk)

    def test_audit_verify_names_it(self, batch: AccessBatch, owner: Any) -> None:
        tamper(
            owner,
            "UPDATE consent_accessrecord SET read_at = read_at - interval '1 hour' "
            "WHERE batch = %s",
            batch.pk,
        )
        told = io.StringIO()

        with pytest.raises(CommandError, match="Faults found"):
            call_command("audit", "verify", stdout=told)

        assert f"batch {batch.pk}: of its 3 rows some were changed" in told.getvalue()
