"""What an erasure leaves of a slot's line: a gap, and nothing that comes back."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from identity.types import RelationshipRef
from memories.models import Memory, Message
from memories.reading import Slice, list_memories
from memories.services import correct_memory, erase_memory
from memories.statements import PreparedStatement
from memories.versions import NewMemory
from memories.writing import withdraw_memories, write_memories
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship
from tests.factories.memories import make_message, make_session

D0 = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
NOW = D0 + 100 * DAY


def prepared(text: str) -> PreparedStatement:
    return PreparedStatement(text, (), None, "")


class Slot:
    """The city of one relationship: said, erased, asked for."""

    def __init__(self) -> None:
        self.ann: RelationshipRef = make_relationship()

    def say(self, city: str, day: int, **fields: Any) -> NewMemory:
        at = D0 + day * DAY
        text = f"我住在{city}"
        session = make_session(self.ann, at=at, status="done", ended_at=at)
        message = make_message(self.ann, text, session=session, sent_at=at)
        given: dict[str, Any] = {
            "kind": "fact",
            "subject": "user",
            "dimension": "identity",
            "key": "city",
            "value": city,
            "polarity": 1,
            "statement": prepared(text),
            "evidence": ((at, message.pk),),
            "source_session": session.pk,
            "importance": 0.5,
            "said_at": at,
            "occurred_at": at,
            "due_at": None,
            "author": "rules",
        }
        new = NewMemory(**given | fields)
        self.write(new)
        return new

    def write(self, new: NewMemory) -> None:
        with access_scope(Purpose.JOB, relationship=self.ann.id):
            write_memories(self.ann, [new], now=NOW)

    def find(self, day: int) -> UUID:
        with access_scope(Purpose.JOB, relationship=self.ann.id):
            (view,) = list_memories(
                self.ann.id, Slice(valid_at=D0 + day * DAY), now=NOW
            )
        return view.id

    def find_only(self) -> UUID:
        (row,) = Memory.objects.of(self.ann.id).current()
        lineage: UUID = row.lineage
        return lineage

    def erase(self, day: int) -> None:
        memory_id = self.find(day)
        with access_scope(Purpose.SERVICE, relationship=self.ann.id):
            erase_memory(self.ann, memory_id, by="job:t", reason_code="test", now=NOW)

    def correct(self, day: int, city: str) -> None:
        memory_id = self.find(day)
        right = prepared(f"我住在{city}")
        with access_scope(Purpose.SERVICE, relationship=self.ann.id):
            correct_memory(
                self.ann, memory_id, right, by="job:t", author="user", now=NOW
            )

    def answers(self, *days: int) -> list[str | None]:
        found: list[str | None] = []
        with access_scope(Purpose.JOB, relationship=self.ann.id):
            for day in days:
                wanted = Slice(valid_at=D0 + day * DAY)
                views = list_memories(self.ann.id, wanted, now=NOW)
                found.append(views[0].value if views else None)
        return found

    def words(self) -> str:
        """Give all that is kept in words, of messages and of every version."""
        with access_scope(Purpose.JOB, relationship=self.ann.id):
            rows = Memory.objects.of(self.ann.id).values_list("text", flat=True)
            said = Message.objects.filter(relationship_id=self.ann.id)
            return "".join([*rows, *said.values_list("text", flat=True)])


@pytest.mark.django_db
class TestTheGap:
    """Acceptance row 19."""

    def test_the_newest_leaves_nothing_true_now(self) -> None:
        slot = Slot()
        slot.say("广州", 1)
        slot.say("上海", 5)

        slot.erase(5)

        assert slot.answers(3, 5, 99, 100) == ["广州", None, None, None]

    def test_the_middle_leaves_its_neighbours_as_they_were(self) -> None:
        slot = Slot()
        for city, day in (("广州", 1), ("上海", 5), ("成都", 9)):
            slot.say(city, day)

        slot.erase(5)

        assert slot.answers(0, 3, 7, 99) == [None, "广州", None, "成都"]

    def test_the_oldest_leaves_what_followed(self) -> None:
        slot = Slot()
        slot.say("广州", 1)
        slot.say("上海", 5)

        slot.erase(1)

        assert slot.answers(3, 99) == [None, "上海"]

    def test_what_came_back_goes_with_its_first_time(self) -> None:
        slot = Slot()
        for city, day in (("广州", 1), ("上海", 5), ("广州", 9)):
            slot.say(city, day)

        slot.erase(9)

        assert slot.answers(3, 7, 99) == [None, "上海", None]
        assert "广州" not in slot.words()

    def test_the_middle_of_what_came_back_leaves_both_ends(self) -> None:
        slot = Slot()
        for city, day in (("广州", 1), ("上海", 5), ("广州", 9)):
            slot.say(city, day)

        slot.erase(5)

        assert slot.answers(3, 7, 99) == ["广州", None, "广州"]

    def test_a_period_that_resumed_goes_with_the_words_it_was_made_of(self) -> None:
        slot = Slot()
        for city, day in (("广州", 1), ("广州", 9), ("上海", 5)):
            slot.say(city, day)

        slot.erase(9)

        assert slot.answers(3, 7, 99) == [None, "上海", None]
        assert "广州" not in slot.words()

    def test_an_import_from_before_fills_its_own_time_alone(self) -> None:
        slot = Slot()
        for city, day in (("广州", 1), ("上海", 5), ("成都", 9)):
            slot.say(city, day)
        slot.erase(5)

        slot.say("上海", 6)
        slot.say("成都", 3)

        assert slot.answers(2, 4, 7, 99) == ["广州", "成都", None, "成都"]
        assert "上海" not in slot.words()

    def test_a_replay_of_the_older_one_does_not_revive_it(self) -> None:
        slot = Slot()
        old = slot.say("广州", 1)
        slot.say("上海", 5)
        slot.erase(5)

        slot.write(old)

        assert slot.answers(3, 99) == ["广州", None]


@pytest.mark.django_db
class TestWhatGoesWithIt:
    """Acceptance rows 16 and 21."""

    def test_the_mistake_that_another_memory_once_was_goes(self) -> None:
        slot = Slot()
        slot.say("广州", 1)
        slot.correct(1, "杭州")
        slot.say("广州", 101)

        slot.erase(101)

        assert slot.answers(50, 101) == ["杭州", None]
        assert "广州" not in slot.words()

    def test_what_was_merged_into_it_goes(self) -> None:
        slot = Slot()
        for city, day in (("广州", 1), ("上海", 5), ("广州", 9)):
            slot.say(city, day)
        close_the_gap(slot)

        slot.erase(99)

        assert slot.words().count("广州") == 0

    def test_what_was_taken_back_of_the_same_message_goes(self) -> None:
        slot = Slot()
        of_rules = slot.say("广州", 1)
        with access_scope(Purpose.JOB, relationship=slot.ann.id):
            withdraw_memories(slot.ann, [slot.find_only()], now=NOW)
        of_model = replace(of_rules, key="hometown", statement=prepared("来自广州"))
        slot.write(of_model)

        with access_scope(Purpose.SERVICE, relationship=slot.ann.id):
            gone = slot.find_only()
            erase_memory(slot.ann, gone, by="job:t", reason_code="test", now=NOW)

        assert "广州" not in slot.words()


def close_the_gap(slot: Slot) -> None:
    """Take the middle of three away, which makes one of the other two."""
    with access_scope(Purpose.JOB, relationship=slot.ann.id):
        (middle,) = Memory.objects.of(slot.ann.id).current().filter(value="上海")
        withdraw_memories(slot.ann, [middle.lineage], now=NOW)
        assert Memory.objects.of(slot.ann.id).current().count() == 1
