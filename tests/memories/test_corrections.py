"""What a person puts right stands: against the past, until something newer is said."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from identity.types import RelationshipRef
from memories.intake import IncomingMessage, filter_messages, receive
from memories.models import ChatSession, Memory, Message
from memories.processing import process_session
from memories.reading import MemoryView, Slice, list_memories, list_timeline
from memories.services import correct_memory, erase_memory
from memories.sessions import end_sessions
from memories.statements import prepare_statement
from memories.types import EndReason, SessionStatus
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship

D0 = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
LATER = D0 + 90 * DAY


def tell(relationship: RelationshipRef, *texts: str, day: int, seen: int = 0) -> UUID:
    """Say something on a day, have it read on that day or a later one."""
    messages = [
        IncomingMessage("user", text, D0 + day * DAY + number * timedelta(minutes=1))
        for number, text in enumerate(texts)
    ]
    now = D0 + max(day, seen) * DAY + timedelta(hours=1)
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        (first, *_) = receive(relationship, filter_messages(messages), now=now)
        end_sessions(relationship.id, now=now, reason=EndReason.CALLER)
        session_id: UUID = Message.objects.get(pk=first.message_id).session_id
    assert process_session(session_id, now=now) == "done"
    return session_id


def replay(session_id: UUID) -> None:
    """Run the job of a session that is done once more."""
    ChatSession.objects.filter(pk=session_id).update(
        status=SessionStatus.PENDING, lease_until=None, attempts=0
    )
    assert process_session(session_id, now=LATER) == "done"


def correct(relationship: RelationshipRef, old: str, new: str, *, day: int) -> UUID:
    """Put right the memory that says something; return its id."""
    (memory,) = [one for one in timeline(relationship) if one.text == old]
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        correct_memory(
            relationship,
            memory.id,
            prepare_statement(new),
            by="job:t",
            author="user",
            now=D0 + day * DAY,
        )
    return memory.id


def views(relationship: RelationshipRef, **slice_: Any) -> list[MemoryView]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        return list_memories(relationship.id, Slice(**slice_), now=LATER)


def texts(relationship: RelationshipRef, **slice_: Any) -> list[str]:
    return sorted(view.text for view in views(relationship, **slice_))


def timeline(relationship: RelationshipRef) -> list[MemoryView]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        return list_timeline(relationship.id, Slice())


@pytest.fixture
def ann() -> RelationshipRef:
    return make_relationship()


@pytest.mark.django_db
class TestWhatStands:
    def test_an_older_message_read_later_does_not_override_it(
        self, ann: RelationshipRef
    ) -> None:
        tell(ann, "我在北京上班", day=1)
        correct(ann, "我在北京上班", "我在上海上班", day=10)

        tell(ann, "我在广州上班", day=5, seen=20)

        assert texts(ann) == ["我在上海上班"]

    def test_a_replay_does_not_bring_the_mistake_back(
        self, ann: RelationshipRef
    ) -> None:
        """Acceptance row 19, for what was put right."""
        session_id = tell(ann, "我在北京上班", day=1)
        correct(ann, "我在北京上班", "我在上海上班", day=10)

        replay(session_id)

        assert [view.text for view in timeline(ann)] == ["我在上海上班"]

    def test_an_import_from_before_the_memory_does_not_bring_the_mistake_back(
        self, ann: RelationshipRef
    ) -> None:
        tell(ann, "我在北京上班", day=3)
        correct(ann, "我在北京上班", "我在上海上班", day=10)

        tell(ann, "我在北京工作", day=1, seen=20)

        assert [view.text for view in timeline(ann)] == ["我在上海上班"]

    def test_saying_it_again_adds_evidence(self, ann: RelationshipRef) -> None:
        tell(ann, "我在北京上班", day=1)
        memory_id = correct(ann, "我在北京上班", "我在上海上班", day=10)

        tell(ann, "我在上海上班", day=20)

        (memory,) = timeline(ann)
        assert (memory.id, len(memory.evidence)) == (memory_id, 2)

    def test_something_newer_takes_its_place(self, ann: RelationshipRef) -> None:
        tell(ann, "我在北京上班", day=1)
        correct(ann, "我在北京上班", "我在上海上班", day=10)

        tell(ann, "我在北京上班", day=20)

        right, newer = timeline(ann)
        assert texts(ann) == ["我在北京上班"]
        assert (right.text, right.valid_to) == ("我在上海上班", D0 + 20 * DAY)
        assert right.superseded_by == newer.id

    def test_what_was_known_before_stays_known(self, ann: RelationshipRef) -> None:
        tell(ann, "我在北京上班", day=1)

        correct(ann, "我在北京上班", "我在上海上班", day=10)

        at = D0 + 2 * DAY
        assert texts(ann, valid_at=at, known_at=D0 + 9 * DAY) == ["我在北京上班"]
        assert texts(ann, valid_at=at, known_at=D0 + 11 * DAY) == ["我在上海上班"]

    def test_a_message_dated_ahead_of_the_correction_is_put_right_too(
        self, ann: RelationshipRef
    ) -> None:
        session_id = tell(ann, "我在北京上班", day=10)
        correct(ann, "我在北京上班", "我在上海上班", day=9)

        replay(session_id)

        assert texts(ann) == ["我在上海上班"]

    def test_the_past_can_be_put_right_without_touching_the_present(
        self, ann: RelationshipRef
    ) -> None:
        tell(ann, "我住在西安", day=1)
        tell(ann, "我住在成都", day=5)

        correct(ann, "我住在西安", "我住在杭州", day=10)
        tell(ann, "我住在西安", day=2, seen=20)

        assert texts(ann) == ["我住在成都"]
        assert texts(ann, valid_at=D0 + 3 * DAY) == ["我住在杭州"]

    def test_a_correction_of_a_correction_leaves_both_mistakes_behind(
        self, ann: RelationshipRef
    ) -> None:
        session_id = tell(ann, "我是护士", day=1)
        correct(ann, "我是护士", "我是医生", day=5)
        correct(ann, "我是医生", "我是兽医", day=6)

        replay(session_id)
        tell(ann, "我是医生", day=2, seen=20)

        assert [view.text for view in timeline(ann)] == ["我是兽医"]

    def test_an_event_put_right_is_not_told_again_by_its_messages(
        self, ann: RelationshipRef
    ) -> None:
        session_id = tell(ann, "昨天去北京出差了", day=1)
        (event,) = timeline(ann)
        correct(ann, event.text, "昨天去上海出差了", day=10)

        replay(session_id)

        assert [view.text for view in timeline(ann)] == ["昨天去上海出差了"]

    def test_it_is_gone_with_its_mistake_once_it_is_erased(
        self, ann: RelationshipRef
    ) -> None:
        """Acceptance row 19."""
        tell(ann, "我在北京上班", day=1)
        memory_id = correct(ann, "我在北京上班", "我在上海上班", day=10)

        with access_scope(Purpose.SERVICE, relationship=ann.id):
            erase_memory(
                ann, memory_id, by="job:t", reason_code="test", now=D0 + 12 * DAY
            )
        tell(ann, "我在北京上班", day=2, seen=20)
        tell(ann, "我在上海工作", day=3, seen=20)

        assert timeline(ann) == []
        with access_scope(Purpose.SERVICE, relationship=ann.id):
            assert Memory.objects.of(ann.id).count() == 0


READINGS = [
    ("我在北京上班", "我在上海上班", ("city", "上海", 1)),
    ("我不喜欢香菜", "我喜欢香菜", ("香菜", "香菜", 1)),
    ("我是护士", "我不是护士，我是兽医", ("job", "兽医", 1)),
    ("我最喜欢的球星是梅西", "我最喜欢的球星是C罗", ("最喜欢的球星", "C罗", 1)),
    ("我喜欢猫", "我喜欢狗", ("狗", "狗", 1)),
    ("我对花生过敏", "我对虾过敏", ("虾", "虾", -1)),
    ("我在学吉他", "我在学钢琴", ("skill:钢琴", "钢琴", 1)),
    ("我养了一只猫叫团团", "我养了一只猫叫圆圆", ("pet:猫:圆圆", "圆圆", 1)),
    ("我在北京上班", "上班的地方写错了", ("city", "上班的地方写错了", 0)),
    ("我喜欢猫", "我喜欢猫和狗", ("猫", "猫", 1)),
    ("我喜欢猫", "我喜欢狗和兔子", ("猫", "我喜欢狗和兔子", 0)),
    ("我在北京上班", "我属兔", ("city", "我属兔", 0)),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("said", "put_right", "expected"), READINGS)
def test_it_reads_the_new_words_by_the_rules_or_stays_neutral(
    said: str, put_right: str, expected: tuple[str, str, int]
) -> None:
    ann = make_relationship()
    tell(ann, said, day=1)
    (memory,) = views(ann)

    correct(ann, memory.text, put_right, day=2)

    (after,) = views(ann)
    assert (after.key, after.value, after.polarity) == expected
    assert after.id == memory.id


@pytest.mark.django_db
def test_an_appointment_moves_to_the_right_day() -> None:
    ann = make_relationship()
    tell(ann, "我周六要去面试", day=1)
    (memory,) = views(ann)

    correct(ann, memory.text, "我周日要去面试", day=2)

    (after,) = views(ann)
    assert memory.due_at is not None
    assert after.due_at == memory.due_at + DAY
    assert after.key == "面试|2026-03-08"


@pytest.mark.django_db
class TestAnotherSlot:
    def test_what_the_mistake_had_ended_is_true_again(
        self, ann: RelationshipRef
    ) -> None:
        tell(ann, "我不喜欢猫", day=1)
        tell(ann, "我喜欢猫", day=3)

        correct(ann, "我喜欢猫", "我喜欢狗", day=10)

        assert texts(ann) == ["我不喜欢猫", "我喜欢狗"]

    def test_the_mistake_does_not_come_back_into_its_old_slot(
        self, ann: RelationshipRef
    ) -> None:
        session_id = tell(ann, "我喜欢猫", day=3)
        correct(ann, "我喜欢猫", "我喜欢狗", day=10)

        replay(session_id)

        assert texts(ann) == ["我喜欢狗"]

    def test_it_takes_in_what_says_the_same_there(self, ann: RelationshipRef) -> None:
        tell(ann, "我喜欢狗", day=1)
        tell(ann, "我喜欢猫", day=3)

        memory_id = correct(ann, "我喜欢猫", "我喜欢狗狗", day=10)

        (memory,) = timeline(ann)
        assert (memory.id, len(memory.evidence)) == (memory_id, 2)
        assert memory.valid_from == D0 + DAY

    def test_it_ends_what_says_otherwise_there(self, ann: RelationshipRef) -> None:
        tell(ann, "我喜欢猫", day=1)
        tell(ann, "我不喜欢狗", day=3)

        correct(ann, "我喜欢猫", "我喜欢狗", day=10)

        assert texts(ann) == ["我喜欢狗"]
        assert texts(ann, valid_at=D0 + 5 * DAY) == ["我不喜欢狗"]

    def test_what_is_past_stays_past_there(self, ann: RelationshipRef) -> None:
        tell(ann, "我喜欢猫", day=1)
        tell(ann, "我不喜欢狗", day=2)
        tell(ann, "我不喜欢猫了", day=5)

        correct(ann, "我喜欢猫", "我喜欢狗", day=10)

        assert texts(ann) == ["我不喜欢狗", "我不喜欢猫了"]
        assert texts(ann, valid_at=D0 + DAY) == ["我喜欢狗"]
