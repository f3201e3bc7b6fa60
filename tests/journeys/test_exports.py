"""Exports in real transactions: killed and begun again, found and erased."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from consent import exports
from consent.models import ExportRun
from consent.tasks import run_erasure, run_export
from identity.types import RelationshipRef
from memsys.scanning import scan
from tests.factories.api import Bot
from tests.factories.erasing import later, make_filled
from tests.factories.exporting import (
    ask_export,
    count_pieces,
    make_export,
    open_export,
)

CANARY = "花生暗号7732"
UNPACKED = "consent_exportchunk.data (unpacked)"
WAITING = 77_078
WORKER = """
import sys, uuid
import django
django.setup()
from django.utils import timezone
from consent import exports
exports.run(uuid.UUID(sys.argv[1]), now=timezone.now())
"""
# Whoever is half done with what this test made waits, until it is killed.
STOP = """
CREATE FUNCTION stop_export_for_test() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.reason_code = 'stop-midway' AND NEW.progress > 40 AND NEW.attempts = 1 THEN
        PERFORM pg_advisory_xact_lock(77078);
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER stop_export_for_test BEFORE UPDATE ON consent_exportrun
    FOR EACH ROW EXECUTE FUNCTION stop_export_for_test();
"""
WAITER = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
BACKEND = "SELECT 1 FROM pg_stat_activity WHERE pid = %s"

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("real_commits")]


@pytest.fixture
def stopped(real_commits: None) -> Iterator[None]:
    with connections["owner"].cursor() as cursor:
        cursor.execute(STOP)
        cursor.execute("SELECT pg_advisory_lock(%s)", [WAITING])
        yield
        cursor.execute("SELECT pg_advisory_unlock_all()")
        cursor.execute("DROP TRIGGER stop_export_for_test ON consent_exportrun")
        cursor.execute("DROP FUNCTION stop_export_for_test")


def kill_midway(run: ExportRun) -> None:
    """Let a worker begin the file, and kill it where the trigger stops it."""
    process = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(run.pk)], env=dict(os.environ)
    )
    with connections["owner"].cursor() as cursor:
        (backend,) = wait_for(cursor, WAITER, WAITING, is_there=True)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=20)
        # As the server does when a statement has ended and nobody is there any more.
        cursor.execute("SELECT pg_advisory_unlock(%s)", [WAITING])
        wait_for(cursor, BACKEND, backend, is_there=False)


def wait_for(cursor: Any, query: str, value: int, *, is_there: bool) -> Any:
    """Return the first row of a query once there is one, or none any more."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        cursor.execute(query, [value])
        row = cursor.fetchone()
        if (row is not None) is is_there:
            return row
        time.sleep(0.05)
    pytest.fail("It did not come so far.")


def places_of(text: str) -> list[str]:
    """Return each table, key and file that holds the text."""
    return [one.place for one in scan(text).found]


@pytest.mark.usefixtures("stopped")
def test_killed_in_the_middle_it_is_begun_again_and_whole() -> None:
    """Acceptance rows 63 and C26."""
    ann = make_filled()
    run = exports.request(
        exports.Wish(ann.user_id),
        by="user:tests",
        reason_code="stop-midway",
        now=timezone.now(),
    )

    kill_midway(run)
    killed = ExportRun.objects.get(pk=run.pk)
    too_early = exports.run(run.pk, now=timezone.now())
    done = exports.run(run.pk, now=later(minutes=7))

    assert (killed.state, killed.attempts) == ("running", 1)
    assert 0 < killed.progress < 100
    assert too_early is None
    assert done is not None
    assert (done.state, done.attempts) == ("ready", 2)
    assert open_export(done).testzip() is None


@pytest.mark.parametrize("erased", ["relationship", "user"])
def test_what_is_in_a_file_is_found_and_erased_with_the_rest(
    service: Bot, erased: str
) -> None:
    """Acceptance rows 21 and C6."""
    ann: RelationshipRef = make_filled(CANARY)
    asked = service.post("/exports", {"user": ann.user_external_id}).json()
    run_export(run_id=asked["id"])
    planted = places_of(CANARY)

    here = f"/relationships/{ann.id}/memories"
    if erased == "relationship":
        service.delete(here, {"confirm": str(ann.id)})
    else:
        user = ann.user_external_id
        wish = {"user": user, "confirm": user, "at_once": True}
        run_erasure(run_id=service.post("/erasures", wish).json()["id"])

    assert UNPACKED in planted
    assert places_of(CANARY) == []
    assert count_pieces(ann.user_id) == 0
    assert service.get(f"/exports/{asked['id']}/file").status_code == 410


def test_an_erased_memory_is_in_no_export_made_afterwards(service: Bot) -> None:
    ann = make_filled(CANARY)
    service.delete(f"/relationships/{ann.id}/memories", {"confirm": str(ann.id)})

    run = make_export(ann)

    with open_export(run) as packed:
        found = [
            name for name in packed.namelist() if CANARY.encode() in packed.read(name)
        ]
    assert found == []


def test_two_workers_at_once_make_one_file() -> None:
    """Acceptance row C26: every task twice and in parallel."""
    ann = make_filled()
    run = ask_export(ann)
    command = [sys.executable, "-c", WORKER, str(run.pk)]

    workers = [subprocess.Popen(command, env=dict(os.environ)) for _ in range(2)]
    codes = [one.wait(timeout=90) for one in workers]

    made = ExportRun.objects.get(pk=run.pk)
    assert codes == [0, 0]
    assert (made.state, made.attempts) == ("ready", 1)
    assert open_export(made).testzip() is None
