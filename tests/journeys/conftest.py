"""Real processes for the journeys: a web server that can be killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from tests.factories.api import Bot, make_bot

START_SECONDS = 30


class WebServer:
    """gunicorn on a free port, as production runs it; two workers, four threads."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [
            sys.executable, "-m", "gunicorn", "memsys.wsgi:application",
            "--bind", f"127.0.0.1:{self.port}", "--workers", "2",
            "--worker-class", "gthread", "--threads", "4", "--log-level", "error",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            command, env=dict(os.environ), start_new_session=True
        )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                pytest.fail("The web server does not answer.")
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/livez").status_code == 200
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """End all of it at once, as a crash would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in order."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, how)
        self._process.wait(timeout=20)
        self._process = None


@pytest.fixture(scope="session")
def web(django_db_setup: None) -> Iterator[WebServer]:
    """A web server for the whole run."""
    server = WebServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def mortal_web(django_db_setup: None) -> Iterator[WebServer]:
    """A web server of one test, which may kill it."""
    server = WebServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def service(real_commits: None) -> Bot:
    """A chat service with all rights."""
    return make_bot()


def headers_of(bot: Bot) -> dict[str, Any]:
    """Return the headers that the service sends."""
    return {"Authorization": f"Bearer {bot.key.secret}"}
