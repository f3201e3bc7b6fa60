"""Every job that beat starts, many times at once: one end, one receipt, one notice."""

from datetime import timedelta

import pytest
from celery import current_app
from django.utils import timezone

from consent import erasures, ledger
from consent.models import ErasureRun
from memsys.kernel.audit.verification import verify_chains
from memsys.kernel.outbox import OutboxEvent
from tests.factories.consents import give
from tests.factories.erasing import ask, left, make_filled, of
from tests.factories.holds import make_hold
from tests.parallel import run_parallel

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("real_commits")]


def list_planned() -> list[str]:
    """Return the names of the jobs that beat starts."""
    current_app.loader.import_default_modules()
    plan = current_app.conf.beat_schedule.values()
    return sorted({one["task"] for one in plan})


@pytest.mark.parametrize("name", list_planned())
def test_a_job_beside_itself_and_again_comes_to_the_same_end(name: str) -> None:
    """Acceptance row C26."""
    job = current_app.tasks[name]
    ann, ben, chloe = (make_filled() for _ in range(3))
    now = timezone.now()
    wish = ask(of(ann), at=now - timedelta(minutes=1))
    give(ben, "sensitive:mental_health", expires_at=now + timedelta(seconds=1))
    make_hold(chloe.user_id)
    held = ask(erasures.Target(chloe.user_id), at=now)

    run_parallel(4, lambda _: job())
    run_parallel(2, lambda _: job())

    is_due = name == "consent.sweep_erasures"
    ended = ErasureRun.objects.get(pk=wish.pk)
    assert ended.state == ("done" if is_due else "running")
    assert left(ann) == ((0, 0) if is_due else (1, 1))
    assert left(ben) == left(chloe) == (1, 1)
    assert ErasureRun.objects.get(pk=held.pk).state == "blocked"
    lines = [one for one in ledger.read_lines() if one.entry.run == wish.pk]
    told = OutboxEvent.objects.filter(user_id=ann.user_id, name="erasure.done")
    assert len(lines) == told.count() == int(is_due)
    assert [one for one in verify_chains() if one.fault_count] == []
