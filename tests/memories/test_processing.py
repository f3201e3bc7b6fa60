"""The job on a session: once, again, poisoned, interrupted, erased meanwhile."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from identity.models import Relationship
from identity.types import RelationshipRef
from memories import claims, personal_data, processing, tasks
from memories.errors import RelationshipMissing
from memories.evidence import ERASED_TEXT
from memories.intake import IncomingMessage, filter_messages, receive
from memories.models import ChatSession, Memory, Message
from memories.reading import MemoryView, Slice, list_memories
from memories.services import erase_memory
from memories.sessions import end_sessions
from memories.types import EndReason
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
NOW = datetime(2026, 11, 20, 13, 0, tzinfo=UTC)


def chat(
    relationship: RelationshipRef, *texts: str, by: str = "user", at: datetime = START
) -> UUID:
    """Post texts a minute apart, end the session and return its id."""
    messages = [
        IncomingMessage(by, text, at + timedelta(minutes=number))
        for number, text in enumerate(texts)
    ]
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        receive(relationship, filter_messages(messages), now=at)
        (session_id,) = end_sessions(
            relationship.id, now=at + timedelta(minutes=9), reason=EndReason.CALLER
        )
    return session_id


def memories(relationship: RelationshipRef) -> list[MemoryView]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        return list_memories(relationship.id, Slice(), now=NOW + timedelta(days=1))


def texts(relationship: RelationshipRef) -> str:
    return " ".join(memory.text for memory in memories(relationship))


def words(relationship: RelationshipRef) -> set[str]:
    """Return what the messages of a relationship say now."""
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        rows = Message.objects.filter(relationship_id=relationship.id)
        return set(rows.values_list("text", flat=True))


def run(session_id: UUID, now: datetime = NOW) -> str:
    return processing.process_session(session_id, now=now)


@pytest.mark.django_db
class TestOneSession:
    def test_it_remembers_what_the_user_said(self) -> None:
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏", "我养了一只猫叫团子", "哈哈")

        outcome = run(session_id)

        row = ChatSession.objects.get(pk=session_id)
        assert outcome == "done"
        assert "芒果" in texts(ann)
        assert "团子" in texts(ann)
        assert (row.status, row.memories_made) == ("done", len(memories(ann)))

    def test_it_does_not_take_the_persona_for_the_user(self) -> None:
        """Acceptance row 74."""
        ann = make_relationship()

        run(chat(ann, "我最爱下雨天", by="ai"))

        assert [m for m in memories(ann) if m.subject == "user"] == []

    def test_it_does_not_take_a_friend_for_the_user(self) -> None:
        """Acceptance row 73."""
        ann = make_relationship()

        run(chat(ann, "我朋友阿杰讨厌榴莲"))

        assert [m for m in memories(ann) if m.kind == "preference"] == []

    def test_it_counts_no_recalled_text_as_evidence(self) -> None:
        """Acceptance row 72."""
        ann = make_relationship()
        run(chat(ann, "我对花生过敏"))
        evidence = memories(ann)[0].evidence

        for day in range(1, 31):
            at = START + timedelta(days=day)
            run(chat(ann, "记得你对花生过敏", by="ai", at=at), at + timedelta(hours=2))

        (memory,) = memories(ann)
        assert memory.evidence == evidence

    @pytest.mark.parametrize(
        ("earlier", "later", "word", "gone"),
        [
            ("我最喜欢的球星是梅西", "我现在只喜欢C罗了", "C罗", "梅西"),
            ("我住在上海", "我搬到上海浦东了", "浦东", ""),
        ],
    )
    def test_it_replaces_what_changed(
        self, earlier: str, later: str, word: str, gone: str
    ) -> None:
        """Acceptance rows 27 and 31."""
        ann = make_relationship()
        run(chat(ann, earlier))

        at = START + timedelta(hours=5)
        run(chat(ann, later, at=at), at + timedelta(hours=1))

        (memory,) = memories(ann)
        assert word in memory.text
        assert not gone or gone not in memory.text

    def test_it_turns_a_dislike_into_a_liking(self) -> None:
        """Acceptance row 29."""
        ann = make_relationship()
        run(chat(ann, "我不喜欢吃香菜"))

        at = START + timedelta(hours=5)
        run(chat(ann, "我现在喜欢香菜了", at=at), at + timedelta(hours=1))

        (memory,) = memories(ann)
        assert (memory.polarity, memory.valid_from) == (1, at)

    def test_it_keeps_unrelated_facts_together(self) -> None:
        """Acceptance row 30."""
        ann = make_relationship()

        run(chat(ann, "我养了一只猫", "我怕狗", "我爱猫", "我在学吉他"))

        assert len([m for m in memories(ann) if m.kind != "event"]) == 4


@pytest.mark.django_db
class TestTheQueue:
    def test_it_changes_nothing_when_run_again(self) -> None:
        """Acceptance row 60."""
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏", "今天好累")
        run(session_id)
        before = memories(ann)

        outcome = run(session_id)

        assert outcome == "not_waiting"
        assert memories(ann) == before

    def test_it_lets_one_of_two_deliveries_work(self) -> None:
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏")

        held = [claims.claim(session_id, now=NOW) for _ in range(2)]

        assert [claim is not None for claim in held] == [True, False]

    def test_it_is_taken_again_after_the_lease(self) -> None:
        """Acceptance row 63."""
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏")
        claims.claim(session_id, now=NOW)

        blocked, taken = run(session_id), run(session_id, NOW + timedelta(minutes=6))

        assert (blocked, taken) == ("not_waiting", "done")
        assert len(memories(ann)) == 1

    def test_it_gives_up_a_session_that_kills_its_workers(self) -> None:
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏")
        late = NOW
        for _ in range(3):
            assert claims.claim(session_id, now=late) is not None
            late += timedelta(minutes=6)

        given_up = claims.give_up_exhausted(now=late)

        assert given_up == 1
        assert ChatSession.objects.get(pk=session_id).status == "dead"

    def test_it_gives_a_failed_session_back_and_later_up(self) -> None:
        """Acceptance row 61, for the queue's own part."""
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏")
        statuses = []
        moment = NOW

        for _ in range(3):
            held = claims.claim(session_id, now=moment)
            assert held is not None
            statuses.append(claims.fail(held, error_code="Poison", now=moment))
            moment += timedelta(hours=1)

        assert statuses == ["pending", "pending", "dead"]

    def test_it_writes_nothing_when_erased_meanwhile(self) -> None:
        """Acceptance row 24."""
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏")
        held = claims.claim(session_id, now=NOW)
        assert held is not None
        with access_scope(Purpose.SERVICE, relationship=ann.id):
            personal_data.erase(ann, by="service:t", reason_code="test", now=NOW)

        with access_scope(Purpose.JOB, relationship=ann.id):
            is_held = claims.is_held(held)

        assert not is_held
        assert ChatSession.objects.get(pk=session_id).status == "cancelled_erased"
        assert memories(ann) == []

    def test_it_erases_what_says_the_same_words(self) -> None:
        ann = make_relationship()
        run(chat(ann, "我喜欢苹果和香蕉"))
        first, *others = memories(ann)
        assert all(one.text == first.text for one in others)

        with access_scope(Purpose.SERVICE, relationship=ann.id):
            erase_memory(ann, first.id, by="service:t", reason_code="test", now=NOW)

        assert memories(ann) == []

    def test_it_masks_what_is_sent_again_after_its_erasure(self) -> None:
        """Acceptance row 21."""
        ann = make_relationship()
        run(chat(ann, "我在北京上班"))
        with access_scope(Purpose.SERVICE, relationship=ann.id):
            erase_memory(
                ann, memories(ann)[0].id, by="service:t", reason_code="test", now=NOW
            )

        run(chat(ann, "我在北京上班", at=START + timedelta(minutes=1)), NOW)

        assert words(ann) == {ERASED_TEXT}

    def test_it_masks_all_that_is_sent_again_after_an_erasure_of_all(self) -> None:
        ann = make_relationship()
        run(chat(ann, "今天天气不错", "我对芒果过敏"))
        with access_scope(Purpose.SERVICE, relationship=ann.id):
            personal_data.erase(ann, by="service:t", reason_code="test", now=NOW)

        run(chat(ann, "今天天气不错", "我对芒果过敏"), NOW + timedelta(minutes=1))

        assert words(ann) == {ERASED_TEXT}
        assert memories(ann) == []

    @pytest.mark.parametrize("status", ["paused", "restricted", "ended"])
    def test_it_writes_nothing_when_closed_meanwhile(self, status: str) -> None:
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏")
        Relationship.objects.filter(pk=ann.id).update(status=status)

        outcome = run(session_id)

        row = ChatSession.objects.get(pk=session_id)
        assert outcome == "closed"
        assert (row.status, row.error_code) == ("done", f"relationship-{status}")
        assert memories(ann) == []

    def test_it_does_not_bring_back_what_was_erased(self) -> None:
        """Acceptance row 19."""
        ann = make_relationship()
        run(chat(ann, "我在北京上班"))
        with access_scope(Purpose.SERVICE, relationship=ann.id):
            erase_memory(
                ann, memories(ann)[0].id, by="service:t", reason_code="test", now=NOW
            )

        session_id = chat(ann, "我在北京上班", at=START + timedelta(minutes=1))
        run(session_id, NOW + timedelta(hours=1))

        assert memories(ann) == []

    def test_it_erases_all_of_many(self) -> None:
        """Acceptance rows 14 and 15."""
        ann, ben = make_relationship(), make_relationship()
        run(chat(ben, "我对芒果过敏"))
        with access_scope(Purpose.JOB, relationship=ann.id):
            Memory.objects.bulk_create([_bare(ann, number) for number in range(1237)])

        with access_scope(Purpose.SERVICE, relationship=ann.id):
            counts = personal_data.erase(
                ann, by="service:t", reason_code="test", now=NOW
            )

        assert counts["memories"] == 1237
        assert memories(ann) == []
        assert len(memories(ben)) == 1

    @pytest.mark.parametrize("payload", [{}, {"session_id": ""}, {"session_id": None}])
    def test_it_refuses_a_job_that_names_nothing(self, payload: Any) -> None:
        """Acceptance row 7."""
        with pytest.raises(RelationshipMissing):
            tasks.process(**payload)


@pytest.mark.django_db
class TestTheSweep:
    def test_it_ends_what_is_idle_and_nothing_else(self) -> None:
        ann, ben = make_relationship(), make_relationship()
        for one, minutes in ((ann, 31), (ben, 29)):
            with access_scope(Purpose.SERVICE, relationship=one.id):
                receive(
                    one,
                    filter_messages([IncomingMessage("user", "早", START)]),
                    now=NOW - timedelta(minutes=minutes),
                )

        ended = [processing.end_idle_session(one.id, now=NOW) for one in (ann, ben)]

        assert ended == [1, 0]

    def test_it_finds_what_the_broker_lost(self) -> None:
        ann = make_relationship()
        session_id = chat(ann, "我对芒果过敏")

        waiting = claims.list_waiting(now=NOW)

        assert session_id in waiting


def _bare(relationship: RelationshipRef, number: int) -> Memory:
    from memsys.kernel.sharding.ids import bucket_of, new_id

    return Memory(
        global_user_id=relationship.user_id,
        relationship_id=relationship.id,
        lineage=new_id(bucket=bucket_of(relationship.id)),
        kind="note",
        dimension="other",
        text=f"第{number}件事",
        author="rules",
        stability_days=120.0,
        occurred_at=START,
        valid_from=START,
        recorded_at=START,
    )
