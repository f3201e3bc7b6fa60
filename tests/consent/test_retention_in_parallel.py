"""Many at once: one deletion, one refusal, one report."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from consent import retention
from consent.models import RetentionRun
from consent.retention import Looked
from consent.retention.nights import finish_night
from identity.models import Relationship
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.scope.staff import staff_role
from tests.factories.holds import make_hold
from tests.factories.requests import ask_for
from tests.factories.retention import make_aged, make_night, texts_of
from tests.parallel import run_parallel

pytestmark = pytest.mark.usefixtures("real_commits")


@pytest.fixture
def night(real_commits: None) -> Iterator[RetentionRun]:
    """A night of its own in which all is due, taken away again."""
    made = make_night(timezone.now() + timedelta(minutes=5))
    yield made
    RetentionRun.objects.filter(pk=made.pk).delete()


def count_deeds(object_ref: str, action: str) -> int:
    with staff_role():
        return AuditEntry.objects.filter(object_ref=object_ref, action=action).count()


def test_looked_at_by_many_it_is_done_and_counted_once(night: RetentionRun) -> None:
    """Acceptance row C26."""
    ann = make_aged(days=200)

    def look(_: int) -> Looked | None:
        return retention.look(ann.id, night, now=timezone.now())

    ended = run_parallel(6, look)

    (done,) = [one for one in ended if one is not None]
    assert done.counts == {"episodic_memory": 1, "raw_message": 1}
    row = RetentionRun.objects.get(pk=night.pk)
    assert (row.looked, row.counts) == (1, done.counts)
    assert count_deeds(f"relationship:{ann.id}", "retention.deleted") == 1
    assert texts_of(ann) == ["[已过期]"]


def test_many_at_once_tell_the_user_once(night: RetentionRun) -> None:
    """Acceptance row C26: one mail."""
    ann = make_aged(days=400, memory={"tier": "semantic"})

    run_parallel(6, lambda _: retention.look(ann.id, night, now=timezone.now()))

    told = OutboxEvent.objects.filter(
        name="relationship.inactive", relationship_id=ann.id
    )
    assert told.count() == 1


@pytest.mark.parametrize("what", ["hold", "request"])
def test_what_is_held_in_the_same_moment_is_either_kept_or_gone_before(
    what: str, night: RetentionRun
) -> None:
    """Acceptance row C11: nothing goes after a hold stands or a request is taken down."""
    ann = make_aged(days=200)

    def act(number: int) -> Looked | None:
        if number:
            return retention.look(ann.id, night, now=timezone.now())
        if what == "hold":
            make_hold(ann.user_id)
        else:
            ask_for(ann, "complaint")
        return None

    _none, looked = run_parallel(2, act)

    assert looked is not None
    gone = texts_of(ann) == ["[已过期]"]
    assert bool(looked.counts) == gone
    assert bool(looked.kept) != gone


def test_closed_by_many_a_night_has_one_report() -> None:
    """Acceptance row C26."""
    night = make_night()

    run_parallel(4, lambda _: finish_night(night, now=timezone.now()))

    row = RetentionRun.objects.get(pk=night.pk)
    assert row.finished_at is not None
    assert count_deeds(f"night:{night.night:%Y%m%d}", "retention.ran") == 1
    RetentionRun.objects.filter(pk=night.pk).delete()


def test_a_look_that_dies_leaves_all_as_it_was(night: RetentionRun) -> None:
    """Acceptance row C26: killed in the middle, it is done by the next one."""
    ann = make_aged(days=200)
    before = Relationship.objects.get(pk=ann.id).retention_at
    # Without its row the look fails at the very end of its transaction.
    RetentionRun.objects.filter(pk=night.pk).delete()

    with pytest.raises(RetentionRun.DoesNotExist):
        retention.look(ann.id, night, now=timezone.now())

    assert texts_of(ann) == ["喜欢喝花生露"]
    assert Relationship.objects.get(pk=ann.id).retention_at == before
    again = make_night(timezone.now() + timedelta(minutes=5))
    assert retention.look(ann.id, again, now=timezone.now()) is not None
    RetentionRun.objects.filter(pk=again.pk).delete()
