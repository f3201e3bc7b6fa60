"""Legal holds: placed by one, at once; lifted by two; nothing they keep is erased."""

import threading
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from django.utils import timezone

from consent import erasures, holds
from consent.erasures import Target
from consent.errors import HeldByLaw, HoldNotFound, InvalidChange, SamePerson
from consent.gate import check_erasable
from consent.models import ErasureRun, LegalHold
from identity.errors import RelationshipNotFound
from identity.scopes import job_scope
from identity.types import RelationshipRef
from memories import personal_data
from memories.models import Memory, Message
from memories.services import erase_memory
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.scope.errors import ScopeConflict
from memsys.kernel.text.clean import InvalidIdentifier
from tests.factories.holds import OFFICER, lift, make_hold
from tests.factories.identity import make_relationship
from tests.factories.memories import content_of, make_memory, make_message
from tests.identity.audit import list_deeds


@pytest.fixture
def ann(db: None) -> RelationshipRef:
    return make_relationship()


def other_of(relationship: RelationshipRef) -> RelationshipRef:
    """Return another relationship of the same user."""
    return make_relationship(user=relationship.user_external_id)


def count_memories(relationship: RelationshipRef) -> int:
    with content_of(relationship):
        return int(Memory.objects.of(relationship.id).count())


class TestPlacing:
    def test_one_person_places_it_and_it_keeps_at_once(
        self, ann: RelationshipRef
    ) -> None:
        hold = make_hold(ann.user_id)

        assert list(holds.list_active(ann.user_id)) == [hold]
        with pytest.raises(HeldByLaw) as caught:
            check_erasable(ann.user_id)
        assert caught.value.holds == (hold.pk,)
        assert (caught.value.code, str(hold.pk) in str(caught.value)) == (
            "legal-hold",
            False,
        )

    def test_it_is_a_deed_and_others_hear_of_it_without_the_case(
        self, ann: RelationshipRef
    ) -> None:
        hold = make_hold(ann.user_id, relationship_id=ann.id)

        (deed,) = list_deeds("hold", hold.pk)
        event = OutboxEvent.objects.get(user_id=ann.user_id)
        assert (deed.action, deed.actor) == ("hold.placed", f"staff:{OFFICER}")
        assert deed.reason_code == "court-order"
        assert (event.name, event.relationship_id) == ("hold.set", ann.id)
        assert event.data == {
            "hold": str(hold.pk),
            "memory": None,
            "reason_code": "court-order",
            "is_active": True,
        }

    def test_it_is_on_somebody_who_is_there(self, ann: RelationshipRef) -> None:
        with pytest.raises(HoldNotFound):
            make_hold(uuid4())
        with pytest.raises(RelationshipNotFound):
            make_hold(ann.user_id, relationship_id=make_relationship().id)
        with pytest.raises(ValueError, match="in its relationship"):
            make_hold(ann.user_id, memory_id=uuid4())

    @pytest.mark.parametrize("told", [{"reason_code": ""}, {"case_ref": "x" * 101}])
    def test_it_has_a_reason_and_a_case(
        self, ann: RelationshipRef, told: dict[str, Any]
    ) -> None:
        with pytest.raises(InvalidIdentifier):
            make_hold(ann.user_id, **told)


class TestWhatItKeeps:
    """The thing held, and anything wider that would take it along."""

    @pytest.mark.parametrize(
        ("held", "erased", "is_kept"),
        [
            ("user", "user", True),
            ("user", "relationship", True),
            ("user", "memory", True),
            ("relationship", "user", True),
            ("relationship", "relationship", True),
            ("relationship", "memory", True),
            ("relationship", "other relationship", False),
            ("relationship", "memory of the other", False),
            ("memory", "user", True),
            ("memory", "relationship", True),
            ("memory", "memory", True),
            ("memory", "other memory", False),
            ("memory", "other relationship", False),
        ],
    )
    def test_it_keeps_the_held_and_what_is_wider(
        self, ann: RelationshipRef, held: str, erased: str, is_kept: bool
    ) -> None:
        """Acceptance row C11."""
        other, one, another = other_of(ann), uuid4(), uuid4()
        targets: dict[str, dict[str, Any]] = {
            "user": {},
            "relationship": {"relationship_id": ann.id},
            "memory": {"relationship_id": ann.id, "memory_id": one},
            "other memory": {"relationship_id": ann.id, "memory_id": another},
            "other relationship": {"relationship_id": other.id},
            "memory of the other": {"relationship_id": other.id, "memory_id": one},
        }
        make_hold(ann.user_id, **targets[held])

        try:
            check_erasable(ann.user_id, **targets[erased])
            was_kept = False
        except HeldByLaw:
            was_kept = True

        assert was_kept is is_kept

    def test_other_users_are_erased_as_ever(self, ann: RelationshipRef) -> None:
        make_hold(ann.user_id)

        check_erasable(make_relationship().user_id)

    def test_nothing_of_it_is_erased_by_any_service(self, ann: RelationshipRef) -> None:
        memory = make_memory(ann, "生日是3月7日")
        make_hold(ann.user_id, relationship_id=ann.id)
        now = timezone.now()

        with pytest.raises(HeldByLaw), job_scope(ann):
            erase_memory(ann, memory.lineage, by="x", reason_code="x", now=now)
        with pytest.raises(HeldByLaw), job_scope(ann):
            personal_data.erase(ann, by="x", reason_code="x", now=now)

        assert count_memories(ann) == 1

    def test_what_a_held_memory_was_made_from_stays_with_it(
        self, ann: RelationshipRef
    ) -> None:
        """Acceptance row C11: no cascade reaches what is held."""
        message = make_message(ann, "我养了猫，也爱吃鱼")
        proof = {"evidence": [message.pk], "evidence_at": [message.sent_at]}
        held = make_memory(ann, "养了猫", **proof)
        other = make_memory(ann, "爱吃鱼", **proof)
        hold = make_hold(ann.user_id, relationship_id=ann.id, memory_id=held.lineage)

        with pytest.raises(HeldByLaw) as caught, job_scope(ann):
            erase_memory(
                ann, other.lineage, by="x", reason_code="x", now=timezone.now()
            )

        assert caught.value.holds == (hold.pk,)
        assert count_memories(ann) == 2
        with content_of(ann):
            assert Message.objects.get(pk=message.pk).text == message.text


class TestRefusals:
    def test_it_is_recorded_after_the_deed_was_rolled_back(
        self, ann: RelationshipRef
    ) -> None:
        """Acceptance row C11: the refusal is logged."""
        make_hold(ann.user_id)
        with pytest.raises(HeldByLaw) as caught, job_scope(ann):
            check_erasable(ann.user_id, relationship_id=ann.id)

        holds.note_refusal(caught.value, by="service:ab12")

        (deed,) = list_deeds("relationship", ann.id)
        assert (deed.action, deed.actor) == ("erasure.refused", "service:ab12")
        assert deed.reason_code == "legal-hold"

    def test_it_is_not_recorded_where_it_would_be_lost(
        self, ann: RelationshipRef
    ) -> None:
        refused = HeldByLaw((uuid4(),), user_id=ann.user_id, object_ref="user:x")

        with job_scope(ann), pytest.raises(ScopeConflict):
            holds.note_refusal(refused, by="service:ab12")


class TestLifting:
    def test_it_takes_two_persons(self, ann: RelationshipRef) -> None:
        hold = make_hold(ann.user_id)

        with pytest.raises(SamePerson):
            lift(hold, by=OFFICER, second=OFFICER)
        check = [one.pk for one in holds.list_active(ann.user_id)]
        done = lift(hold)

        assert check == [hold.pk]
        assert done.state == "done"
        assert not holds.list_active(ann.user_id).exists()
        check_erasable(ann.user_id)

    def test_it_says_who_lifted_it_and_when(self, ann: RelationshipRef) -> None:
        hold = make_hold(ann.user_id)

        done = lift(hold)

        hold = LegalHold.objects.get(pk=hold.pk)
        assert (hold.lifted_by, hold.change_request) == ("staff:32", done.pk)
        assert [one.action for one in list_deeds("hold", hold.pk)] == [
            "hold.placed",
            "hold.lifted",
        ]
        last = OutboxEvent.objects.filter(user_id=ann.user_id).order_by("id").last()
        assert last is not None
        assert last.data["is_active"] is False

    def test_what_is_lifted_is_not_lifted_again(self, ann: RelationshipRef) -> None:
        hold = make_hold(ann.user_id)
        now = timezone.now()
        again = holds.propose_lifting(hold.pk, reason="案件已结", by=5, now=now)
        lift(hold)

        done = holds.approvals.approve(
            again.pk, by=6, payload_hash=again.payload_hash, now=now
        )

        assert (done.state, done.result) == ("failed", {"error": "hold-not-active"})
        with pytest.raises(HoldNotFound):
            holds.propose_lifting(hold.pk, reason="案件已结", by=5, now=now)

    @pytest.mark.parametrize("payload", [{}, {"hold": "x"}, {"hold": None}])
    def test_it_names_a_hold(self, payload: dict[str, Any]) -> None:
        with pytest.raises(InvalidChange):
            holds.HoldLift().check(payload)

    def test_the_second_person_sees_what_it_keeps_and_what_waits(
        self, ann: RelationshipRef
    ) -> None:
        hold = make_hold(ann.user_id, relationship_id=ann.id)
        erasures.request(
            Target(ann.user_id, ann.id),
            by="user:x",
            reason_code="user-request",
            at_once=True,
            now=timezone.now(),
        )

        lines = dict(holds.HoldLift().describe({"hold": str(hold.pk)}))

        shown = [str(value) for value in lines.values()]
        assert f"relationship:{ann.id}" in shown
        assert "2026-民初-114" in shown
        assert shown[-1] == "1"

    def test_the_erasure_that_it_barred_goes_on_by_itself(
        self, ann: RelationshipRef
    ) -> None:
        """Acceptance row C10, second half."""
        make_memory(ann, "生日是3月7日")
        hold = make_hold(ann.user_id)
        asked = timezone.now()
        wish = erasures.request(
            Target(ann.user_id, ann.id),
            by="user:x",
            reason_code="user-request",
            at_once=True,
            now=asked,
        )
        erasures.run(wish.pk, now=asked)
        blocked = ErasureRun.objects.get(pk=wish.pk)
        left = count_memories(ann)

        lift(hold)
        due = erasures.list_due(now=timezone.now())
        for run_id in due:
            erasures.run(run_id, now=timezone.now())

        assert (blocked.state, left) == ("blocked", 1)
        assert blocked.run_from > asked - timedelta(seconds=1)
        assert wish.pk in due
        assert ErasureRun.objects.get(pk=wish.pk).state == "done"
        assert count_memories(ann) == 0

    def test_another_hold_still_bars_it(self, ann: RelationshipRef) -> None:
        make_memory(ann, "生日是3月7日")
        hold, _other = make_hold(ann.user_id), make_hold(ann.user_id)
        wish = erasures.request(
            Target(ann.user_id, ann.id),
            by="user:x",
            reason_code="user-request",
            at_once=True,
            now=timezone.now(),
        )

        lift(hold)
        erasures.run(wish.pk, now=timezone.now())

        assert ErasureRun.objects.get(pk=wish.pk).state == "blocked"
        assert count_memories(ann) == 1


@pytest.mark.usefixtures("real_commits")
class TestRaces:
    def test_a_hold_waits_for_the_erasure_that_runs_and_bars_the_next(self) -> None:
        """Decision 12: what was begun is finished, what comes later is refused."""
        ann = make_relationship()
        asked, placed = threading.Event(), threading.Event()
        order: list[str] = []

        def place() -> None:
            asked.wait(10)
            try:
                make_hold(ann.user_id)
                order.append("placed")
            finally:
                placed.set()
                connections.close_all()

        other = threading.Thread(target=place)
        other.start()
        with job_scope(ann):
            check_erasable(ann.user_id, relationship_id=ann.id)
            asked.set()
            waited = not placed.wait(0.5)
            order.append("erased")
        other.join(10)

        assert waited
        assert order == ["erased", "placed"]
        with pytest.raises(HeldByLaw), job_scope(ann):
            check_erasable(ann.user_id, relationship_id=ann.id)

    def test_two_erasures_of_a_user_do_not_wait_for_each_other(self) -> None:
        ann = make_relationship()
        done = threading.Event()

        def ask() -> None:
            try:
                with job_scope(other_of(ann)):
                    check_erasable(ann.user_id)
                done.set()
            finally:
                connections.close_all()

        with job_scope(ann):
            check_erasable(ann.user_id)
            thread = threading.Thread(target=ask)
            thread.start()
            went_through = done.wait(10)
        thread.join(10)

        assert went_through
