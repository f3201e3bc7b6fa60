"""What is taken back, and what becomes one: as if it had been said so at once."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from identity.resolution import get_relationship
from identity.types import RelationshipRef
from memories.merging import Merge, find_merges, merge_memories
from memories.models import ErasureTombstone, Memory
from memories.reading import MemoryView, Slice, list_memories, list_timeline
from memories.services import correct_memory
from memories.statements import PreparedStatement
from memories.versions import NewMemory
from memories.writing import Withdrawn, withdraw_memories, write_memories
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship
from tests.factories.memories import make_message, make_session

D0 = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
NOW = D0 + 50 * DAY
LATER = NOW + DAY


def statement(relationship: RelationshipRef, text: str, day: int, **fields: Any) -> Any:
    """Make what the rules found in a session of its own on a day."""
    at = D0 + day * DAY
    session = make_session(relationship, at=at, status="done", ended_at=at)
    message = make_message(relationship, text, session=session, sent_at=at)
    given: dict[str, Any] = {
        "kind": "fact",
        "subject": "user",
        "dimension": "identity",
        "key": "city",
        "value": text,
        "polarity": 1,
        "statement": PreparedStatement(text, (), None, ""),
        "evidence": ((at, message.pk),),
        "source_session": session.pk,
        "importance": 0.5,
        "said_at": at,
        "occurred_at": at,
        "due_at": None,
        "author": "rules",
    }
    return NewMemory(**given | fields)


def write(relationship: RelationshipRef, *news: NewMemory) -> tuple[UUID, ...]:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        return write_memories(relationship, news, now=NOW).made


def say(
    relationship: RelationshipRef, text: str, day: int, **fields: Any
) -> tuple[UUID, ...]:
    return write(relationship, statement(relationship, text, day, **fields))


def withdraw(relationship: RelationshipRef, *lineages: UUID) -> Withdrawn:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        return withdraw_memories(relationship, lineages, now=LATER)


def answers(relationship: RelationshipRef, *days: int, **slice_: Any) -> list[str]:
    """Give what is true on each day, without what accumulates."""
    with access_scope(Purpose.JOB, relationship=relationship.id):
        return [
            "".join(
                view.text
                for view in list_memories(
                    relationship.id, Slice(valid_at=D0 + day * DAY, **slice_), now=LATER
                )
            )
            for day in days
        ]


def timeline(relationship: RelationshipRef) -> list[MemoryView]:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        return list_timeline(relationship.id, Slice())


@pytest.fixture
def ann() -> RelationshipRef:
    return make_relationship()


@pytest.mark.django_db
class TestWithdrawal:
    def test_what_it_had_superseded_is_true_again(self, ann: RelationshipRef) -> None:
        say(ann, "西安", 1)
        (mistaken,) = say(ann, "成都", 5)

        outcome = withdraw(ann, mistaken)

        (view,) = timeline(ann)
        assert outcome == Withdrawn(taken=(mistaken,), kept=())
        assert (view.text, view.valid_to, view.superseded_by) == ("西安", None, None)
        assert view.status == "active"

    def test_what_it_had_superseded_reaches_to_what_followed(
        self, ann: RelationshipRef
    ) -> None:
        say(ann, "西安", 1)
        (mistaken,) = say(ann, "成都", 5)
        (last,) = say(ann, "广州", 9)

        withdraw(ann, mistaken)

        assert answers(ann, 3, 7, 10) == ["西安", "西安", "广州"]
        assert timeline(ann)[0].superseded_by == last

    def test_what_it_had_split_is_one_again(self, ann: RelationshipRef) -> None:
        (first,) = say(ann, "西安", 1)
        say(ann, "西安", 9)
        (mistaken,) = say(ann, "成都", 5)
        before = len(timeline(ann))

        withdraw(ann, mistaken)

        (view,) = timeline(ann)
        assert before == 3
        assert (view.id, view.valid_to, len(view.evidence)) == (first, None, 2)

    def test_what_was_known_before_stays_known(self, ann: RelationshipRef) -> None:
        say(ann, "西安", 1)
        (mistaken,) = say(ann, "成都", 5)

        withdraw(ann, mistaken)

        assert answers(ann, 7, known_at=NOW) == ["成都"]
        assert answers(ann, 7, known_at=LATER) == ["西安"]

    def test_it_leaves_no_tombstone_and_raises_the_version(
        self, ann: RelationshipRef
    ) -> None:
        new = statement(ann, "成都", 5)
        (mistaken,) = write(ann, new)
        version = get_relationship(ann.id).memory_version

        withdraw(ann, mistaken)

        assert get_relationship(ann.id).memory_version == version + 1
        with access_scope(Purpose.JOB, relationship=ann.id):
            stones = ErasureTombstone.objects.filter(relationship_id=ann.id)
            assert stones.count() == 0
        assert len(write(ann, new)) == 1

    def test_several_of_one_slot_go_together(self, ann: RelationshipRef) -> None:
        say(ann, "西安", 1)
        (one,) = say(ann, "成都", 3)
        (other,) = say(ann, "广州", 5)

        withdraw(ann, one, other)

        assert answers(ann, 2, 4, 6) == ["西安"] * 3
        assert len(timeline(ann)) == 1

    def test_one_without_a_slot_goes_too(self, ann: RelationshipRef) -> None:
        (event,) = say(ann, "面试过了", 1, kind="event", key="", dimension="life")

        withdraw(ann, event)

        assert timeline(ann) == []

    def test_one_that_another_session_said_too_stays(
        self, ann: RelationshipRef
    ) -> None:
        (twice,) = say(ann, "成都", 5)
        say(ann, "成都", 7)

        outcome = withdraw(ann, twice)

        assert outcome == Withdrawn(taken=(), kept=(twice,))
        assert answers(ann, 8) == ["成都"]

    def test_one_that_a_person_put_right_stays(self, ann: RelationshipRef) -> None:
        (memory,) = say(ann, "我住在成都", 5)
        right = PreparedStatement("我住在广州", (), None, "")
        with access_scope(Purpose.SERVICE, relationship=ann.id):
            correct_memory(ann, memory, right, by="job:t", author="user", now=NOW)

        outcome = withdraw(ann, memory)

        assert outcome.kept == (memory,)
        assert answers(ann, 8) == ["我住在广州"]

    def test_a_second_time_it_changes_nothing(self, ann: RelationshipRef) -> None:
        (mistaken,) = say(ann, "成都", 5)
        withdraw(ann, mistaken)
        version = get_relationship(ann.id).memory_version

        outcome = withdraw(ann, mistaken)

        assert outcome == Withdrawn(taken=(), kept=())
        assert get_relationship(ann.id).memory_version == version


@pytest.mark.django_db
class TestMerge:
    def neighbours(self, relationship: RelationshipRef) -> tuple[UUID, UUID]:
        """Make two memories that say the same, one right after the other."""
        (first,) = say(relationship, "西安", 1)
        say(relationship, "成都", 5, author="model")
        (second,) = say(relationship, "西安", 9)
        with access_scope(Purpose.JOB, relationship=relationship.id):
            rows = Memory.objects.of(relationship.id).current()
            rows.filter(value="成都").update(recorded_to=NOW)
            rows.filter(lineage=first).update(valid_to=D0 + 9 * DAY, uses=2)
            rows.filter(lineage=second).update(uses=3, importance=0.9)
        return first, second

    def test_the_older_one_goes_on_with_the_evidence_and_uses_of_both(
        self, ann: RelationshipRef
    ) -> None:
        first, second = self.neighbours(ann)

        with access_scope(Purpose.JOB, relationship=ann.id):
            merges = merge_memories(ann, now=LATER)
            (row,) = Memory.objects.of(ann.id).current()
            ended = Memory.objects.of(ann.id).filter(lineage=second).latest("id")

        assert merges == (Merge(merged=second, into=first),)
        assert (row.lineage, row.valid_from, row.valid_to) == (first, D0 + DAY, None)
        assert (len(row.evidence), row.uses, row.importance) == (2, 5, 0.9)
        assert (ended.recorded_to, ended.superseded_by) == (LATER, first)

    def test_a_dry_run_finds_it_and_changes_nothing(self, ann: RelationshipRef) -> None:
        first, second = self.neighbours(ann)
        before = timeline(ann)

        with access_scope(Purpose.JOB, relationship=ann.id):
            found = find_merges(ann.id)

        assert found == (Merge(merged=second, into=first),)
        assert timeline(ann) == before

    def test_a_second_time_there_is_nothing_to_do(self, ann: RelationshipRef) -> None:
        self.neighbours(ann)
        with access_scope(Purpose.JOB, relationship=ann.id):
            merge_memories(ann, now=LATER)
        version = get_relationship(ann.id).memory_version

        with access_scope(Purpose.JOB, relationship=ann.id):
            again = merge_memories(ann, now=LATER)

        assert again == ()
        assert get_relationship(ann.id).memory_version == version

    def test_what_was_known_before_stays_known(self, ann: RelationshipRef) -> None:
        self.neighbours(ann)

        with access_scope(Purpose.JOB, relationship=ann.id):
            merge_memories(ann, now=LATER)

        assert answers(ann, 3, 10, known_at=NOW) == ["西安", "西安"]
        assert answers(ann, 3, 10) == ["西安", "西安"]

    @pytest.mark.parametrize(
        "fields",
        [
            {"visibility": "sensitive", "sensitive_category": "health"},
            {"status": "restricted"},
            {"corrected_at": NOW},
        ],
    )
    def test_what_others_may_see_or_put_right_stays_apart(
        self, ann: RelationshipRef, fields: dict[str, Any]
    ) -> None:
        _, second = self.neighbours(ann)

        with access_scope(Purpose.JOB, relationship=ann.id):
            rows = Memory.objects.of(ann.id).current().filter(lineage=second)
            rows.update(**fields)
            merges = merge_memories(ann, now=LATER)

        assert merges == ()

    def test_a_gap_between_them_keeps_them_apart(self, ann: RelationshipRef) -> None:
        first, _ = self.neighbours(ann)

        with access_scope(Purpose.JOB, relationship=ann.id):
            rows = Memory.objects.of(ann.id).current().filter(lineage=first)
            rows.update(valid_to=D0 + 5 * DAY)
            merges = merge_memories(ann, now=LATER)

        assert merges == ()
