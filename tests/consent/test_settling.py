"""What goes when a consent ends, and that nothing written meanwhile stays."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from consent import erasures, holds
from consent.consents import record
from consent.errors import GateClosed
from consent.gate import check_open
from consent.models import ErasureRun
from consent.profiles import list_values, put_values
from consent.settling import HELD_RETRY, Settled, list_due, settle
from identity.models import GlobalUser, Relationship
from identity.resolution import get_relationship
from identity.scopes import job_scope, service_scope
from identity.services import mark_synthetic
from identity.types import RelationshipRef
from identity.versions import read_memory_version
from memories.intake import (
    FilteredMessage,
    IncomingMessage,
    filter_messages,
    receive,
)
from memories.models import Memory, Message
from memories.statements import PreparedStatement
from memories.versions import NewMemory
from memories.writing import write_memories
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.consents import (
    BY,
    give,
    make_ending,
    make_form,
    read_states,
    take_back,
    tell,
)
from tests.factories.holds import make_hold
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import content_of, make_memory

HEALTH = "sensitive:mental_health"
SECRET = "我确诊了抑郁症"
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def ann(db: None) -> RelationshipRef:
    return make_relationship()


def remember(
    relationship: RelationshipRef, text: str = SECRET, **fields: Any
) -> Memory:
    """Make a memory as if it had been kept by a grant."""
    mark = {"visibility": "sensitive", "sensitive_category": "mental_health"}
    return make_memory(relationship, text, **mark | fields)


def read_texts(relationship: RelationshipRef) -> list[str]:
    with content_of(relationship):
        rows = Memory.objects.of(relationship.id).order_by("text")
        return list(rows.values_list("text", flat=True))


def list_profile(relationship: RelationshipRef) -> list[str]:
    with access_scope(Purpose.JOB, user=relationship.user_id):
        return [one.key for one in list_values(relationship.user_id)]


def due_at(relationship: RelationshipRef) -> Any:
    return GlobalUser.objects.get(pk=relationship.user_id).consents_due_at


def settle_now(relationship: RelationshipRef) -> Settled | None:
    return settle(relationship.user_id, now=timezone.now())


def to_new(text: str = SECRET) -> NewMemory:
    at = timezone.now()
    return NewMemory(
        kind="fact",
        subject="user",
        dimension="life",
        key="health",
        value="",
        polarity=1,
        statement=PreparedStatement(text, (), None, ""),
        evidence=(),
        source_session=None,
        importance=0.5,
        said_at=at,
        occurred_at=at,
        due_at=None,
        author="rules",
    )


class TestAWithdrawal:
    def test_what_was_kept_goes_and_the_rest_stays(self, ann: RelationshipRef) -> None:
        give(ann, HEALTH)
        remember(ann)
        remember(ann, "我有糖尿病", sensitive_category="diagnosis")
        make_memory(ann, "我养了一只猫")
        give(ann, "sensitive:diagnosis")
        before = read_memory_version(ann.id)

        take_back(ann, HEALTH)
        done = settle_now(ann)

        assert done == Settled(forgotten=1)
        assert read_texts(ann) == ["我养了一只猫", "我有糖尿病"]
        assert read_memory_version(ann.id) > before
        assert due_at(ann) is None

    def test_all_versions_go(self, ann: RelationshipRef) -> None:
        give(ann, HEALTH)
        now = timezone.now()
        old = remember(ann, occurred_at=now - MINUTE, recorded_to=now)
        remember(ann, "我的抑郁症好些了", lineage=old.lineage)

        take_back(ann, HEALTH)
        settle_now(ann)

        assert read_texts(ann) == []

    def test_one_for_a_persona_leaves_the_others(self, ann: RelationshipRef) -> None:
        other = make_relationship(user=ann.user_external_id)
        give(ann, HEALTH)
        remember(ann)
        remember(other)

        take_back(ann, HEALTH, target_kind="persona", target_id=ann.persona_id)
        settle_now(ann)

        assert read_texts(ann) == []
        assert read_texts(other) == [SECRET]

    def test_what_is_granted_again_before_stays(self, ann: RelationshipRef) -> None:
        give(ann, HEALTH)
        remember(ann)
        take_back(ann, HEALTH)
        give(ann, HEALTH)

        settle_now(ann)

        assert read_texts(ann) == [SECRET]

    def test_it_may_be_said_again_after_a_new_consent(
        self, ann: RelationshipRef
    ) -> None:
        give(ann, HEALTH)
        remember(ann)
        take_back(ann, HEALTH)
        settle_now(ann)

        give(ann, HEALTH)
        with job_scope(ann):
            written = write_memories(ann, [to_new()], now=timezone.now())

        assert len(written.made) == 1

    def test_a_second_run_finds_nothing_to_do(self, ann: RelationshipRef) -> None:
        """Acceptance row C26."""
        give(ann, HEALTH)
        remember(ann)
        take_back(ann, HEALTH)

        runs = [settle_now(ann), settle_now(ann)]

        assert runs == [Settled(forgotten=1), None]

    def test_one_that_died_is_taken_up_again(self, ann: RelationshipRef) -> None:
        give(ann, HEALTH)
        remember(ann)
        take_back(ann, HEALTH)
        now = timezone.now()
        GlobalUser.objects.filter(pk=ann.user_id).update(
            consents_due_at=now + 5 * MINUTE
        )

        assert settle(ann.user_id, now=now) is None
        assert ann.user_id in list_due(now=now + 5 * MINUTE)
        assert settle(ann.user_id, now=now + 5 * MINUTE) == Settled(forgotten=1)

    def test_what_a_hold_keeps_stays_and_is_looked_at_again(
        self, ann: RelationshipRef
    ) -> None:
        """Withdrawn and held: kept, shown to nobody, deleted when the hold ends."""
        give(ann, HEALTH)
        held, _ = remember(ann), remember(ann, "我抑郁")
        now = timezone.now()
        hold = holds.place(
            ann.user_id,
            relationship_id=ann.id,
            memory_id=held.lineage,
            reason_code="court-order",
            case_ref="2026-1",
            by="staff:1",
            now=now,
        )

        take_back(ann, HEALTH)
        settle(ann.user_id, now=now + DAY)

        assert read_texts(ann) == [SECRET]
        assert due_at(ann) == now + DAY + HELD_RETRY

        hold.delete()
        settle(ann.user_id, now=now + DAY + HELD_RETRY)
        assert read_texts(ann) == []

    def test_a_user_of_the_demo_keeps_all(self, db: None) -> None:
        name = new_name("user")
        mark_synthetic(name, by="command:tests")
        vera = make_relationship(user=name)
        remember(vera)

        take_back(vera, HEALTH)
        settle_now(vera)

        assert read_texts(vera) == [SECRET]


class TestAnExpiry:
    def test_it_ends_like_a_withdrawal(self, ann: RelationshipRef) -> None:
        """The purpose's time is over: PIPL, articles 19 and 47."""
        now = timezone.now()
        tell(make_form(ann, HEALTH, expires_at=now + MINUTE), now=now)
        remember(ann)

        assert settle(ann.user_id, now=now) is None
        done = settle(ann.user_id, now=now + MINUTE)

        assert done == Settled(expired=1, forgotten=1)
        assert read_states(ann) == {(HEALTH, "all"): "expired"}
        assert read_texts(ann) == []

    def test_the_next_one_is_noted(self, ann: RelationshipRef) -> None:
        now = timezone.now()
        tell(make_form(ann, HEALTH, expires_at=now + MINUTE), now=now)
        tell(make_form(ann, "release:region", expires_at=now + DAY), now=now)

        settle(ann.user_id, now=now + MINUTE)

        assert due_at(ann) == now + DAY

    def test_a_renewal_that_comes_late_counts(self, ann: RelationshipRef) -> None:
        now = timezone.now()
        tell(make_form(ann, HEALTH, expires_at=now + MINUTE), now=now)
        settle(ann.user_id, now=now + 3 * MINUTE)

        tell(
            make_form(ann, HEALTH, acted_at=now + MINUTE / 2),
            now=now + 4 * MINUTE,
        )

        assert read_states(ann) == {(HEALTH, "all"): "granted"}


class TestAGuardian:
    def test_without_their_consent_all_of_the_childs_goes(self, db: None) -> None:
        kim = make_relationship(age_band="under_14")
        give(kim, "guardian", surface="guardian")
        remember(kim)

        take_back(kim, "guardian")
        done = settle_now(kim)

        assert done is not None
        assert done.closed == 1
        (run,) = ErasureRun.objects.filter(global_user_id=kim.user_id)
        assert (run.relationship_id, run.reason_code) == (kim.id, "consent-ended")
        assert get_relationship(kim.id).status == "restricted"

    @pytest.mark.parametrize("status", ["active", "paused", "ended"])
    def test_it_goes_whatever_became_of_the_relationship_and_once(
        self, db: None, status: str
    ) -> None:
        kim = make_relationship(age_band="under_14", status=status)
        give(kim, "guardian", surface="guardian")
        remember(kim)
        take_back(kim, "guardian")
        done = [settle_now(kim)]
        (run,) = ErasureRun.objects.filter(global_user_id=kim.user_id)
        erasures.run(run.pk, now=timezone.now())

        take_back(kim, "guardian")
        done.append(settle_now(kim))

        assert [one.closed for one in done if one is not None] == [1, 0]
        assert read_texts(kim) == []
        assert get_relationship(kim.id).status == status

    def test_their_profile_goes_too(self, db: None) -> None:
        kim = make_relationship(age_band="under_14")
        give(kim, "guardian", surface="guardian")
        put_values(kim.user_external_id, {"region": "杭州"}, by=BY, now=timezone.now())

        take_back(kim, "guardian")
        done = settle_now(kim)

        assert done == Settled(values=1)
        assert list_profile(kim) == []

    def test_an_adults_profile_stays(self, ann: RelationshipRef) -> None:
        put_values(ann.user_external_id, {"region": "杭州"}, by=BY, now=timezone.now())

        take_back(ann, "guardian")
        settle_now(ann)

        assert list_profile(ann) == ["region"]

    def test_a_profile_that_a_hold_keeps_stays_until_it_is_lifted(
        self, db: None
    ) -> None:
        """Acceptance row C11."""
        kim = make_relationship(age_band="under_14")
        give(kim, "guardian", surface="guardian")
        put_values(kim.user_external_id, {"region": "杭州"}, by=BY, now=timezone.now())
        make_hold(kim.user_id)

        take_back(kim, "guardian")
        settle_now(kim)

        assert list_profile(kim) == ["region"]
        assert due_at(kim) is not None

    def test_an_adults_stays(self, ann: RelationshipRef) -> None:
        take_back(ann, "guardian")

        settle_now(ann)

        assert Relationship.objects.get(pk=ann.id).status == "active"

    def test_with_their_consent_it_stays(self, db: None) -> None:
        kim = make_relationship(age_band="under_14")
        other = make_relationship(user=kim.user_external_id)
        give(kim, "guardian", surface="guardian")
        for one in (kim, other):
            remember(one)

        take_back(kim, "guardian", target_kind="persona", target_id=other.persona_id)
        settle_now(kim)

        assert get_relationship(kim.id).status == "active"
        assert get_relationship(other.id).status == "restricted"


def make_filtered(text: str) -> list[FilteredMessage]:
    said = IncomingMessage(author_kind="user", text=text, sent_at=timezone.now())
    return filter_messages([said])


def count_messages(relationship: RelationshipRef) -> int:
    with content_of(relationship):
        return Message.objects.filter(relationship_id=relationship.id).count()


def closing(deed: Callable[[], Any]) -> Any:
    """Return what the deed gives; the connection of its thread is closed then."""
    try:
        return deed()
    finally:
        connection.close()


class TestTheRace:
    def test_a_withdrawal_waits_for_the_job_and_deletes_what_it_wrote(
        self, real_commits: None
    ) -> None:
        """Acceptance row C31."""
        ann = make_relationship()
        give(ann, HEALTH)
        has_written, may_end = threading.Event(), threading.Event()

        def run_job() -> int:
            with job_scope(ann):
                written = write_memories(ann, [to_new()], now=timezone.now())
                has_written.set()
                may_end.wait(20)
            return len(written.made)

        with ThreadPoolExecutor(2) as pool:
            job = pool.submit(closing, run_job)
            assert has_written.wait(20)
            withdrawal = pool.submit(closing, lambda: take_back(ann, HEALTH))
            has_waited = not wait([withdrawal], timeout=0.7).done
            may_end.set()
            withdrawal.result(20)

        assert (has_waited, job.result(20)) == (True, 1)
        assert read_texts(ann) == [SECRET]
        assert settle_now(ann) == Settled(forgotten=1)
        assert read_texts(ann) == []

    def test_a_job_that_comes_after_writes_nothing(self, real_commits: None) -> None:
        """Acceptance row C31, the other way round."""
        ann = make_relationship()
        give(ann, HEALTH)
        with job_scope(ann):
            take = timezone.now()
        take_back(ann, HEALTH)

        with job_scope(ann):
            written = write_memories(ann, [to_new()], now=take)

        assert (written.made, written.dropped) == ((), {"mental_health": 1})

    def test_a_job_that_waits_for_a_withdrawal_sees_it(
        self, real_commits: None
    ) -> None:
        """Acceptance row C31: the answer is read after the lock, not before."""
        ann = make_relationship()
        give(ann, HEALTH)
        has_ended, may_commit = threading.Event(), threading.Event()

        def withdraw() -> None:
            try:
                with access_scope(Purpose.SERVICE, user=ann.user_id):
                    record(make_ending(ann, HEALTH), by="service:t", now=timezone.now())
                    has_ended.set()
                    may_commit.wait(20)
            finally:
                connection.close()

        user = threading.Thread(target=withdraw)
        user.start()
        assert has_ended.wait(20)
        threading.Timer(0.5, may_commit.set).start()
        with job_scope(ann):
            written = write_memories(ann, [to_new()], now=timezone.now())
        user.join(20)

        assert (written.made, written.dropped) == ((), {"mental_health": 1})

    def test_a_guardians_withdrawal_waits_for_what_is_being_stored(
        self, real_commits: None
    ) -> None:
        """Acceptance row C31, for all that a guardian's consent carries."""
        kim = make_relationship(age_band="under_14")
        give(kim, "guardian", surface="guardian")
        has_written, may_end = threading.Event(), threading.Event()

        def store() -> None:
            with service_scope(kim):
                receive(kim, make_filtered("今天好累"), now=timezone.now())
                has_written.set()
                may_end.wait(20)

        with ThreadPoolExecutor(2) as pool:
            request = pool.submit(closing, store)
            assert has_written.wait(20)
            withdrawal = pool.submit(closing, lambda: take_back(kim, "guardian"))
            has_waited = not wait([withdrawal], timeout=0.7).done
            may_end.set()
            withdrawal.result(20)
            request.result(20)
        stored = count_messages(kim)
        settle_now(kim)
        (run,) = ErasureRun.objects.filter(global_user_id=kim.user_id)
        erasures.run(run.pk, now=timezone.now())

        assert (has_waited, stored, count_messages(kim)) == (True, 1, 0)

    def test_what_comes_after_a_guardians_withdrawal_is_not_stored(
        self, real_commits: None
    ) -> None:
        """Acceptance row C31: the request had passed the gate before."""
        kim = make_relationship(age_band="under_14")
        give(kim, "guardian", surface="guardian")
        check_open(kim)

        take_back(kim, "guardian")

        with service_scope(kim), pytest.raises(GateClosed):
            receive(kim, make_filtered("今天好累"), now=timezone.now())
        assert count_messages(kim) == 0

    def test_a_profile_is_locked_like_content(self, real_commits: None) -> None:
        """Acceptance row C31, for the values of a child's profile."""
        kim = make_relationship(age_band="under_14")
        give(kim, "guardian", surface="guardian")
        has_ended, may_commit = threading.Event(), threading.Event()

        def withdraw() -> None:
            with access_scope(Purpose.SERVICE, user=kim.user_id):
                record(make_ending(kim, "guardian"), by="service:t", now=timezone.now())
                has_ended.set()
                may_commit.wait(20)

        with ThreadPoolExecutor(1) as pool:
            withdrawal = pool.submit(closing, withdraw)
            assert has_ended.wait(20)
            threading.Timer(0.5, may_commit.set).start()
            with pytest.raises(GateClosed):
                put_values(
                    kim.user_external_id, {"region": "杭州"}, by=BY, now=timezone.now()
                )
            withdrawal.result(20)

        assert list_profile(kim) == []

    def test_of_parallel_consents_each_is_kept_and_one_row_is_made(
        self, real_commits: None
    ) -> None:
        ann = make_relationship()
        start = threading.Barrier(6)

        def run() -> None:
            try:
                start.wait(20)
                give(ann, HEALTH)
            finally:
                connection.close()

        threads = [threading.Thread(target=run) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(30)

        assert read_states(ann) == {(HEALTH, "all"): "granted"}
