"""Verification finds every tampering that nobody but a superuser could do."""

import hashlib
from collections.abc import Callable, Iterator

import pytest
from django.db import connection, transaction

from memsys.kernel.audit.errors import ChainNotFound
from memsys.kernel.audit.models import AuditEntry, AuditPayload
from memsys.kernel.audit.verification import BATCH_ROWS, list_heads, verify_chains
from tests.memsys.kernel.audit.conftest import Tamper, list_faults, write

ENTRY = "UPDATE kernel_auditentry SET {} WHERE chain = %(chain)s AND seq = 3"


@pytest.mark.parametrize(
    "change",
    [
        "actor = actor || '.'",
        "action = 'test.dond'",
        "object_ref = 'memory:9'",
        "reason_code = ''",
        """field_names = '["key"]'""",
        "at = at + interval '1 microsecond'",
        "id = uuidv7()",
        "commitment = set_byte(commitment, 0, get_byte(commitment, 0) # 1)",
        "previous = set_byte(previous, 31, get_byte(previous, 31) # 128)",
        "digest = set_byte(digest, 7, get_byte(digest, 7) # 1)",
    ],
)
def test_it_finds_a_changed_entry(chain: str, tamper: Tamper, change: str):
    write(chain, 5)

    tamper(ENTRY.format(change))

    faults = list_faults(chain)
    assert ("changed-entry", 3) in faults
    assert {seq for _, seq in faults} == {3}


DELETE = "DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND "


@pytest.mark.parametrize(
    ("gone", "fault"),
    [
        ("seq = 3", ("missing-entries", 3)),
        ("seq IN (2, 3)", ("missing-entries", 2)),
        ("seq = 1", ("missing-entries", 1)),
        ("seq = 5", ("cut-tail", 5)),
        ("seq >= 4", ("cut-tail", 4)),
        ("true", ("cut-tail", 1)),
    ],
)
def test_it_finds_missing_entries(
    chain: str, tamper: Tamper, gone: str, fault: tuple[str, int]
):
    write(chain, 5)

    tamper(DELETE + gone)

    assert list_faults(chain) == [fault]


def test_it_says_which_entries_are_missing(chain: str, tamper: Tamper):
    write(chain, 5)

    tamper(DELETE + "seq IN (2, 3)")

    (report,) = verify_chains(chain=chain)
    assert report.faults[0].text == "2 to 3 are gone"


@pytest.mark.parametrize(("one", "other"), [(2, 3), (2, 4), (4, 5), (1, 5)])
def test_it_finds_swapped_entries(chain: str, tamper: Tamper, one: int, other: int):
    write(chain, 5)

    for old, new in ((one, -1), (other, one), (-1, other)):
        tamper(
            "UPDATE kernel_auditentry SET seq = %(new)s "
            "WHERE chain = %(chain)s AND seq = %(old)s",
            old=old,
            new=new,
        )

    assert list_faults(chain) == [("swapped-entries", one)]


@pytest.fixture
def forkable(tamper: Tamper) -> Iterator[None]:
    """A table without the two constraints that refuse a fork."""
    table = "ALTER TABLE kernel_auditentry "
    tamper(table + "DROP CONSTRAINT audit_entry_seq")
    tamper(table + "DROP CONSTRAINT audit_entry_no_fork")
    yield
    tamper(DELETE + "seq = 2")
    tamper(table + "ADD CONSTRAINT audit_entry_seq UNIQUE (chain, seq)")
    tamper(table + "ADD CONSTRAINT audit_entry_no_fork UNIQUE (chain, previous)")


COLUMNS = (
    "chain, seq, at, actor, action, object_ref, field_names, reason_code, commitment,"
    " previous, digest"
)


REDIGEST = """
    UPDATE kernel_auditentry SET digest = sha256(previous || convert_to(
        jsonb_build_array(id, chain, seq,
            to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
            actor, action, object_ref, field_names, reason_code,
            encode(commitment, 'hex'))::text, 'UTF8'))
    WHERE chain = %(chain)s AND seq = 3
"""


def test_it_finds_a_fork(chain: str, tamper: Tamper, forkable: None):
    write(chain, 3)

    tamper(
        f"INSERT INTO kernel_auditentry (id, {COLUMNS}) "  # noqa: S608
        f"SELECT uuidv7(), {COLUMNS} FROM kernel_auditentry "
        "WHERE chain = %(chain)s AND seq = 2"
    )

    assert ("fork", 2) in list_faults(chain)


def test_it_finds_an_entry_that_was_put_in(chain: str, tamper: Tamper):
    write(chain, 3)

    tamper(
        f"INSERT INTO kernel_auditentry (id, {COLUMNS}) "  # noqa: S608
        "SELECT uuidv7(), chain, 4, at, actor, action, object_ref, field_names, "
        "reason_code, commitment, digest, sha256(digest) FROM kernel_auditentry "
        "WHERE chain = %(chain)s AND seq = 3"
    )

    assert list_faults(chain) == [("changed-entry", 4), ("wrong-head", None)]


def test_it_finds_an_entry_that_was_put_between_others(chain: str, tamper: Tamper):
    write(chain, 4)
    for old, new in ((4, 5), (3, 4)):
        tamper(
            "UPDATE kernel_auditentry SET seq = %(new)s "
            "WHERE chain = %(chain)s AND seq = %(old)s",
            old=old,
            new=new,
        )

    tamper(
        f"INSERT INTO kernel_auditentry (id, {COLUMNS}) "  # noqa: S608
        "SELECT uuidv7(), chain, 3, at, 'staff:9', action, object_ref, field_names, "
        "reason_code, commitment, sha256(digest), sha256(digest || 'x') "
        "FROM kernel_auditentry WHERE chain = %(chain)s AND seq = 2"
    )

    assert list_faults(chain)[0] == ("changed-entry", 3)


def test_it_passes_a_chain_over_which_the_clock_went_back(chain: str, tamper: Tamper):
    write(chain, 3)

    # As the trigger would have written it, had the clock been set back before.
    tamper(ENTRY.format("at = at - interval '1 hour'"))
    tamper(REDIGEST)
    tamper(
        "UPDATE kernel_audithead SET digest = (SELECT digest FROM kernel_auditentry "
        "WHERE chain = %(chain)s AND seq = 3) WHERE chain = %(chain)s"
    )

    assert list_faults(chain) == []


def test_it_finds_an_old_entry_that_was_replayed_at_the_end(chain: str, tamper: Tamper):
    write(chain, 3)

    tamper("UPDATE kernel_auditentry SET seq = 4 WHERE chain = %(chain)s AND seq = 1")

    assert ("changed-entry", 4) in list_faults(chain)
    assert ("missing-entries", 1) in list_faults(chain)


def test_it_finds_an_entry_that_follows_another_chain(chain: str, tamper: Tamper):
    write(chain, 3)
    previous = hashlib.sha256(b"elsewhere").digest()
    tamper(ENTRY.format("previous = %(previous)s"), previous=previous)

    # A forger who can work out digests leaves a link that does not hold.
    tamper(REDIGEST)

    assert ("broken-link", 3) in list_faults(chain)


HEAD = "UPDATE kernel_audithead SET {} WHERE chain = %(chain)s"


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (HEAD.format("seq = 2"), ("wrong-head", None)),
        (HEAD.format("digest = sha256(digest)"), ("wrong-head", 3)),
        (HEAD.format("seq = 9"), ("cut-tail", 4)),
        (
            "DELETE FROM kernel_audithead WHERE chain = %(chain)s",
            ("wrong-head", None),
        ),
    ],
)
def test_it_finds_a_changed_head(
    chain: str, tamper: Tamper, change: str, fault: tuple[str, int | None]
):
    write(chain, 3)

    tamper(change)

    assert list_faults(chain) == [fault]


def test_it_knows_no_chain_of_another_name(real_commits: None):
    with pytest.raises(ChainNotFound):
        list(verify_chains(chain="nobody's"))


def test_it_reads_a_chain_in_batches(chain: str):
    write(chain, 1)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO kernel_auditentry (id, chain, seq, actor, action, object_ref, "
            "field_names, reason_code, commitment, previous, digest) "
            "SELECT uuidv7(), %s, 0, 'x', 'y', '', '[]', '', '', '', '' "
            "FROM generate_series(1, %s)",
            [chain, 2 * BATCH_ROWS],
        )

    (report,) = verify_chains(chain=chain)

    assert (report.entries, report.faults) == (2 * BATCH_ROWS + 1, ())


NASTY = [
    "".join(map(chr, range(1, 32))),
    "\x7f\x80\x9f\xa0\u2028\u2029\ufeff",
    "\\ \" / ' %s {} \\u0041 </script>",
    "月影🌙👨‍👩‍👧‍👦",
]


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_it_writes_texts_as_the_database_does(chain: str, text: str):
    body = {text: [text, 1.50, 10**30, 1e-9, -0.0, True, None, {"b": 1, "a": 2}]}
    # Past the form of a deed, which lets none of this through.
    entry = AuditEntry(
        chain=chain,
        action=text,
        actor=text,
        object_ref=text,
        reason_code=text,
        field_names=[text, ""],
    )

    with transaction.atomic():
        AuditPayload.objects.create(entry_id=entry.pk, salt=b"salt", body=body)
        AuditEntry.objects.bulk_create([entry])

    assert list_faults(chain) == []


def test_it_takes_json_of_any_shape_for_field_names(chain: str):
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO kernel_auditentry (id, chain, actor, action, object_ref, "
            "field_names, reason_code) VALUES (uuidv7(), %s, '', '', '', %s, '')",
            [chain, '[1.50, 1e30, {"bb": [], "a": {}}, "\\u00e9\\/", null]'],
        )

    assert list_faults(chain) == []


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "America/St_Johns", "Etc/GMT-14"])
def test_it_gives_the_same_answer_in_any_time_zone(
    chain: str, zone: str, pool_of: Callable[[int], None]
):
    """Acceptance row C3."""
    # The settings end with this pool, so that no other test gets them.
    pool_of(1)
    write(chain, 3)
    with connection.cursor() as cursor:
        cursor.execute(f"SET TIME ZONE '{zone}'")
        cursor.execute("SET datestyle = 'German'")

    assert list_faults(chain) == []


def test_it_refuses_to_read_inside_another_transaction(chain: str):
    with transaction.atomic(), pytest.raises(RuntimeError):
        list_heads()


def test_it_leaves_the_role_of_the_staff_behind(chain: str):
    write(chain, 1)

    list_faults(chain)

    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == ("memsys_app",)
