"""Chains of one test each, and a hand that can change them as nobody may."""

import uuid
from collections.abc import Callable, Iterator

import pytest
from django.db import transaction

from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.audit.verification import verify_chains
from tests.memsys.kernel.conftest import SuperuserConnection

Tamper = Callable[..., None]


@pytest.fixture
def chain(real_commits: None) -> str:
    """The name of a chain that no other test writes to."""
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def tamper(superuser: SuperuserConnection, chain: str) -> Iterator[Tamper]:
    """Change the chain past every trigger; afterwards the whole chain is removed."""
    superuser.execute("SET session_replication_role = replica")

    def change(statement: str, **parameters: object) -> None:
        superuser.execute(statement, {"chain": chain} | parameters)

    yield change
    for table in ("kernel_auditentry", "kernel_audithead"):
        superuser.execute(f"DELETE FROM {table} WHERE chain = %s", [chain])  # noqa: S608
    superuser.execute(
        "DELETE FROM kernel_auditpayload AS payload WHERE NOT EXISTS "
        "(SELECT 1 FROM kernel_auditentry WHERE id = payload.entry_id)"
    )


def write(chain: str, count: int, *, action: str = "test.done") -> None:
    """Write deeds with payloads, a transaction each."""
    for number in range(count):
        with transaction.atomic():
            record(
                Deed(
                    chain=chain,
                    action=action,
                    actor=f"service:{number}",
                    object_ref=f"memory:{number}",
                    field_names=("text", "key"),
                    reason_code="test",
                    details={"数": number, "quote": 'a "b" \\ \n c', "z": [1.50, None]},
                    subject=uuid.uuid4(),
                )
            )


def list_faults(chain: str) -> list[tuple[str, int | None]]:
    """Verify one chain; return the kind and place of each fault."""
    (report,) = verify_chains(chain=chain)
    return [(fault.kind.value, fault.seq) for fault in report.faults]
