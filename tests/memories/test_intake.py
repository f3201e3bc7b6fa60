"""Intake: duplicates, sessions and the privacy filter, as a chat service meets them."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from identity.types import RelationshipRef
from memories.errors import InvalidMessage
from memories.intake import IncomingMessage, Receipt, filter_messages, receive
from memories.models import ChatSession, Message
from memories.sessions import list_sessions
from memsys.kernel.scope import Purpose, ScopeMissing, access_scope
from memsys.kernel.text.clean import InvalidIdentifier
from tests.factories.identity import make_relationship

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def said(
    text: str, seconds: float = 0, external_id: str | None = None, by: str = "user"
) -> IncomingMessage:
    return IncomingMessage(by, text, NOW + timedelta(seconds=seconds), external_id)


def post(
    relationship: RelationshipRef, *messages: IncomingMessage, now: datetime = NOW
) -> list[Receipt]:
    filtered = filter_messages(messages)
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        return receive(relationship, filtered, now=now)


def outcomes(receipts: list[Receipt]) -> list[str]:
    return [receipt.outcome for receipt in receipts]


def texts(relationship: RelationshipRef) -> list[str]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        rows = Message.objects.filter(relationship_id=relationship.id)
        return list(rows.order_by("sent_at", "id").values_list("text", flat=True))


@pytest.mark.django_db
class TestDuplicates:
    def test_it_stores_different_texts_of_one_minute(self) -> None:
        """Acceptance row 54."""
        ann = make_relationship()

        receipts = post(ann, said("在吗"), said("今天好累", 20), said("晚安", 50))

        assert outcomes(receipts) == ["stored"] * 3

    def test_it_stores_the_same_text_in_three_relationships(self) -> None:
        """Acceptance row 55."""
        ann = make_relationship()
        ann_elsewhere = make_relationship(user=ann.user_external_id)
        ben = make_relationship(
            creator=ann.creator_external_id, persona=ann.persona_key
        )

        receipts = [post(one, said("晚安"))[0] for one in (ann, ann_elsewhere, ben)]

        assert outcomes(receipts) == ["stored"] * 3

    @pytest.mark.parametrize(
        ("seconds", "outcome"),
        [(0, "duplicate"), (299, "duplicate"), (300, "stored"), (301, "stored")],
    )
    def test_it_counts_five_minutes_from_the_first(
        self, seconds: int, outcome: str
    ) -> None:
        """Acceptance row 57."""
        ann = make_relationship()
        post(ann, said("在吗"))

        receipts = post(ann, said("在吗", seconds))

        assert outcomes(receipts) == [outcome]

    def test_it_does_not_slide_the_window(self) -> None:
        ann = make_relationship()

        one_by_one = [post(ann, said("在吗", s))[0] for s in (0, 299, 301, 599, 602)]

        assert outcomes(one_by_one) == [
            "stored", "duplicate", "stored", "duplicate", "stored",
        ]  # fmt: skip

    def test_it_decides_the_same_within_one_batch(self) -> None:
        ann = make_relationship()

        batch = post(ann, *(said("在吗", s) for s in (0, 299, 301, 599, 602)))

        assert outcomes(batch) == [
            "stored", "duplicate", "stored", "duplicate", "stored",
        ]  # fmt: skip
        assert batch[1].message_id == batch[0].message_id

    @pytest.mark.parametrize(
        ("seconds", "outcome"), [(-299, "duplicate"), (-301, "stored")]
    )
    def test_it_keeps_an_older_message_imported_late(
        self, seconds: int, outcome: str
    ) -> None:
        ann = make_relationship()
        post(ann, said("晚安"))

        first, again = (
            post(ann, said("晚安", seconds)),
            post(ann, said("晚安", seconds)),
        )

        assert outcomes(first) == [outcome]
        assert outcomes(again) == ["duplicate"]
        assert outcomes(post(ann, said("晚安", 10))) == ["duplicate"]

    def test_it_answers_a_retried_id_for_ever(self) -> None:
        ann = make_relationship()
        first = post(ann, said("早", external_id="m-1"))

        later = post(ann, said("换了内容", 90_000, external_id="m-1"))

        assert outcomes(later) == ["duplicate"]
        assert later[0].message_id == first[0].message_id

    def test_it_folds_an_id_that_stands_twice_in_a_batch(self) -> None:
        ann = make_relationship()

        batch = post(
            ann, said("早", 0, "m-1"), said("晚", 1, "m-1"), said("早", 2, "m-2")
        )

        assert outcomes(batch) == ["stored", "duplicate", "duplicate"]
        assert len({receipt.message_id for receipt in batch}) == 1

    def test_it_does_not_mistake_one_author_for_another(self) -> None:
        ann = make_relationship()

        batch = post(ann, said("晚安"), said("晚安", 1, by="ai"))

        assert outcomes(batch) == ["stored", "stored"]


class TestRaces:
    def run(self, job: Callable[[], list[Receipt]], count: int = 50) -> list[Receipt]:
        receipts: list[Receipt] = []

        def work() -> None:
            receipts.extend(job())
            connections.close_all()

        threads = [threading.Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return receipts

    @pytest.mark.usefixtures("real_commits")
    def test_it_stores_one_of_fifty_identical_posts(self) -> None:
        """Acceptance row 56."""
        ann = make_relationship()

        receipts = self.run(lambda: post(ann, said("在吗")))

        assert sorted(outcomes(receipts)) == ["duplicate"] * 49 + ["stored"]
        assert len({receipt.message_id for receipt in receipts}) == 1
        assert texts(ann) == ["在吗"]

    @pytest.mark.usefixtures("real_commits")
    def test_it_opens_one_session_for_parallel_first_messages(self) -> None:
        ann = make_relationship()
        numbers = iter(range(1000))

        self.run(lambda: post(ann, said(f"第{next(numbers)}句")), count=20)

        assert [s.message_count for s in list_sessions(ann.id)] == [20]


@pytest.mark.django_db
class TestSessions:
    def test_it_puts_near_messages_into_one_session(self) -> None:
        ann = make_relationship()

        post(ann, said("早"), said("吃了吗", 60))
        post(ann, said("吃了", 1700))

        assert [(s.status, s.message_count) for s in list_sessions(ann.id)] == [
            ("open", 3)
        ]

    def test_it_ends_a_session_when_a_later_one_begins(self) -> None:
        ann = make_relationship()

        post(ann, said("早"))
        post(ann, said("晚", 1801))

        assert [(s.status, s.end_reason) for s in list_sessions(ann.id)] == [
            ("open", ""), ("pending", "newer"),
        ]  # fmt: skip

    def test_it_splits_a_batch_at_its_gaps(self) -> None:
        ann = make_relationship()

        post(ann, said("早"), said("午", 4000), said("午安", 4010), said("晚", 9000))

        assert [s.message_count for s in list_sessions(ann.id)] == [1, 2, 1]

    def test_it_gives_late_imports_an_ended_session(self) -> None:
        ann = make_relationship()
        post(ann, said("现在"))

        post(ann, said("很久以前", -90_000))

        late = ChatSession.objects.of(ann.id).get(status="pending")
        assert late.end_reason == "backfill"
        assert ChatSession.objects.of(ann.id).open().count() == 1

    def test_it_makes_no_session_for_duplicates(self) -> None:
        ann = make_relationship()
        post(ann, said("早"))

        receipts = post(ann, said("早", 1))

        assert receipts[0].session_id is None
        assert list_sessions(ann.id)[0].message_count == 1


@pytest.mark.django_db
class TestWhatIsStored:
    def test_it_masks_before_storing(self) -> None:
        ann = make_relationship()

        post(ann, said("打我电话13800138000，我爱猫"))

        assert texts(ann) == ["打我电话[手机号]，我爱猫"]
        with access_scope(Purpose.SERVICE, relationship=ann.id):
            assert Message.objects.get(relationship_id=ann.id).masked == {"mobile": 1}

    def test_it_cleans_what_the_database_refuses(self) -> None:
        """Acceptance row 53."""
        ann = make_relationship()

        post(ann, said("我\x00爱你\ud83d"), said("👨‍👩‍👧‍👦🇨🇳", 1))

        assert texts(ann) == ["我爱你", "👨‍👩‍👧‍👦🇨🇳"]

    @pytest.mark.parametrize(
        "bad",
        [
            IncomingMessage("user", "\x00", NOW),
            IncomingMessage("user", "", NOW),
            IncomingMessage("user", "长" * 8001, NOW),
            IncomingMessage("robot", "你好", NOW),
        ],
    )
    def test_it_refuses_a_bad_message_and_stores_nothing(
        self, bad: IncomingMessage
    ) -> None:
        ann = make_relationship()

        with pytest.raises(InvalidMessage) as caught:
            post(ann, said("好的"), bad)

        assert caught.value.index == 1
        assert texts(ann) == []

    @pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * 201, "\ud83d"])
    def test_it_refuses_a_bad_message_id(self, name: str) -> None:
        with pytest.raises(InvalidIdentifier):
            filter_messages([said("好的", external_id=name)])

    def test_it_needs_a_scope(self) -> None:
        ann = make_relationship()

        with pytest.raises(ScopeMissing):
            receive(ann, filter_messages([said("早")]), now=NOW)

    def test_it_costs_four_statements_for_a_hundred_messages(self) -> None:
        ann = make_relationship()
        batch = [said(f"第{i}句", i, f"m-{i}") for i in range(100)]

        with CaptureQueriesContext(connection) as captured:
            post(ann, *batch)

        assert len(counted(captured)) == 4

    def test_it_gives_the_relationship_back_to_a_creator_who_writes(self) -> None:
        ann = make_relationship(custody="proxy_pool")

        post(ann, said("我是本人", by="creator"))

        again = make_relationship(
            user=ann.user_external_id,
            creator=ann.creator_external_id,
            persona=ann.persona_key,
        )
        assert again.custody == "creator_pool"


def counted(captured: Any) -> list[str]:
    """Leave out transaction control and SET LOCAL."""
    words = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK", "SET LOCAL")
    statements = [query["sql"] for query in captured.captured_queries]
    return [one for one in statements if not one.lstrip().startswith(words)]
