"""A relationship that ends: nothing is recalled at once, and all is gone in a day."""

from datetime import timedelta
from typing import Any

import pytest

from consent import erasures
from consent.errors import ErasureNotUndoable
from consent.models import ErasureRun
from identity.types import RelationshipRef
from tests.factories.erasing import (
    BY,
    DAY,
    NOW,
    ask,
    left,
    lift,
    make_filled,
    of,
    place_hold,
    run,
    status_of,
)

HOUR = timedelta(hours=1)
MONTH = 30 * 24
pytestmark = pytest.mark.django_db


def end(relationship: RelationshipRef) -> ErasureRun:
    wish = erasures.end(relationship, by=BY, reason_code="user-request", now=NOW)
    assert wish is not None
    return wish


@pytest.mark.parametrize("hours", [1, 24, MONTH])
def test_within_a_day_everything_of_it_is_gone_and_it_stays_ended(
    settings: Any, hours: int
) -> None:
    """PIPL, articles 15 and 47: what has ended is deleted within 24 hours."""
    settings.ERASURE_UNDO_HOURS = hours
    ann = make_filled()

    wish = end(ann)
    done = run(wish, NOW + min(hours, 23) * HOUR)

    assert (wish.state, wish.reason_code) == ("waiting", "relationship-ended")
    assert done is not None
    assert (done.state, left(ann)) == ("done", (0, 0))
    assert done.receipt_code
    assert status_of(ann) == "ended"


def test_until_the_wait_is_over_nothing_is_erased() -> None:
    ann = make_filled()

    wish = end(ann)

    assert run(wish, NOW + 22 * HOUR) is None
    assert (status_of(ann), left(ann)) == ("ended", (1, 1))


@pytest.mark.parametrize("status", ["active", "paused", "restricted"])
def test_undone_it_is_as_it_was_before_the_end(status: str) -> None:
    ann = make_filled(status=status)
    wish = end(ann)

    undone = erasures.undo(wish.pk, by=BY, now=NOW + 22 * HOUR)

    assert undone.state == "undone"
    assert (status_of(ann), left(ann)) == (status, (1, 1))
    assert run(wish, NOW + 2 * DAY) is None


def test_it_cannot_be_undone_when_the_wait_is_over() -> None:
    wish = end(make_filled())

    with pytest.raises(ErasureNotUndoable):
        erasures.undo(wish.pk, by=BY, now=NOW + 23 * HOUR)


def test_ended_twice_it_is_erased_once() -> None:
    """Acceptance row C26."""
    ann = make_filled()
    end(ann)

    again = erasures.end(ann, by=BY, reason_code="user-request", now=NOW + HOUR)

    assert again is None
    assert ErasureRun.objects.filter(relationship_id=ann.id).count() == 1


def test_after_an_undo_it_can_end_again() -> None:
    ann = make_filled()
    erasures.undo(end(ann).pk, by=BY, now=NOW)

    assert run(end(ann), NOW + DAY) is not None
    assert (status_of(ann), left(ann)) == ("ended", (0, 0))


def test_an_erasure_that_waits_for_longer_does_not_hold_it_up(
    settings: Any,
) -> None:
    settings.ERASURE_UNDO_HOURS = MONTH
    ann = make_filled()
    waiting = ask(of(ann), at_once=False)

    wish = end(ann)
    done = run(wish, NOW + DAY)

    assert wish.pk == waiting.pk
    assert done is not None
    assert (status_of(ann), left(ann)) == ("ended", (0, 0))


def test_the_end_does_not_make_an_erasure_wait_that_is_due_sooner(
    settings: Any,
) -> None:
    ann = make_filled()
    settings.ERASURE_UNDO_HOURS = 1
    waiting = ask(of(ann), at_once=False)
    settings.ERASURE_UNDO_HOURS = MONTH

    assert end(ann).run_from == waiting.run_from


def test_a_hold_bars_the_erasure_and_not_the_end() -> None:
    """Acceptance row C11."""
    ann = make_filled()
    hold = place_hold(ann)
    wish = end(ann)

    blocked = run(wish, NOW + DAY)
    while_held = (status_of(ann), left(ann))
    lift(hold, NOW + DAY)
    done = run(wish, NOW + 2 * DAY)

    assert blocked is not None
    assert blocked.state == "blocked"
    assert while_held == ("ended", (1, 1))
    assert done is not None
    assert (done.state, status_of(ann), left(ann)) == ("done", "ended", (0, 0))


@pytest.mark.parametrize("is_end_first", [True, False])
def test_the_end_and_an_erasure_of_all_are_each_taken_back_alone(
    is_end_first: bool,
) -> None:
    ann = make_filled()
    everything = erasures.Target(ann.user_id)
    if is_end_first:
        one, whole = end(ann), ask(everything, at_once=False)
    else:
        whole, one = ask(everything, at_once=False), end(ann)

    erasures.undo(one.pk, by=BY, now=NOW)
    between = status_of(ann)
    erasures.undo(whole.pk, by=BY, now=NOW)

    assert between == "restricted"
    assert status_of(ann) == "active"


@pytest.mark.parametrize("is_end_first", [True, False])
def test_what_is_not_erased_with_the_user_is_still_erased_as_it_has_ended(
    is_end_first: bool,
) -> None:
    ann = make_filled()
    everything = erasures.Target(ann.user_id)
    if is_end_first:
        one, whole = end(ann), ask(everything, at_once=False)
    else:
        whole, one = ask(everything, at_once=False), end(ann)

    erasures.undo(whole.pk, by=BY, now=NOW)

    assert status_of(ann) == "ended"
    assert run(one, NOW + DAY) is not None
    assert (status_of(ann), left(ann)) == ("ended", (0, 0))
