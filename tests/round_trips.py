"""Counts the calls to Valkey that this thread makes.

>>> with CountedTrips(monkeypatch) as trips:  # doctest: +SKIP
...     get_valkey().ping()
>>> trips.count  # doctest: +SKIP
1
"""

from threading import get_ident
from typing import Any

import pytest
from redis.connection import AbstractConnection


class CountedTrips:
    """What is sent at once counts once, however many commands it holds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._monkeypatch = monkeypatch

    def __enter__(self) -> "CountedTrips":
        send, mine = AbstractConnection.send_packed_command, get_ident()

        def counted(connection: Any, *args: Any, **kwargs: Any) -> None:
            self.count += get_ident() == mine
            send(connection, *args, **kwargs)

        self._monkeypatch.setattr(AbstractConnection, "send_packed_command", counted)
        return self

    def __exit__(self, *exc: object) -> None:
        self._monkeypatch.undo()
