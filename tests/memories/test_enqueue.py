"""Asking for jobs: after the commit only, and whatever the broker does."""

import socket
import time
from collections.abc import Iterator
from contextlib import closing
from uuid import uuid4

import pytest
from celery import current_app
from django.db import transaction

from memories.enqueue import PRIORITY, enqueue_session, send_session
from memsys.kernel.valkey import get_valkey

QUEUE = f"celery\x06\x16{PRIORITY}"


@pytest.fixture
def broker() -> Iterator[None]:
    """Put the broker's address back when the test has changed it."""
    known = current_app.conf.broker_url
    yield
    current_app.conf.broker_url = known


def point_at(port: int) -> None:
    current_app.conf.broker_url = f"redis://127.0.0.1:{port}/0"


def queued() -> int:
    return int(get_valkey().llen(QUEUE))


@pytest.mark.usefixtures("real_commits")
class TestCommits:
    def test_it_asks_when_the_transaction_commits(self) -> None:
        """Acceptance row C27."""
        before = queued()

        with transaction.atomic():
            enqueue_session(uuid4())
            inside = queued()

        assert (inside, queued()) == (before, before + 1)

    def test_it_asks_for_nothing_that_is_rolled_back(self) -> None:
        """Acceptance row C27."""
        before = queued()

        with transaction.atomic():
            enqueue_session(uuid4())
            transaction.set_rollback(True)

        assert queued() == before

    def test_its_payload_is_an_id_alone(self) -> None:
        """Acceptance row 21, for queues."""
        session_id = uuid4()

        send_session(session_id)

        (body,) = get_valkey().lrange(QUEUE, 0, 0)
        assert str(session_id).encode() in body
        assert b"text" not in body.replace(b"context", b"")

    def test_it_lets_a_sweep_go_before_any_number_of_sessions(self) -> None:
        """Acceptance row 63: behind them the sweep would expire."""
        get_valkey().delete("celery")
        for _ in range(3):
            send_session(uuid4())

        current_app.send_task("memories.sweep_sessions", expires=25)

        with current_app.connection_for_read() as broker:
            first = broker.default_channel.basic_get("celery", no_ack=True)
        assert first.headers["task"] == "memories.sweep_sessions"


@pytest.mark.usefixtures("broker", "real_commits")
class TestBrokers:
    def test_one_that_is_down_is_no_error_of_the_caller(self) -> None:
        """Acceptance row C27: the sweep finds the session."""
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        point_at(port)

        with transaction.atomic():
            enqueue_session(uuid4())

        assert not send_session(uuid4())

    def test_one_that_hangs_holds_nobody_up(self) -> None:
        with closing(socket.socket()) as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            point_at(silent.getsockname()[1])
            began = time.monotonic()

            is_taken = send_session(uuid4())

        assert not is_taken
        assert time.monotonic() - began < 5
