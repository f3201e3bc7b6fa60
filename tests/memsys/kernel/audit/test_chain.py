"""Recording deeds: when, in which order, and by many writers at once."""

from collections.abc import Callable

import pytest
from django.db import connection, transaction

from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.audit.errors import AuditOutsideTransaction
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.audit.verification import list_heads, verify_chains
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import new_id
from tests.factories.identity import make_relationship
from tests.memsys.kernel.audit.conftest import list_faults, write
from tests.memsys.kernel.conftest import SuperuserConnection
from tests.parallel import run_parallel


def read(superuser: SuperuserConnection, chain: str, columns: str) -> list[tuple]:
    """Return columns of a chain's entries, in order."""
    statement = f"SELECT {columns} FROM kernel_auditentry"  # noqa: S608
    return superuser.execute(
        statement + " WHERE chain = %s ORDER BY seq",
        [chain],
    ).fetchall()


def test_it_records_in_a_transaction_only(real_commits: None):
    with pytest.raises(AuditOutsideTransaction):
        record(Deed("test", "test.done", "service:x"))


def test_it_numbers_the_entries_of_a_chain_from_one(
    chain: str, superuser: SuperuserConnection
):
    write(chain, 3)

    assert read(superuser, chain, "seq") == [(1,), (2,), (3,)]


def test_it_links_each_entry_to_the_one_before(
    chain: str, superuser: SuperuserConnection
):
    write(chain, 3)

    rows = read(superuser, chain, "previous, digest")
    assert [previous for previous, _ in rows[1:]] == [digest for _, digest in rows[:-1]]


def test_it_takes_no_number_time_or_digest_from_the_writer(
    chain: str, superuser: SuperuserConnection
):
    with transaction.atomic():
        AuditEntry.objects.create(
            chain=chain, seq=77, actor="x", action="y", digest=b"z", previous=b"p"
        )

    ((seq, digest, is_now),) = read(
        superuser, chain, "seq, digest, at > now() - interval '1 minute'"
    )
    assert (seq, len(digest), is_now) == (1, 32, True)
    assert list_faults(chain) == []


def test_it_writes_last_inside_a_scope(chain: str, superuser: SuperuserConnection):
    ann = make_relationship()

    with access_scope(Purpose.JOB, relationship=ann.id):
        record(Deed(chain, "test.done", "job:x"))
        locks = list_locks_on_heads()

    assert locks == []
    assert read(superuser, chain, "action") == [("test.done",)]


def list_locks_on_heads() -> list[tuple]:
    """Return the locks that the audit trigger has taken in this transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() "
            "AND relation = 'kernel_audithead'::regclass AND mode <> 'AccessShareLock'"
        )
        return cursor.fetchall()


def test_it_records_what_a_last_deed_does(chain: str, superuser: SuperuserConnection):
    ann = make_relationship()

    with access_scope(Purpose.JOB, relationship=ann.id) as scope:
        record(Deed(chain, "test.early", "job:x"))
        scope.finish("late", 200, lambda: record(Deed(chain, "test.late", "job:x")))

    assert read(superuser, chain, "action") == [("test.early",), ("test.late",)]


def test_it_records_nothing_of_a_scope_that_fails(
    chain: str, superuser: SuperuserConnection
):
    ann = make_relationship()

    def fail() -> None:
        with access_scope(Purpose.JOB, relationship=ann.id):
            record(Deed(chain, "test.done", "job:x"))
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert read(superuser, chain, "seq") == []


def test_it_leaves_no_gap_after_a_rollback(chain: str, superuser: SuperuserConnection):
    write(chain, 1)
    with transaction.atomic():
        record(Deed(chain, "test.undone", "service:x"))
        transaction.set_rollback(True)

    write(chain, 1)

    assert read(superuser, chain, "seq") == [(1,), (2,)]
    assert list_faults(chain) == []


def test_it_records_in_any_role(chain: str):
    ann = make_relationship()

    for purpose in Purpose:
        with access_scope(purpose, user=ann.user_id):
            record(Deed(chain, "test.done", f"job:{purpose.value}", details={"a": 1}))

    (report,) = verify_chains(chain=chain)
    assert (report.entries, report.faults) == (4, ())


def test_it_keeps_details_out_of_the_entry(chain: str, superuser: SuperuserConnection):
    write(chain, 1)

    ((entry, commitment),) = read(
        superuser, chain, "kernel_auditentry::text, length(commitment)"
    )
    assert "quote" not in entry
    assert commitment == 32


def test_it_salts_each_payload(chain: str, superuser: SuperuserConnection):
    for _ in range(2):
        with transaction.atomic():
            record(Deed(chain, "a", "job:b", details={"same": 1}))

    commitments = read(superuser, chain, "commitment")

    assert commitments[0] != commitments[1]


def test_it_spreads_deeds_about_users_over_sixteen_chains():
    chains = {deed_chain(new_id()) for _ in range(2000)}

    assert chains == {f"deeds-{number:02d}" for number in range(16)}


def test_it_never_forks_under_sixteen_writers(
    chain: str, pool_of: Callable[[int], None], superuser: SuperuserConnection
):
    """Acceptance row C3."""
    pool_of(16)

    run_parallel(16, lambda number: write(chain, 100))

    (report,) = verify_chains(chain=chain)
    assert (report.entries, report.faults) == (1600, ())
    ((is_ordered,),) = superuser.execute(
        "SELECT bool_and(at > before) FROM (SELECT at, lag(at) OVER (ORDER BY seq) "
        "AS before FROM kernel_auditentry WHERE chain = %s) AS line",
        [chain],
    ).fetchall()
    assert is_ordered


def test_it_does_not_deadlock_on_two_chains_in_opposite_order(
    chain: str, pool_of: Callable[[int], None]
):
    pool_of(8)
    names = [f"{chain[:30]}-{end}" for end in "ab"]
    relationships = [make_relationship() for _ in range(8)]

    def write_both(number: int) -> None:
        order = names if number % 2 else names[::-1]
        for _ in range(20):
            with access_scope(Purpose.JOB, relationship=relationships[number].id):
                for name in order:
                    record(Deed(name, "test.done", "job:x"))

    run_parallel(8, write_both)

    for name in names:
        (report,) = verify_chains(chain=name)
        assert (report.entries, report.faults) == (160, ())


def test_it_lists_the_head_of_a_chain(chain: str, superuser: SuperuserConnection):
    write(chain, 2)

    (head,) = (one for one in list_heads() if one.chain == chain)

    assert head.seq == 2
    assert (head.digest,) == read(superuser, chain, "digest")[-1]


def test_it_cannot_be_led_astray_by_types_and_tables_of_the_caller(chain: str):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("CREATE DOMAIN pg_temp.bytea AS text CHECK (false)")
        cursor.execute("CREATE TEMP TABLE kernel_audithead (chain text, seq bigint)")
        cursor.execute(
            "INSERT INTO kernel_auditentry (id, chain, actor, action, object_ref,"
            " field_names, reason_code) VALUES (%s, %s, 'x', 'y', '', '[]', '')",
            [new_id(), chain],
        )
        cursor.execute("DROP DOMAIN pg_temp.bytea")
        cursor.execute("DROP TABLE pg_temp.kernel_audithead")

    assert list_faults(chain) == []
