"""Tests in two workers: servers for each, none for the leader, none left behind.

Each test runs a small session of pytest of its own, with files that start a Valkey.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memsys.running.processes import identify
from tests.rules.sources import ROOT
from tests.servers import LEADER
from tests.signals import hear_signals

pytestmark = pytest.mark.slow

CONFTEST = """
from pathlib import Path
from tests import servers

def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        Path("leader").write_text(f"{servers.valkey.is_running()}")
"""
FILE = """
import os, signal, time
from pathlib import Path
from tests import servers

def test_it_starts_a_server():
    servers.valkey.start()
    note = Path("of-" + Path(__file__).stem + ".new")
    note.write_text(f"{{servers.valkey.pid}} {{servers.FOLDER}}")
    note.rename(note.with_suffix(".txt"))
    {deed}
"""
WAITS = "time.sleep(60)"
IS_KILLED = "os.kill(os.getpid(), signal.SIGKILL)"


def start_session(folder: Path, *, deeds: tuple[str, str]) -> subprocess.Popen[bytes]:
    """Start pytest with two workers and two files, each of which ends with a deed."""
    (folder / "conftest.py").write_text(CONFTEST)
    for name, deed in zip(("test_a", "test_b"), deeds, strict=True):
        (folder / f"{name}.py").write_text(FILE.format(deed=deed))
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name != LEADER and not name.startswith("PYTEST_")
    }
    command = [
        *(sys.executable, "-m", "pytest", "-p", "tests.servers", "-p", "xdist"),
        *("-n", "2", "--dist", "loadfile", "--max-worker-restart", "0"),
    ]
    return subprocess.Popen(
        [*command, "--rootdir", str(folder)],
        cwd=folder,
        env=inherited
        | {
            "TMPDIR": str(folder),
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=hear_signals,
    )


def read_notes(folder: Path) -> list[tuple[int, str]]:
    """Return the server that each file started: its process and its folder."""
    notes = [path.read_text().split() for path in folder.glob("of-*.txt")]
    return [(int(pid), place) for pid, place in notes]


def assert_nothing_is_left(folder: Path) -> None:
    assert [pid for pid, _place in read_notes(folder) if identify(pid)] == []
    assert list(folder.glob("memsys-*")) == []


def test_it_gives_each_worker_servers_of_its_own_and_stops_those_of_a_killed_one(
    tmp_path: Path,
):
    session = start_session(tmp_path, deeds=(IS_KILLED, "pass"))

    output, _ = session.communicate(timeout=120)

    assert b"1 failed, 1 passed" in output
    servers = read_notes(tmp_path)
    assert len({pid for pid, _place in servers}) == 2
    assert len({place for _pid, place in servers}) == 2
    assert (tmp_path / "leader").read_text() == "False"
    assert_nothing_is_left(tmp_path)


def test_it_stops_all_servers_at_ctrl_c(tmp_path: Path):
    session = start_session(tmp_path, deeds=(WAITS, WAITS))
    deadline = time.monotonic() + 60
    while len(read_notes(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)

    os.killpg(session.pid, signal.SIGINT)
    session.communicate(timeout=60)

    assert len(read_notes(tmp_path)) == 2
    assert session.returncode == 2
    assert_nothing_is_left(tmp_path)
