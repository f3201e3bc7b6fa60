"""Asking for an erasure, waiting, undoing: what is to go is restricted meanwhile."""

from datetime import timedelta
from uuid import uuid4

import pytest

from consent import erasures
from consent.errors import ErasureNotUndoable
from consent.gate import check_open
from consent.models import ErasureRun
from identity.errors import RelationshipNotFound
from identity.resolution import get_relationship
from identity.types import RelationshipStatus
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope.staff import staff_role
from tests.factories.erasing import (
    BY,
    DAY,
    NOW,
    ask,
    fill_user,
    left,
    lift,
    make_filled,
    of,
    place_hold,
    run,
    status_of,
)
from tests.factories.identity import make_relationship

HOUR = timedelta(hours=1)
pytestmark = pytest.mark.django_db


def test_it_waits_a_day_and_restricts_meanwhile() -> None:
    ann = make_filled()

    wish = ask(of(ann), at_once=False)

    assert wish.state == "waiting"
    assert wish.run_from == NOW + DAY
    assert run(wish, NOW + 23 * HOUR) is None
    assert left(ann) == (1, 1)
    with pytest.raises(Exception, match="closed") as refused:
        check_open(get_relationship(ann.id))
    assert refused.value.code == "relationship-restricted"


def test_it_is_carried_out_when_the_day_is_over() -> None:
    ann = make_filled()
    wish = ask(of(ann), at_once=False)

    done = run(wish, NOW + DAY)

    assert done is not None
    assert done.state == "done"
    assert left(ann) == (0, 0)
    assert status_of(ann) == "active"


@pytest.mark.parametrize("status", ["active", "paused"])
def test_undone_it_leaves_all_as_it_was(status: str) -> None:
    ann = make_filled(status=status)
    wish = ask(of(ann), at_once=False)

    undone = erasures.undo(wish.pk, by=BY, now=NOW + HOUR)

    assert undone.state == "undone"
    assert status_of(ann) == status
    assert left(ann) == (1, 1)
    assert run(wish, NOW + 2 * DAY) is None


@pytest.mark.parametrize("at_once", [True, False])
def test_it_cannot_be_undone_at_once_or_too_late(at_once: bool) -> None:
    wish = ask(of(make_filled()), at_once=at_once)
    at = NOW if at_once else NOW + DAY

    with pytest.raises(ErasureNotUndoable):
        erasures.undo(wish.pk, by=BY, now=at)


def test_asked_for_twice_it_is_one() -> None:
    """Acceptance row C26."""
    ann = make_filled()

    first, second = ask(of(ann), at_once=False), ask(of(ann), at_once=False)
    hastened = ask(of(ann), at_once=True)

    assert first.pk == second.pk == hastened.pk
    assert hastened.state == "running"
    assert run(hastened) is not None


def test_a_relationship_that_two_wishes_restrict_opens_with_the_last_one() -> None:
    ann = make_filled()
    one = ask(of(ann), at_once=False)
    all_of_it = ask(erasures.Target(ann.user_id), at_once=False)

    erasures.undo(one.pk, by=BY, now=NOW)
    between = status_of(ann)
    erasures.undo(all_of_it.pk, by=BY, now=NOW)

    assert between == RelationshipStatus.RESTRICTED
    assert status_of(ann) == RelationshipStatus.ACTIVE


def test_what_has_ended_stays_ended() -> None:
    ann = make_filled(status="ended")
    wish = ask(of(ann), at_once=False)

    erasures.undo(wish.pk, by=BY, now=NOW)

    assert status_of(ann) == "ended"


def test_the_relationship_must_be_the_users() -> None:
    ann, ben = make_relationship(), make_relationship()

    with pytest.raises(RelationshipNotFound):
        ask(erasures.Target(ann.user_id, ben.id))


def test_a_preview_counts_and_says_what_stays_and_why() -> None:
    ann = make_filled()
    fill_user(ann)

    seen = erasures.preview(erasures.Target(ann.user_id))

    assert {store: rows for store, rows in seen.counts.items() if rows} == {
        "memories": 1,
        "messages": 1,
        "nicknames": 1,
        "export_chunks": 1,
        "request_notes": 1,
        "profile_values": 1,
        "grants": 1,
    }
    codes = {stay.code for stay in seen.stays}
    assert {"consent-ledger", "audit-skeleton", "receipts", "tombstones"} <= codes
    assert all(str(stay.why).endswith(".") for stay in seen.stays)
    assert left(ann) == (1, 1)


def test_a_preview_names_the_hold_that_bars_it() -> None:
    ann = make_filled()
    hold = place_hold(ann)

    seen = erasures.preview(of(ann))

    assert seen.holds == (hold.pk,)
    assert seen.stays[0].code == "legal-hold"


class TestHolds:
    def test_a_held_erasure_is_blocked_with_its_reason(self) -> None:
        """Acceptance row C11: what is held is kept, and the refusal is told."""
        ann = make_filled()
        hold = place_hold(ann)

        wish = ask(of(ann))
        run(wish)

        kept = ErasureRun.objects.get(pk=wish.pk)
        assert kept.state == "blocked"
        assert kept.stays[0] == {"code": "legal-hold", "holds": [str(hold.pk)]}
        assert left(ann) == (1, 1)
        assert status_of(ann) == "restricted"

    def test_it_resumes_by_itself_when_the_hold_ends(self) -> None:
        """Acceptance row C10."""
        ann = make_filled()
        hold = place_hold(ann, relationship_id=ann.id)
        wish = ask(of(ann))
        run(wish)

        lift(hold, NOW + DAY)
        due = erasures.list_due(now=NOW + DAY)
        done = run(wish, NOW + DAY)

        assert wish.pk in due
        assert done is not None
        assert done.state == "done"
        assert left(ann) == (0, 0)
        assert status_of(ann) == "active"

    def test_a_hold_placed_while_it_waits_bars_it_too(self) -> None:
        ann = make_filled()
        wish = ask(of(ann), at_once=False)
        place_hold(ann)

        blocked = run(wish, NOW + DAY)

        assert blocked is not None
        assert blocked.state == "blocked"
        assert left(ann) == (1, 1)

    def test_what_is_blocked_can_still_be_taken_back(self) -> None:
        ann = make_filled()
        place_hold(ann)
        wish = ask(of(ann))

        undone = erasures.undo(wish.pk, by=BY, now=NOW + 9 * DAY)

        assert undone.state == "undone"
        assert status_of(ann) == "active"

    @pytest.mark.parametrize("held", ["relationship", "memory"])
    def test_a_hold_on_one_thing_keeps_that_and_not_all_of_the_user(
        self, held: str
    ) -> None:
        """Acceptance row C11: kept is what the case is about."""
        ann = make_filled()
        other = make_filled(user=ann.user_external_id)
        fill_user(ann)
        memory = uuid4() if held == "memory" else None
        hold = place_hold(ann, relationship_id=ann.id, memory=memory)
        wish = ask(erasures.Target(ann.user_id))

        blocked = run(wish)
        kept = (left(ann), left(other))
        statuses = {status_of(ann), status_of(other)}
        lift(hold, NOW + DAY)
        done = run(wish, NOW + DAY)

        assert blocked is not None
        assert blocked.state == "blocked"
        assert kept == ((1, 1), (0, 0))
        assert statuses == {"restricted"}
        assert done is not None
        assert (done.state, done.counts["memories"]) == ("done", 2)
        assert done.counts["profile_values"] == 1
        assert (left(ann), left(other)) == ((0, 0), (0, 0))

    def test_what_is_erased_in_part_is_not_taken_back(self) -> None:
        ann = make_filled()
        make_filled(user=ann.user_external_id)
        place_hold(ann, relationship_id=ann.id)
        wish = ask(erasures.Target(ann.user_id))
        run(wish)

        with pytest.raises(ErasureNotUndoable):
            erasures.undo(wish.pk, by=BY, now=NOW)

    def test_each_refusal_is_recorded_once(self) -> None:
        """Acceptance row C11: the refusal is logged."""
        ann = make_filled()
        wish = ask(erasures.Target(ann.user_id), at_once=False)
        place_hold(ann, relationship_id=ann.id)

        for days in (1, 2, 3):
            run(wish, NOW + days * DAY)

        refs = [f"relationship:{ann.id}", f"user:{ann.user_id}"]
        with staff_role():
            rows = AuditEntry.objects.filter(
                action="erasure.refused", object_ref__in=refs
            )
            assert sorted(row.object_ref for row in rows) == refs
