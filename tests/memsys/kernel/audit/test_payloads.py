"""Payloads can be erased, and nothing else can be done to them unseen."""

import pytest

from memsys.kernel.audit.verification import verify_chains
from tests.memsys.kernel.audit.conftest import Tamper, list_faults, write

DELETE = "DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND "
PAYLOAD = (
    "UPDATE kernel_auditpayload SET {} WHERE entry_id = (SELECT id FROM "
    "kernel_auditentry WHERE chain = %(chain)s AND seq = 3)"
)
ERASE = (
    "DELETE FROM kernel_auditpayload WHERE entry_id IN "
    "(SELECT id FROM kernel_auditentry WHERE chain = %(chain)s)"
)


@pytest.mark.parametrize(
    "change", ["""body = '{"数": 9}'""", "salt = set_byte(salt, 0, 0) || salt"]
)
def test_it_finds_a_changed_payload(chain: str, tamper: Tamper, change: str):
    write(chain, 5)

    tamper(PAYLOAD.format(change))

    assert list_faults(chain) == [("changed-payload", 3)]


def test_it_finds_a_payload_that_was_added_later(chain: str, tamper: Tamper):
    write(chain, 1)
    tamper(ERASE)

    tamper(
        "INSERT INTO kernel_auditpayload (entry_id, salt, body) "
        "SELECT id, '', '{}' FROM kernel_auditentry WHERE chain = %(chain)s"
    )

    assert list_faults(chain) == [("changed-payload", 1)]


def test_it_passes_an_erased_payload(chain: str, tamper: Tamper):
    write(chain, 5)

    tamper(
        "DELETE FROM kernel_auditpayload WHERE entry_id IN (SELECT id FROM "
        "kernel_auditentry WHERE chain = %(chain)s AND seq IN (1, 3, 5))"
    )

    (report,) = verify_chains(chain=chain)
    assert (report.faults, report.erased_payloads) == ((), 3)


def test_it_finds_the_payload_that_a_removed_chain_leaves(chain: str, tamper: Tamper):
    write(chain, 1)
    tamper(DELETE + "true")
    tamper("DELETE FROM kernel_audithead WHERE chain = %(chain)s")

    kinds = [fault.kind.value for report in verify_chains() for fault in report.faults]

    assert kinds == ["stray-payload"]
