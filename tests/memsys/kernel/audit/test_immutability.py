"""Nobody changes an entry, and who tries is logged."""

import logging
from typing import Any

import pytest
from django.db import ProgrammingError, connection, connections, transaction
from psycopg import sql

from memsys.kernel.audit.errors import AuditImmutable
from memsys.kernel.audit.models import AuditEntry, AuditHead, AuditPayload
from memsys.kernel.scope.staff import staff_role
from tests.memsys.kernel.audit.conftest import list_faults, write
from tests.memsys.kernel.conftest import SuperuserConnection


@pytest.fixture
def entry(chain: str) -> AuditEntry:
    """An entry as a view would hold it."""
    write(chain, 1)
    with staff_role():
        return AuditEntry.objects.get(chain=chain)


def was_logged(caplog: pytest.LogCaptureFixture) -> bool:
    """Say whether a refusal was logged, and nothing of the entry with it."""
    refusals = [one for one in caplog.records if one.message == "audit.change_refused"]
    return bool(refusals) and all(one.levelno == logging.WARNING for one in refusals)


ORM_CHANGES = {
    "update": lambda entry: AuditEntry.objects.update(actor="x"),
    "filtered update": lambda entry: AuditEntry.objects.filter(pk=entry.pk).update(
        actor="x"
    ),
    "bulk update": lambda entry: AuditEntry.objects.bulk_update([entry], ["actor"]),
    "delete": lambda entry: AuditEntry.objects.filter(pk=entry.pk).delete(),
    "save": lambda entry: entry.save(),
    "save some": lambda entry: entry.save(update_fields=["actor"]),
    "delete one": lambda entry: entry.delete(),
}


@pytest.mark.parametrize("name", ORM_CHANGES)
def test_it_refuses_changes_by_the_models(
    entry: AuditEntry, name: str, caplog: pytest.LogCaptureFixture
):
    """Acceptance row C2."""
    with pytest.raises(AuditImmutable):
        ORM_CHANGES[name](entry)

    assert was_logged(caplog)
    assert list_faults(entry.chain) == []


PAST_THE_MODELS = {
    "base manager update": lambda entry: AuditEntry._base_manager.update(actor="x"),
    "base manager delete": lambda entry: AuditEntry._base_manager.all().delete(),
    "upsert": lambda entry: AuditEntry.objects.bulk_create(
        [entry], update_conflicts=True, unique_fields=["id"], update_fields=["actor"]
    ),
    "head update": lambda entry: AuditHead.objects.update(seq=0),
    "head delete": lambda entry: AuditHead.objects.all()._raw_delete("default"),
    "head insert": lambda entry: AuditHead.objects.create(chain="x", seq=0, digest=b""),
    "payload update": lambda entry: AuditPayload.objects.update(body={}),
    "payload read": lambda entry: AuditPayload.objects.get(pk=entry.pk),
}


@pytest.mark.parametrize("name", PAST_THE_MODELS)
def test_it_refuses_changes_past_the_models(
    entry: AuditEntry, name: str, caplog: pytest.LogCaptureFixture
):
    """Acceptance row C2."""
    with pytest.raises(ProgrammingError, match="permission denied"):
        PAST_THE_MODELS[name](entry)

    assert was_logged(caplog)
    assert list_faults(entry.chain) == []


STATEMENTS: list[Any] = [
    "UPDATE kernel_auditentry SET actor = 'x'",
    "DELETE FROM kernel_auditentry",
    "TRUNCATE kernel_auditentry",
    "TRUNCATE kernel_auditentry, kernel_audithead, kernel_auditpayload CASCADE",
    "UPDATE kernel_audithead SET seq = 0",
    "DELETE FROM kernel_audithead",
    "UPDATE kernel_auditpayload SET body = '{}'",
    "TRUNCATE kernel_auditpayload",
    "SELECT * FROM kernel_auditentry",
    "ALTER TABLE kernel_auditentry DISABLE TRIGGER ALL",
    "DROP TRIGGER audit_chain ON kernel_auditentry",
    "INSERT INTO kernel_auditentry SELECT * FROM kernel_auditentry "
    "ON CONFLICT (id) DO UPDATE SET actor = 'x'",
    "COPY kernel_auditentry TO STDOUT",
    "WITH gone AS (DELETE FROM kernel_auditentry RETURNING 1) SELECT * FROM gone",
    sql.SQL("DELETE FROM {}").format(sql.Identifier("kernel_auditentry")),
]


READS = ("SELECT", "COPY")
# The staff role reads the chains.
ATTEMPTS = [
    (role, statement)
    for role in ("memsys_app", "memsys_staff", "memsys_portal")
    for statement in STATEMENTS
    if role != "memsys_staff" or not str(statement).startswith(READS)
]


@pytest.mark.parametrize(("role", "statement"), ATTEMPTS, ids=str)
def test_it_refuses_statements_of_the_app(
    entry: AuditEntry, role: str, statement: Any, caplog: pytest.LogCaptureFixture
):
    """Acceptance row C2."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {role}")
        with pytest.raises(ProgrammingError):
            cursor.execute(statement)
        transaction.set_rollback(True)

    assert was_logged(caplog)
    assert list_faults(entry.chain) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE kernel_auditentry SET actor = 'x'",
        "DELETE FROM kernel_auditentry",
        "TRUNCATE kernel_auditentry",
    ],
)
def test_it_refuses_statements_of_the_owner_too(
    entry: AuditEntry, statement: str, caplog: pytest.LogCaptureFixture
):
    with (
        pytest.raises(ProgrammingError, match="append-only"),
        connections["owner"].cursor() as cursor,
    ):
        cursor.execute(statement)

    assert was_logged(caplog)
    assert list_faults(entry.chain) == []


def test_it_logs_no_refusal_of_other_tables(
    real_commits: None, caplog: pytest.LogCaptureFixture
):
    with pytest.raises(ProgrammingError), connection.cursor() as cursor:
        cursor.execute("TRUNCATE memories_memory")

    assert not was_logged(caplog)


def test_it_lets_a_payload_be_erased(entry: AuditEntry, superuser: SuperuserConnection):
    deleted, _ = AuditPayload.objects.filter(entry_id=entry.pk).delete()

    assert deleted == 1
    assert list_faults(entry.chain) == []
