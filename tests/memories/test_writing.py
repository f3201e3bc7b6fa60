"""Writing memories: supersession, evidence, tombstones, as rows in the database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from identity.resolution import get_relationship
from identity.types import RelationshipRef
from memories.evidence import ERASED_TEXT
from memories.models import Memory, Message, ModelAnswer
from memories.reading import MemoryView, Slice, get_memory, list_memories, list_timeline
from memories.services import correct_memory, erase_memory
from memories.statements import prepare_statement
from memories.versions import NewMemory
from memories.writing import Written, write_memories
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import new_id
from tests.factories.content import make_row
from tests.factories.identity import make_relationship
from tests.factories.memories import make_message

DAY = timedelta(days=1)
D0 = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOW = D0 + 100 * DAY


def fact(text: str, day: int, **fields: Any) -> NewMemory:
    at = D0 + day * DAY
    given: dict[str, Any] = {
        "kind": "fact",
        "subject": "user",
        "dimension": "identity",
        "key": "city",
        "value": text,
        "polarity": 1,
        "statement": prepare_statement(text),
        "evidence": ((at, new_id()),),
        "source_session": None,
        "importance": 0.5,
        "said_at": at,
        "occurred_at": at,
        "due_at": None,
        "author": "rules",
    }
    return NewMemory(**given | fields)


def favourite(text: str, day: int, **fields: Any) -> NewMemory:
    taste = {"kind": "preference", "dimension": "taste", "key": "最喜欢的球星"}
    return fact(text, day, **taste | fields)


def write(
    relationship: RelationshipRef, *news: NewMemory, now: datetime = NOW
) -> Written:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        return write_memories(relationship, news, now=now)


def listed(relationship: RelationshipRef, **slice_: Any) -> list[MemoryView]:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        return list_memories(relationship.id, Slice(**slice_), now=NOW)


def texts(relationship: RelationshipRef, **slice_: Any) -> list[str]:
    return [view.text for view in listed(relationship, **slice_)]


def timeline(relationship: RelationshipRef) -> list[MemoryView]:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        return list_timeline(relationship.id, Slice())


@pytest.mark.django_db
class TestSupersession:
    def test_it_answers_with_the_newest_and_keeps_both_on_the_timeline(self) -> None:
        """Acceptance rows 27 and 29."""
        ann = make_relationship()

        write(ann, fact("喜欢梅西", 1))
        write(ann, fact("喜欢C罗", 9))

        old, new = timeline(ann)
        assert texts(ann) == ["喜欢C罗"]
        assert (old.text, old.valid_to) == ("喜欢梅西", D0 + 9 * DAY)
        assert (old.status, old.superseded_by) == ("superseded", new.id)

    def test_it_places_an_old_session_imported_late(self) -> None:
        """Acceptance rows 33 and 34."""
        ann = make_relationship()
        write(ann, fact("住成都", 9))

        write(ann, fact("住西安", 1))

        assert texts(ann) == ["住成都"]
        asked = [texts(ann, valid_at=D0 + day * DAY) for day in (0, 3, 10)]
        assert asked == [[], ["住西安"], ["住成都"]]

    def test_it_knows_what_was_known_on_a_day(self) -> None:
        ann = make_relationship()
        write(ann, fact("住西安", 1), now=D0 + 2 * DAY)
        write(ann, fact("住成都", 9), now=D0 + 10 * DAY)

        known = texts(ann, valid_at=D0 + 20 * DAY, known_at=D0 + 5 * DAY)

        assert known == ["住西安"]

    def test_it_leaves_other_slots_alone(self) -> None:
        """Acceptance row 30, for slots that the rules tell apart."""
        ann = make_relationship()

        write(
            ann,
            fact("养了一只猫", 1, key="pet:猫"),
            fact("怕狗", 1, key="狗", dimension="taboo", kind="taboo", polarity=-1),
            fact("爱猫", 2, key="猫", dimension="taste", kind="preference"),
            fact("在学吉他", 3, key="hobby:吉他"),
        )

        assert len(texts(ann)) == 4

    def test_it_unites_evidence_of_what_is_said_again(self) -> None:
        ann = make_relationship()
        first, second = fact("住成都", 1), fact("住成都", 5)

        write(ann, first)
        again = write(ann, second)

        (view,) = listed(ann)
        assert again.made == ()
        assert view.evidence == (first.evidence[0][1], second.evidence[0][1])
        assert view.valid_from == D0 + DAY

    def test_it_writes_the_same_batch_once(self) -> None:
        """Acceptance row 60."""
        ann = make_relationship()
        batch = [
            fact("住成都", 1),
            fact("今天很难过", 1, kind="emotion", key="", dimension="emotion"),
        ]
        session = make_message(ann).session_id
        batch = [*batch[:1], fact("今天很难过", 1, kind="emotion", key="",
                                  dimension="emotion", source_session=session)]  # fmt: skip

        write(ann, *batch)
        write(ann, *batch)

        assert sorted(texts(ann)) == ["今天很难过", "住成都"]
        with access_scope(Purpose.JOB, relationship=ann.id):
            assert Memory.objects.of(ann.id).count() == 2

    def test_it_raises_the_version_once_a_transaction(self) -> None:
        ann = make_relationship()

        write(ann, fact("住成都", 1), fact("住西安", 2))

        assert get_relationship(ann.id).memory_version == ann.memory_version + 1


@pytest.mark.django_db
class TestErasure:
    def erase(self, relationship: RelationshipRef, memory_id: UUID) -> dict[str, int]:
        with access_scope(Purpose.SERVICE, relationship=relationship.id):
            return erase_memory(
                relationship, memory_id, by="service:t", reason_code="test", now=NOW
            )

    def test_it_does_not_revive_the_older_version(self) -> None:
        """Acceptance row 19."""
        ann = make_relationship()
        write(ann, fact("住广州", 1))
        write(ann, fact("住上海", 5))
        (current,) = listed(ann)

        self.erase(ann, current.id)

        assert texts(ann) == []

    def test_it_blocks_what_was_said_before_and_allows_it_said_again(self) -> None:
        """Acceptance row 19."""
        ann = make_relationship()
        write(ann, fact("在北京上班", 1))
        self.erase(ann, listed(ann)[0].id)

        replayed = write(ann, fact("在北京上班", 1))
        later = write(ann, fact("在北京上班", 101))

        assert (replayed.made, replayed.blocked) == ((), 1)
        assert len(later.made) == 1

    def test_it_blocks_what_was_dated_ahead_of_the_erasure(self) -> None:
        """Acceptance row 19: a sender's clock may run some minutes ahead."""
        ann = make_relationship()
        ahead = fact("在北京上班", 0, said_at=NOW + timedelta(minutes=4))
        ahead = replace(ahead, evidence=((ahead.said_at, new_id()),))
        write(ann, ahead)
        (memory,) = timeline(ann)
        self.erase(ann, memory.id)

        replayed = write(ann, ahead)

        assert (replayed.made, replayed.blocked) == ((), 1)

    def test_it_removes_every_version_and_the_words_of_the_evidence(self) -> None:
        ann = make_relationship()
        message = make_message(ann, "我对花生过敏", sent_at=D0)
        answer = make_row(ModelAnswer, ann, session_id=message.session_id)
        write(ann, fact("对花生过敏", 0, evidence=((D0, message.pk),)))
        write(ann, fact("对虾过敏", 5))
        erased = timeline(ann)[0]

        counts = self.erase(ann, erased.id)

        assert counts == {
            "memories": 2, "messages": 1, "fingerprints": 0, "answers": 1,
        }  # fmt: skip
        with access_scope(Purpose.JOB, relationship=ann.id):
            kept = Message.objects.get(relationship_id=ann.id)
            answer.refresh_from_db()
        assert (kept.text, kept.no_extract) == (ERASED_TEXT, True)
        assert answer.text == ""

    def test_it_leaves_other_relationships_alone(self) -> None:
        """Acceptance rows 14 and C9."""
        ann, ben = make_relationship(), make_relationship()
        write(ann, fact("住成都", 1))
        write(ben, fact("住成都", 1))

        self.erase(ann, listed(ann)[0].id)

        assert texts(ben) == ["住成都"]


@pytest.mark.django_db
class TestCorrection:
    def test_it_answers_the_corrected_text_under_the_same_id(self) -> None:
        ann = make_relationship()
        write(ann, fact("是护士", 1, key="job"), now=D0 + 2 * DAY)
        (before,) = listed(ann)
        statement = prepare_statement("是兽医")

        with access_scope(Purpose.SERVICE, relationship=ann.id):
            correct_memory(
                ann, before.id, statement, by="service:t", author="user", now=NOW
            )
            after = get_memory(ann.id, before.id)

        assert (after.id, after.text, after.author) == (before.id, "是兽医", "user")
        assert texts(ann, known_at=D0 + 50 * DAY) == ["是护士"]


@pytest.mark.django_db
class TestSayingTheSame:
    """Words that mean the same in their slot add evidence, and retire nothing."""

    def test_another_name_of_the_thing_is_the_same_taste(self) -> None:
        ann = make_relationship()
        taste = {"kind": "preference", "dimension": "taste", "key": "香菜"}
        write(ann, fact("喜欢香菜", 1, value="香菜", **taste))

        again = write(ann, fact("喜欢芫荽", 5, value="芫荽", **taste))

        (view,) = listed(ann)
        assert again.made == ()
        assert len(view.evidence) == 2

    def test_a_second_cat_does_not_take_the_place_of_the_first(self) -> None:
        """Acceptance row 30."""
        ann = make_relationship()
        names = ("团团", "年糕", "猫", "团团")

        for day, name in enumerate(names):
            write(ann, fact(f"我的{name}", day, key="pet:猫", value=name))

        assert texts(ann) == ["我的团团", "我的年糕", "我的猫"]

    def test_one_who_is_no_favourite_is_not_ended_as_one(self) -> None:
        """Acceptance row 30: 不喜欢梅西了 leaves C罗 where he is."""
        ann = make_relationship()
        write(ann, favourite("最喜欢C罗", 1, value="C罗"))

        write(ann, favourite("不喜欢梅西了", 5, value="梅西", polarity=-1))

        kept = [(view.key, view.valid_to) for view in timeline(ann)]
        assert kept == [("最喜欢的球星", None), ("梅西", None)]

    def test_one_who_is_the_favourite_is_ended(self) -> None:
        ann = make_relationship()
        write(ann, favourite("最喜欢梅西", 1, value="梅西"))

        write(ann, favourite("不喜欢梅西了", 5, value="梅西", polarity=-1))

        assert texts(ann) == ["不喜欢梅西了"]

    def test_two_things_said_in_one_message_stay_as_they_are(self) -> None:
        """Acceptance row 60: 我住西安，不对，成都 read once more."""
        ann = make_relationship()
        first = fact("住西安", 1)
        both = (first, fact("住成都", 1, evidence=first.evidence))
        write(ann, *both)
        before = timeline(ann)

        write(ann, *both)

        assert timeline(ann) == before
        assert texts(ann) == ["住成都"]

    def test_what_is_restricted_stays_so_when_it_is_superseded(self) -> None:
        ann = make_relationship()
        write(ann, fact("住西安", 1))
        with access_scope(Purpose.JOB, relationship=ann.id):
            Memory.objects.of(ann.id).update(status="restricted")

        write(ann, fact("住成都", 5))

        assert [view.status for view in timeline(ann)] == ["restricted", "active"]
