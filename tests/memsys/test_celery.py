"""The worker: it begins as a login that the policies bind, or not at all."""

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from tests import servers

COMMAND = [sys.executable, "-m", "celery", "-A", "memsys.celery", "worker"]


def start(**changed: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*COMMAND, "--pool", "solo", "--loglevel", "INFO"],
        env=dict(os.environ) | changed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"DATABASE_URL": servers.postgres.url("memsys_owner")}, "owns tables"),
        ({"DATABASE_URL": servers.postgres.url("memsys_maintenance")}, "BYPASSRLS"),
        ({"DATABASE_URL": servers.postgres.url("nobody")}, "connection"),
        ({"EMBEDDING_DIMENSIONS": "512"}, "makes 512 numbers"),
    ],
)
def test_it_refuses_to_begin(
    django_db_setup: None, changed: dict[str, str], told: str
) -> None:
    """Acceptance rows 83 and C14."""
    worker = start(**changed)

    shown, _ = worker.communicate(timeout=60)

    assert worker.returncode != 0
    assert "memsys: " in shown
    assert told in shown.rpartition("memsys: ")[2]


@pytest.mark.slow
def test_it_begins_as_the_login_that_preparation_makes(django_db_setup: None) -> None:
    worker = start()

    shown = _read_until(worker, "ready.")
    os.killpg(worker.pid, signal.SIGTERM)
    worker.communicate(timeout=60)

    assert "ready." in shown


def _read_until(worker: "subprocess.Popen[Any]", words: str) -> str:
    assert worker.stdout is not None
    shown = ""
    for line in worker.stdout:
        shown += line
        if words in line:
            break
    return shown
