"""Many at once: one request that is worked on, one answer."""

from datetime import UTC, datetime

import pytest

from consent import requests
from consent.errors import RequestClosed
from tests.factories.identity import make_relationship
from tests.factories.requests import BY, ask_for, words_of
from tests.parallel import run_parallel

pytestmark = pytest.mark.usefixtures("real_commits")

NOW = datetime(2026, 1, 5, 3, 0, tzinfo=UTC)


def test_asked_for_in_parallel_it_is_worked_on_once() -> None:
    """Acceptance row C31: the race of two requests for the same."""
    ann = make_relationship()

    rows = run_parallel(6, lambda _: ask_for(ann, "erase"))

    assert sorted(row.state for row in rows) == ["done"] * 5 + ["open"]


def test_two_who_close_it_at_once_leave_one_answer() -> None:
    """Acceptance row C26."""
    row = ask_for(make_relationship())

    def close(_: int) -> str:
        try:
            requests.answer(row.pk, outcome="done", words="好", by=BY, now=NOW)
        except RequestClosed:
            return "closed"
        return "answered"

    ended = run_parallel(4, close)

    assert sorted(ended) == ["answered", "closed", "closed", "closed"]
    assert len(words_of(row)) == 1
