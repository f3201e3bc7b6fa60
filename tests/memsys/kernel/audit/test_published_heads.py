"""Heads that are kept outside prove what the database alone cannot."""

from memsys.kernel.audit.replay import Head
from memsys.kernel.audit.verification import list_heads, verify_chains
from tests.memsys.kernel.audit.conftest import Tamper, list_faults, write

DELETE = "DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND "
HEAD = "UPDATE kernel_audithead SET {} WHERE chain = %(chain)s"
NO_HEAD = "DELETE FROM kernel_audithead WHERE chain = %(chain)s"


def published_head(chain: str) -> Head:
    """Return the head of a chain as it is kept outside."""
    (head,) = (one for one in list_heads() if one.chain == chain)
    return head


def kinds_against(chain: str, head: Head) -> list[tuple[str, int | None]]:
    """Verify a chain against a published head."""
    (report,) = verify_chains(chain=chain, published=[head])
    return [(fault.kind.value, fault.seq) for fault in report.faults]


def test_it_passes_a_chain_that_grew_since_its_head_was_published(chain: str):
    write(chain, 3)
    head = published_head(chain)

    write(chain, 2)

    assert kinds_against(chain, head) == []


def test_it_finds_a_cut_tail_by_a_published_head_when_the_head_was_reset(
    chain: str, tamper: Tamper
):
    write(chain, 5)
    head = published_head(chain)

    tamper(DELETE + "seq > 3")
    tamper(
        HEAD.format(
            "seq = 3, digest = (SELECT digest FROM kernel_auditentry "
            "WHERE chain = %(chain)s AND seq = 3)"
        )
    )

    assert list_faults(chain) == []
    assert kinds_against(chain, head) == [("cut-tail", 5)]


def test_it_finds_a_rewritten_chain_by_a_published_head(chain: str, tamper: Tamper):
    write(chain, 3)
    head = published_head(chain)
    tamper(DELETE + "true")
    tamper(NO_HEAD)

    write(chain, 3, action="test.forged")

    assert list_faults(chain) == []
    assert kinds_against(chain, head) == [("rewritten", 3)]


def test_it_finds_a_published_chain_that_is_gone(chain: str, tamper: Tamper):
    write(chain, 2)
    head = published_head(chain)

    tamper(DELETE + "true")
    tamper(NO_HEAD)

    assert kinds_against(chain, head) == [("cut-tail", 2)]
