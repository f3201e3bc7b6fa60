"""Many at once: one wish, one run, one receipt."""

import pytest

from consent import erasures, ledger
from consent.models import ErasureRun
from memsys.kernel.audit.verification import verify_chains
from memsys.kernel.outbox import OutboxEvent
from tests.factories.erasing import ask, make_filled, of, run
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
