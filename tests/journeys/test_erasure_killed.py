"""kill -9 at each step of an erasure: it goes on where it was, and no step is done twice.

A trigger stops the worker inside the transaction of one step; there it is killed.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.db import connections

from consent import erasures, holds, ledger
from consent.erasures.steps import list_steps
from consent.errors import ErasureNotUndoable
from consent.models import ErasureRun
from identity.types import RelationshipRef
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.erasing import USER
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.scope.staff import staff_role
from tests.factories.erasing import (
    BY,
    DAY,
    NOW,
    fill_user,
    later,
    left,
    lift,
    make_filled,
)

WAITING = 77_077
# One worker after the other, forked from a process that is ready: it takes the id of a
# run, and is killed or ends.
WORKERS = """
import os, sys
from datetime import datetime
from uuid import UUID
import django
django.setup()
from consent import erasures
for line in sys.stdin:
    run_id, at = line.split()
    child = os.fork()
    if child == 0:
        erasures.run(UUID(run_id), now=datetime.fromisoformat(at))
        os._exit(0)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""
STOP = """
CREATE FUNCTION stop_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF {condition} THEN
        PERFORM pg_advisory_xact_lock(77077);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER stop_for_test BEFORE UPDATE ON {table}
    FOR EACH ROW EXECUTE FUNCTION stop_for_test();
"""
# Which step it is told by the reason of the erasure.
STEP = """
    NEW.reason_code = 'stop-at-' || jsonb_array_length(NEW.steps)
        AND NEW.steps <> OLD.steps
    OR NEW.reason_code = 'stop-at-' || NEW.state AND NEW.state <> OLD.state
"""
WAITER = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
# Of a user with two relationships.
STEPS = sum(1 if one.is_of_user else 2 for one in list_steps() if USER in one.targets)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("real_commits")]


@pytest.fixture(scope="module")
def workers(own_database: None) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", WORKERS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    yield process
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=20)
    assert process.stdout is not None
    process.stdout.close()


@pytest.fixture
def stopped(real_commits: None) -> Iterator[None]:
    """Whoever comes to the step of its erasure waits, until it is killed."""
    yield from stop("consent_erasurerun", STEP)


@pytest.fixture
def stopped_at_the_mark(real_commits: None) -> Iterator[None]:
    """Whoever has written a line of the ledger waits, until it is killed."""
    yield from stop("consent_ledgermark", "true")


def stop(table: str, condition: str) -> Iterator[None]:
    with connections["owner"].cursor() as cursor:
        cursor.execute(STOP.format(table=table, condition=condition))
        cursor.execute("SELECT pg_advisory_lock(%s)", [WAITING])
        yield
        cursor.execute("SELECT pg_advisory_unlock_all()")
        cursor.execute(f"DROP TRIGGER stop_for_test ON {table}")
        cursor.execute("DROP FUNCTION stop_for_test")


def kill_inside(
    workers: "subprocess.Popen[str]", run: ErasureRun, at: datetime = NOW
) -> None:
    """Let a worker take the run, and kill it where the trigger stops it."""
    assert workers.stdin is not None
    assert workers.stdout is not None
    print(run.pk, at.isoformat(), file=workers.stdin, flush=True)
    child = int(workers.stdout.readline())
    with connections["owner"].cursor() as cursor:
        backend = wait_for(cursor)
        os.kill(child, signal.SIGKILL)
        assert int(workers.stdout.readline()) == signal.SIGKILL
        # As the server does when a statement has ended and nobody is there any more.
        cursor.execute("SELECT pg_advisory_unlock(%s)", [WAITING])
        wait_for_end(cursor, backend)


def wait_for(cursor: object) -> int:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        cursor.execute(WAITER, [WAITING])
        if row := cursor.fetchone():
            return int(row[0])
        time.sleep(0.02)
    pytest.fail("No worker came to the step.")


def wait_for_end(cursor: object, backend: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        cursor.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [backend])
        if cursor.fetchone() is None:
            return
        time.sleep(0.02)
    pytest.fail("The transaction of the killed worker goes on.")


def begin(
    reason: str, at: datetime | None = NOW
) -> tuple[RelationshipRef, RelationshipRef, ErasureRun]:
    ann = make_filled()
    other = make_filled(user=ann.user_external_id)
    fill_user(ann)
    wish = erasures.request(
        erasures.Target(ann.user_id),
        by=BY,
        reason_code=reason,
        at_once=True,
        now=at or later(),
    )
    return ann, other, wish


@pytest.mark.usefixtures("stopped")
@pytest.mark.parametrize("place", [*range(1, STEPS + 1), "done"])
def test_it_goes_on_where_it_was(
    workers: "subprocess.Popen[str]", place: int | str
) -> None:
    """Acceptance rows 14, C9 and C26."""
    ann, other, wish = begin(f"stop-at-{place}")
    ben = make_filled()

    kill_inside(workers, wish)
    killed = ErasureRun.objects.get(pk=wish.pk)
    too_early = erasures.run(wish.pk, now=NOW)
    done = erasures.run(wish.pk, now=NOW + timedelta(minutes=7))

    assert killed.state == "running"
    assert len(killed.steps) == (STEPS if place == "done" else int(place) - 1)
    assert too_early is None
    assert done is not None
    assert done.state == "done"
    names = [one["step"] for one in done.steps]
    assert len(names) == len(set(names)) == STEPS
    assert done.steps[: len(killed.steps)] == killed.steps
    assert done.counts["memories"] == 2
    assert done.counts["grants"] == 1
    assert [left(one) for one in (ann, other, ben)] == [(0, 0), (0, 0), (1, 1)]
    assert (
        OutboxEvent.objects.filter(user_id=ann.user_id, name="erasure.done").count()
        == 1
    )


@pytest.mark.usefixtures("stopped")
def test_a_hold_that_comes_between_two_steps_stops_the_rest_until_it_is_lifted(
    workers: "subprocess.Popen[str]",
) -> None:
    """Acceptance rows C10 and C11: what is left is kept, and goes by itself."""
    ann, other, wish = begin("stop-at-2")
    kill_inside(workers, wish)
    hold = holds.place(
        ann.user_id, reason_code="court-order", case_ref="2026-114", by="staff:1",
        now=NOW,
    )  # fmt: skip

    blocked = erasures.run(wish.pk, now=NOW + timedelta(minutes=7))
    kept = [left(ann), left(other)]
    with pytest.raises(ErasureNotUndoable):
        erasures.undo(wish.pk, by=BY, now=NOW + timedelta(minutes=8))
    lift(hold, NOW + DAY)
    done = erasures.run(wish.pk, now=NOW + DAY)

    assert blocked is not None
    assert (blocked.state, len(blocked.steps)) == ("blocked", 1)
    assert sorted(kept) == [(0, 0), (1, 1)]
    assert done is not None
    assert (done.state, done.counts["memories"]) == ("done", 2)
    assert done.receipt_code == wish.receipt_code
    assert [left(ann), left(other)] == [(0, 0), (0, 0)]
    with staff_role():
        rows = AuditEntry.objects.filter(object_ref=f"user:{ann.user_id}")
        assert [one.action for one in rows] == ["erasure.refused"]


def test_a_crash_between_the_ledgers_line_and_the_commit_loses_nothing(
    workers: "subprocess.Popen[str]", stopped_at_the_mark: None
) -> None:
    """Acceptance row C10: the line is made up for before anything else is erased."""
    ann, _, wish = begin("stop-after-line", at=None)

    kill_inside(workers, wish, wish.run_from)
    is_behind, before = ledger.is_behind(), left(ann)
    made_up = erasures.make_up(now=later(minutes=1))

    assert (is_behind, before) == (True, (1, 1))
    assert made_up == 1
    assert not ledger.is_behind()
    assert left(ann) == (0, 0)
    lines = [one for one in ledger.read_lines() if one.entry.run == wish.pk]
    assert len(lines) == 1
    assert ErasureRun.objects.get(pk=wish.pk).state == "done"
