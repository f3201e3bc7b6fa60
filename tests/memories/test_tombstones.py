"""Tombstones: what they block in other words, what they let through, and for how long."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from identity.types import RelationshipRef
from memories.evidence import ERASED_TEXT
from memories.models import Message
from memories.reading import Slice, list_timeline
from memories.services import erase_memory
from memories.slots import favourite_key, slot_key
from memories.slots.synonyms import Synonyms
from memories.statements import PreparedStatement
from memories.tombstones import load_tombstones
from memories.versions import NewMemory
from memories.writing import write_memories
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.sharding.ids import new_id
from tests.factories.identity import make_relationship
from tests.factories.memories import make_message

D0 = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
ERASED_AT = D0 + 10 * DAY


def taste(thing: str, text: str = "", **fields: Any) -> NewMemory:
    """Make the taste for a thing, as said a day after the first."""
    given: dict[str, Any] = {
        "kind": "preference",
        "dimension": "taste",
        "key": slot_key(kind="preference", about=thing),
        "value": thing,
        "polarity": -1,
    }
    return statement(text or f"我讨厌{thing}", **given | fields)


def fact(attribute: str, value: str, text: str = "", **fields: Any) -> NewMemory:
    given: dict[str, Any] = {
        "kind": "fact",
        "dimension": "identity",
        "key": attribute,
        "value": value,
        "polarity": 1,
    }
    return statement(text or f"{attribute}是{value}", **given | fields)


def statement(text: str, **fields: Any) -> NewMemory:
    given: dict[str, Any] = {
        "subject": "user",
        "statement": PreparedStatement(text, (), None, ""),
        "evidence": ((D0 + DAY, new_id()),),
        "source_session": None,
        "importance": 0.5,
        "said_at": D0 + DAY,
        "occurred_at": D0 + DAY,
        "due_at": None,
        "author": "rules",
    }
    return NewMemory(**given | fields)


def bury(relationship: RelationshipRef, new: NewMemory) -> None:
    """Write a memory and erase it."""
    with access_scope(Purpose.JOB, relationship=relationship.id):
        (lineage,) = write_memories(relationship, [new], now=D0 + 2 * DAY).made
        erase_memory(relationship, lineage, by="job:t", reason_code="t", now=ERASED_AT)


def is_blocked(
    relationship: RelationshipRef, new: NewMemory, **synonyms: Synonyms
) -> bool:
    with access_scope(Purpose.JOB, relationship=relationship.id):
        return load_tombstones(relationship.id, **synonyms).block(new)


APPOINTMENT = {"dimension": "commitment", "kind": "commitment", "polarity": 1}
SAME = [
    (taste("香菜"), taste("芫荽", "我真的受不了芫荽")),
    (taste("吃香菜"), taste("香菜", "香菜好恶心")),
    (taste("小猫"), taste("喵星人", "烦喵星人")),
    (fact("city", "北京"), fact("city", "北京", "我人在北京")),
    (
        fact("pet:猫", "团团", "我养了一只猫叫团团", dimension="life"),
        fact("pet:猫", "团团", "我家团团又捣蛋", dimension="life"),
    ),
    (
        taste("梅西", key=favourite_key("球星"), polarity=1),
        taste("梅西", "最爱的球员还是梅西", key=favourite_key("球员"), polarity=1),
    ),
    (
        taste("梅西", key=favourite_key("球星"), polarity=1),
        taste("梅西", "喜欢梅老板", polarity=1),
    ),
    (
        statement("周六去看电影", key="看电影|2026-03-07", value="看电影", **APPOINTMENT),
        statement("约了周六看电影", key="看电影|2026-03-07", value="", **APPOINTMENT),
    ),
]  # fmt: skip
OTHER = [
    (taste("香菜"), taste("香菜", "我喜欢香菜了", polarity=1)),
    (taste("香菜"), taste("香肠")),
    (fact("city", "北京"), fact("city", "上海")),
    (fact("city", "北京"), fact("hometown", "北京")),
    (
        fact("pet:猫", "团团", dimension="life"),
        fact("pet:猫", "年糕", dimension="life"),
    ),
    (
        taste("梅西", key=favourite_key("球星"), polarity=1),
        taste("C罗", key=favourite_key("球星"), polarity=1),
    ),
    (
        statement("周六去看电影", key="看电影|2026-03-07", value="看电影", **APPOINTMENT),
        statement("周日去看电影", key="看电影|2026-03-08", value="看电影", **APPOINTMENT),
    ),
]  # fmt: skip


@pytest.mark.django_db
class TestOtherWords:
    @pytest.mark.parametrize(("erased", "again"), SAME)
    def test_it_blocks_the_same_in_other_words(
        self, erased: NewMemory, again: NewMemory
    ) -> None:
        """Acceptance row 19."""
        ann = make_relationship()

        bury(ann, erased)

        assert is_blocked(ann, again)

    @pytest.mark.parametrize(("erased", "other"), OTHER)
    def test_it_lets_through_what_says_something_else(
        self, erased: NewMemory, other: NewMemory
    ) -> None:
        ann = make_relationship()

        bury(ann, erased)

        assert not is_blocked(ann, other)

    def test_it_lets_through_what_is_said_after_the_erasure(self) -> None:
        """Acceptance row 19."""
        ann = make_relationship()
        bury(ann, taste("香菜"))

        later = taste("芫荽", said_at=ERASED_AT + DAY)

        assert not is_blocked(ann, later)

    def test_it_masks_the_message_that_says_it_in_other_words(self) -> None:
        """Acceptance row 19: what is imported late is not kept either."""
        ann = make_relationship()
        bury(ann, taste("香菜"))
        message = make_message(ann, "我真的受不了芫荽", sent_at=D0)
        late = taste("芫荽", message.text, said_at=D0, evidence=((D0, message.pk),))

        with access_scope(Purpose.JOB, relationship=ann.id):
            written = write_memories(ann, [late], now=ERASED_AT + DAY)

            kept = Message.objects.get(pk=message.pk)
            assert list_timeline(ann.id, Slice()) == []
        assert (written.made, written.blocked) == ((), 1)
        assert (kept.text, kept.no_extract) == (ERASED_TEXT, True)


UNKNOWN_YET = Synonyms(())
KNOWN_SINCE = Synonyms([("夜宵", "宵夜", "深夜食堂")])
OTHER_HEAD = Synonyms([("宵夜", "夜宵")])


@pytest.mark.django_db
class TestSynonymsThatChange:
    """A word that the table knows, knows no more, or calls by another name."""

    @pytest.mark.parametrize("synonyms", [KNOWN_SINCE, OTHER_HEAD])
    def test_a_name_that_the_table_learns_is_no_way_back(
        self, synonyms: Synonyms
    ) -> None:
        """Acceptance row 19."""
        ann = make_relationship()
        bury(ann, taste("宵夜"))

        again = taste("夜宵", key="夜宵")

        assert not is_blocked(ann, again, synonyms=UNKNOWN_YET)
        assert is_blocked(ann, again, synonyms=synonyms)

    @pytest.mark.parametrize("synonyms", [UNKNOWN_YET, OTHER_HEAD, KNOWN_SINCE])
    def test_the_name_that_was_said_stays_blocked(self, synonyms: Synonyms) -> None:
        """Acceptance row 19: here 芫荽 had been kept under the name 香菜."""
        ann = make_relationship()
        bury(ann, taste("芫荽"))

        again = taste("芫荽", "受不了芫荽", key="芫荽")

        assert is_blocked(ann, again, synonyms=synonyms)

    def test_a_fact_whose_value_gets_another_name_stays_erased(self) -> None:
        ann = make_relationship()
        bury(ann, fact("city", "帝都"))

        again = fact("city", "北京", "人在北京")

        assert is_blocked(ann, again, synonyms=Synonyms([("北京", "帝都")]))
