"""Services that are started in order, restarted when they die, and stopped."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memsys.running.processes import identify
from memsys.running.service import Program, ServiceError
from memsys.supervisor import StopSignals, Supervisor

WAITS_FOR_TERM = (
    "trap 'echo {name} >> ended; exit 0' TERM; while :; do sleep 0.05; done"
)
IGNORES_TERM = "trap '' TERM; while :; do sleep 0.05; done"


class Scene:
    """A supervisor with what it said, and the programs that it is given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.signals = StopSignals()
        self.supervisor = Supervisor(
            signals=self.signals, say=self.said.append, pauses_seconds=(0, 0.1, 60)
        )

    def program(self, name: str, script: str, *, stop_seconds: float = 5) -> Program:
        return Program(
            name=name,
            command=["/bin/sh", "-c", script.replace("{name}", name)],
            folder=self.folder,
            environment=os.environ,
            log_path=self.folder / "logs" / f"{name}.log",
            stop_seconds=stop_seconds,
        )

    def watch_until(self, is_done: Callable[[], bool]) -> None:
        """Watch until this is so or 10 seconds have passed, then ask to stop."""

        def wait() -> None:
            deadline = time.monotonic() + 10
            while not is_done() and time.monotonic() < deadline:
                time.sleep(0.02)
            os.kill(os.getpid(), signal.SIGTERM)

        thread = threading.Thread(target=wait)
        thread.start()
        self.supervisor.watch()
        thread.join()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = {number: signal.getsignal(number) for number in numbers}
    scene = Scene(tmp_path)
    scene.signals.install()
    yield scene
    scene.supervisor.stop()
    for number, handler in handlers.items():
        signal.signal(number, handler)


def test_it_starts_a_program_again_that_was_killed(scene: Scene) -> None:
    program = scene.program("web", WAITS_FOR_TERM)
    scene.supervisor.add([program])
    first = program.identity
    assert first is not None

    os.kill(first.pid, signal.SIGKILL)
    scene.watch_until(lambda: program.identity not in (None, first))

    assert program.identity not in (None, first)
    assert scene.said == [
        "web has ended (signal 9); next start in 0 s",
        "web is started again",
    ]


def test_it_waits_longer_each_time_a_program_ends(scene: Scene) -> None:
    scene.supervisor.add([scene.program("web", "echo no such thing; exit 3")])

    scene.watch_until(lambda: "in 60 s" in scene.said[-1] if scene.said else False)

    assert scene.said[0::2] == [
        f"web has ended (exit code 3: no such thing); next start in {pause} s"
        for pause in ("0", "0.1", "60")
    ]


def test_it_stops_the_last_group_first(scene: Scene) -> None:
    for name in ("database", "web"):
        scene.supervisor.add([scene.program(name, WAITS_FOR_TERM)])
    time.sleep(0.3)

    scene.supervisor.stop()

    assert (scene.folder / "ended").read_text() == "web\ndatabase\n"


def test_it_kills_at_the_second_signal(scene: Scene) -> None:
    program = scene.program("worker", IGNORES_TERM, stop_seconds=60)
    scene.supervisor.add([program])
    time.sleep(0.3)

    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
    started_at = time.monotonic()
    scene.supervisor.stop()

    assert not program.is_running()
    assert time.monotonic() - started_at < 10


def test_it_leaves_no_process_of_a_program_behind(scene: Scene) -> None:
    script = "sleep 60 & echo $! > child; " + IGNORES_TERM
    scene.supervisor.add([scene.program("worker", script, stop_seconds=0.2)])
    while not (scene.folder / "child").exists():
        time.sleep(0.02)
    time.sleep(0.2)
    child = int((scene.folder / "child").read_text())

    scene.supervisor.stop()

    deadline = time.monotonic() + 5
    while identify(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert identify(child) is None


def test_it_starts_nothing_more_once_it_is_asked_to_stop(scene: Scene) -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    program = scene.program("web", WAITS_FOR_TERM)

    scene.supervisor.add([program])

    assert not program.is_running()


def test_it_says_which_program_cannot_be_started(scene: Scene) -> None:
    program = Program(
        name="web",
        command=[sys.executable + "-missing"],
        folder=scene.folder,
        environment={},
        log_path=scene.folder / "web.log",
    )

    with pytest.raises(ServiceError, match="web: .*No such file"):
        scene.supervisor.add([program])


def test_it_lists_the_processes_of_what_runs(scene: Scene) -> None:
    web = scene.program("web", WAITS_FOR_TERM)
    scene.supervisor.add([web, scene.program("beat", "exit 0")])
    time.sleep(0.3)

    identities = scene.supervisor.list_identities()

    assert identities == {"web": web.identity}
