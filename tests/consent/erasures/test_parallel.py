"""Many at once: one wish, one run, one receipt."""

import pytest

from consent import erasures, ledger
from consent.models import ErasureRun
from identity.errors import StatusConflict
from identity.statuses import carry_wish
from memsys.kernel.audit.verification import verify_chains
from memsys.kernel.outbox import OutboxEvent
from tests.factories.erasing import (
    BY,
    DAY,
    NOW,
    ask,
    left,
    make_filled,
    of,
    run,
    status_of,
)
from tests.parallel import run_parallel

pytestmark = pytest.mark.usefixtures("real_commits")


def test_run_by_many_at_once_it_is_done_once() -> None:
    """Acceptance row C26: one receipt, one event, one line in the ledger."""
    ann = make_filled()
    wish = ask(erasures.Target(ann.user_id))

    ended = run_parallel(6, lambda _: run(wish))

    assert sorted(one.state for one in ended if one is not None) == ["done"]
    lines = [one for one in ledger.read_lines() if one.entry.run == wish.pk]
    assert len(lines) == 1
    assert OutboxEvent.objects.filter(user_id=ann.user_id).count() == 1
    steps = [one["step"] for one in ErasureRun.objects.get(pk=wish.pk).steps]
    assert len(steps) == len(set(steps))


def test_the_chains_still_verify_after_payloads_are_erased() -> None:
    ann = make_filled()

    run(ask(erasures.Target(ann.user_id)))

    assert [one for one in verify_chains() if one.fault_count] == []


def test_asked_for_in_parallel_it_is_one() -> None:
    """Acceptance row C26."""
    ann = make_filled()

    wishes = run_parallel(6, lambda _: ask(of(ann), at_once=False).pk)

    assert len(set(wishes)) == 1


def test_ended_by_many_at_once_it_is_erased_once_and_stays_ended() -> None:
    """Acceptance row C26: among those who end it are some who pause and resume it."""
    ann = make_filled()

    def act(number: int) -> bool:
        told = {"by": BY, "reason_code": "test"}
        if number % 2:
            return erasures.end(ann, **told, now=NOW) is not None
        try:
            carry_wish(ann.id, "pause", **told)
            carry_wish(ann.id, "resume", **told)
        except StatusConflict:
            pass
        return False

    ended = run_parallel(8, act)

    assert sorted(ended) == [False] * 7 + [True]
    assert status_of(ann) == "ended"
    (wish,) = ErasureRun.objects.filter(relationship_id=ann.id)
    assert set(wish.status_before.values()) <= {"active", "paused"}
    assert run(wish, NOW + DAY) is not None
    assert (status_of(ann), left(ann)) == ("ended", (0, 0))
