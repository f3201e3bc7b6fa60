"""`manage.py up` as a person runs it: one whole run, and what may befall it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import psycopg
import pytest

from memsys.runfile import Run, read_run
from memsys.running.processes import ProcessIdentity, is_alive

BASE_DIR = Path(__file__).resolve().parents[2]
SERVICES = {"postgres", "valkey", "web", "worker", "beat"}

pytestmark = pytest.mark.slow


class Machine:
    """A folder and a port on which `up` is run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = str(probe.getsockname()[1])
        given = re.compile(r"(DATABASE_\w*URL|VALKEY_URL|SECRET_KEY)(_FILE)?")
        self.environment = {
            **{k: v for k, v in os.environ.items() if not given.fullmatch(k)},
            "MEMSYS_DIR": str(folder),
        }
        self.ups: list[subprocess.Popen[bytes]] = []

    def manage(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=BASE_DIR,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def up(self) -> "subprocess.Popen[bytes]":
        """Start it, and return when it is ready."""
        with (self.folder.parent / "output").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--no-demo", "--port", self.port],
                cwd=BASE_DIR,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.ups.append(process)
        wait_until(lambda: "Ctrl-C" in self.output or process.poll() is not None, 120)
        assert process.poll() is None, self.output
        return process

    @property
    def output(self) -> str:
        return (self.folder.parent / "output").read_text()

    @property
    def run(self) -> Run:
        run = read_run(self.folder)
        assert run is not None
        return run

    def stop(self) -> None:
        for process in self.ups:
            process.terminate()
        for process in self.ups:
            process.wait(timeout=60)

    def ask_web(self) -> int:
        connection = HTTPConnection("127.0.0.1", int(self.port), timeout=10)
        try:
            connection.request("GET", "/desk/")
            return connection.getresponse().status
        finally:
            connection.close()


def wait_until(is_done: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not is_done() and time.monotonic() < deadline:
        time.sleep(0.1)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    machine = Machine(tmp_path_factory.mktemp("machine") / "memsys data")
    machine.up()
    yield machine
    machine.stop()


def test_it_runs_every_part(machine: Machine) -> None:
    services = machine.run.services

    assert set(services) == SERVICES
    assert all(is_alive(identity) for identity in services.values())
    assert machine.ask_web() < 500


def test_it_refuses_a_second_run_beside_the_first(machine: Machine) -> None:
    second = machine.manage("up", "--no-demo", "--port", machine.port)

    assert second.returncode == 1
    assert f"process {machine.ups[-1].pid}" in second.stderr
    assert f"http://127.0.0.1:{machine.port}" in second.stderr


def test_it_refuses_a_used_port_before_it_changes_anything(
    machine: Machine, tmp_path: Path
) -> None:
    other = Machine(tmp_path / "memsys")

    refused = other.manage("up", "--no-demo", "--port", machine.port)

    assert refused.returncode == 1
    assert f"port {machine.port} cannot be used" in refused.stderr
    assert [path.name for path in other.folder.iterdir()] == ["up.lock"]


def test_it_keeps_the_owner_s_address_from_web_and_worker(machine: Machine) -> None:
    pids = [machine.run.services[name].pid for name in ("web", "worker", "beat")]

    environments = [Path(f"/proc/{pid}/environ").read_bytes() for pid in pids]

    assert all(b"memsys_app" in environment for environment in environments)
    assert not any(b"memsys_owner" in environment for environment in environments)


def test_it_serves_other_commands(machine: Machine) -> None:
    result = machine.manage("showmigrations", "--plan")

    assert result.returncode == 0, result.stderr


def test_it_brings_back_whatever_is_killed(machine: Machine) -> None:
    """Acceptance row 68: what was committed before is there afterwards."""
    former = machine.run.services
    word = write_row(machine)

    for identity in former.values():
        os.kill(identity.pid, signal.SIGKILL)
    wait_until(lambda: has_all_anew(machine, former))

    assert has_all_anew(machine, former)
    assert count_rows(machine, word) == 1
    wait_until(lambda: "web is started again" in machine.output)


def test_it_goes_on_after_it_was_killed_itself(machine: Machine) -> None:
    """The servers are taken over; the programs of the killed run are replaced."""
    former = machine.run.services
    word = write_row(machine)
    machine.ups[-1].kill()
    machine.ups[-1].wait()
    without = machine.manage("showmigrations")

    machine.up()

    services = machine.run.services
    assert "memsys is not running" in without.stderr
    assert services["postgres"] == former["postgres"]
    assert services["valkey"] == former["valkey"]
    assert not is_alive(former["web"])
    assert count_rows(machine, word) == 1


def test_it_leaves_nothing_running_when_it_is_stopped(machine: Machine) -> None:
    services = machine.run.services
    started_at = time.monotonic()

    machine.ups[-1].send_signal(signal.SIGINT)
    code = machine.ups[-1].wait(timeout=60)

    assert code == 0
    assert time.monotonic() - started_at < 20
    assert not any(is_alive(identity) for identity in services.values())
    assert read_run(machine.folder) is None
    assert json.loads((machine.folder / "postgres.json").read_text())


def has_all_anew(machine: Machine, former: dict[str, ProcessIdentity]) -> bool:
    services = machine.run.services
    return set(services) == SERVICES and not set(services.values()) & set(
        former.values()
    )


def write_row(machine: Machine) -> str:
    """Commit a row in a database that `up` leaves alone, and return its word."""
    word = f"kept {time.monotonic_ns()}"
    with psycopg.connect(machine.run.environment["DATABASE_ADMIN_URL"]) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (word text)")
        connection.execute("INSERT INTO kept VALUES (%s)", [word])
    return word


def count_rows(machine: Machine, word: str) -> int:
    with psycopg.connect(machine.run.environment["DATABASE_ADMIN_URL"]) as connection:
        row = connection.execute(
            "SELECT count(*) FROM kept WHERE word = %s", [word]
        ).fetchone()
    assert row is not None
    return int(row[0])
