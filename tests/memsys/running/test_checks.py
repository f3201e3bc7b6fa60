"""What is checked before `up` changes anything."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from memsys.runfile import Run, write_run
from memsys.running.checks import (
    StartupRefused,
    check_port,
    hold_folder,
    prepare_folder,
    stop_leftovers,
)
from memsys.running.processes import LoggedProcess, ProcessIdentity, identify


def note_run(folder: Path, services: dict[str, ProcessIdentity]) -> None:
    supervisor = identify(os.getpid())
    assert supervisor is not None
    write_run(folder, Run(supervisor, "http://127.0.0.1:8123", {}, services))


def spawn_sleep(folder: Path) -> LoggedProcess:
    process = LoggedProcess(log_path=folder / "logs" / "web.log")
    process.spawn(["sleep", "60"], folder=folder, environment=os.environ)
    return process


def test_it_makes_a_folder_that_only_its_owner_can_enter(tmp_path: Path) -> None:
    prepare_folder(tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_it_refuses_a_folder_on_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(StartupRefused, match="MB free and needs"):
        prepare_folder(tmp_path, required_bytes=10**18)


def test_it_refuses_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StartupRefused, match="set MEMSYS_DIR"):
        prepare_folder(tmp_path / "file" / "memsys")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_it_refuses_a_folder_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)

    with pytest.raises(StartupRefused, match="read-only"):
        prepare_folder(tmp_path)


def test_it_refuses_a_port_in_use_and_names_another() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(StartupRefused, match="up --port"),
    ):
        check_port(server.getsockname()[1])


def test_it_waits_for_a_port_that_is_still_being_given_up() -> None:
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    giving_up = Timer(0.5, server.close)
    giving_up.start()

    check_port(port, patience_seconds=30)

    giving_up.join()
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_it_refuses_a_second_run_and_names_the_first(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from memsys.running import checks\n"
        "try:\n with checks.hold_folder(Path(sys.argv[1])): pass\n"
        "except checks.StartupRefused as error: print(error)"
    )
    note_run(tmp_path, {})

    with hold_folder(tmp_path):
        second = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)],
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
        )

    assert f"http://127.0.0.1:8123, process {os.getpid()};" in second.stdout


def test_it_holds_a_folder_again_after_it_was_left(tmp_path: Path) -> None:
    with hold_folder(tmp_path):
        pass

    with hold_folder(tmp_path):
        is_held = True

    assert is_held


def test_it_stops_what_a_killed_run_left(tmp_path: Path) -> None:
    process = spawn_sleep(tmp_path)
    assert process.identity is not None
    note_run(tmp_path, {"web": process.identity})
    said: list[str] = []

    was_killed = stop_leftovers(tmp_path, say=said.append)

    assert was_killed
    assert not process.is_running()
    assert said == [
        f"stopping web, process {process.identity.pid}, left by a killed run"
    ]


def test_it_leaves_a_process_alone_that_only_has_the_number(tmp_path: Path) -> None:
    process = spawn_sleep(tmp_path)
    assert process.identity is not None
    note_run(tmp_path, {"web": ProcessIdentity(process.identity.pid, "earlier")})

    stop_leftovers(tmp_path, say=print)

    assert process.is_running()
    process.stop(())
