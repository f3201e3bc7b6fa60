"""`manage.py chaos week` as a person runs it: by itself, and leaving nothing behind."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.signals import hear_signals

BASE_DIR = Path(__file__).parents[3]
GIVEN = re.compile(r"(DATABASE_\w*URL|VALKEY_URL|SECRET_KEY)(_FILE)?|MEMSYS_DIR")
SMALL = (
    *("--relationships", 2, "--sessions", 8),
    *("--kills", 1, "--wipes", 1, "--failing-percent", 0),
)


def start(
    folder: Path, *arguments: object, **environment: str
) -> subprocess.Popen[str]:
    """Start it where nothing is set but what is given, with `folder` for its files."""
    clean = {k: v for k, v in os.environ.items() if not GIVEN.fullmatch(k)}
    return subprocess.Popen(
        [sys.executable, "manage.py", "chaos", *map(str, arguments)],
        cwd=BASE_DIR,
        env={
            **clean,
            "MEMSYS_DIR": str(folder / "none"),
            "TMPDIR": str(folder),
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_signals,
    )


def run(folder: Path, *arguments: object, **environment: str) -> tuple[int, str, str]:
    with start(folder, *arguments, **environment) as process:
        output, errors = process.communicate(timeout=240)
    return process.returncode, output, errors


def wait_until(is_done: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not is_done() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert is_done()


def list_processes(folder: Path) -> list[str]:
    """Return what still runs with this folder in its environment or its command."""
    left = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            told = (path / "environ").read_bytes() + (path / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in told:
            left.append((path / "cmdline").read_text().replace("\0", " "))
    return left


@pytest.mark.slow
def test_it_keeps_every_promise_over_a_kill_and_a_wipe(tmp_path: Path) -> None:
    """Acceptance rows 63, 66 and 68."""
    code, output, errors = run(
        tmp_path,
        *("week", *SMALL, "--json"),
        DATABASE_URL="postgres://nobody@127.0.0.1:1/never",
        VALKEY_URL="redis://127.0.0.1:1/0",
        LLM_BASE_URL="https://model.example/v1",
        LLM_API_KEY_FILE="/nowhere",
        SESSION_IDLE_MINUTES="1",
    )

    assert code == 0, errors
    printed = json.loads(output)
    assert printed["kept"], printed
    assert printed["errors"] == {}
    assert printed["counts"]["sessions_stored"] == 8
    assert printed["counts"]["recorded"] == printed["counts"]["needing"] > 0
    assert printed["counts"]["memories"] > 0
    assert (printed["blows"]["kills"], printed["blows"]["wipes"]) == (1, 1)
    assert list(tmp_path.iterdir()) == []
    assert list_processes(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_leaves_nothing_when_it_is_stopped(
    tmp_path: Path, number: signal.Signals
) -> None:
    with start(tmp_path, "week", *SMALL) as process:
        wait_until(lambda: list(tmp_path.glob("memsys-scratch-*/logs/worker.log")))
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)

    assert (process.returncode, output) == (130, ""), errors
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []
    assert list_processes(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--kills", "-1"),
        ("--failing-percent", "51"),
        ("--sessions", "many"),
    ],
)
def test_it_refuses_numbers_out_of_range(
    tmp_path: Path, arguments: tuple[str, str]
) -> None:
    code, output, errors = run(tmp_path, "week", *arguments)

    assert (code, output) == (2, "")
    assert f"{arguments[0]}: a whole number from" in errors


def test_it_refuses_a_week_that_is_too_full_before_it_starts_anything(
    tmp_path: Path,
) -> None:
    code, output, errors = run(
        tmp_path, "week", "--relationships", 1, "--sessions", 500
    )

    assert (code, output) == (1, "")
    assert "1 relationships take 1 to 100 sessions." in errors
    assert list(tmp_path.iterdir()) == []
