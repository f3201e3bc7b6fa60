"""Erasing: against messages that come in, clocks that differ, caches that fail."""

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memories import personal_data
from memories.claims import claim
from memories.intake import IncomingMessage, Receipt, filter_messages, receive
from memories.models import ChatSession, Message, MessageFingerprint
from memories.processing import process_claimed
from memories.reading import Slice, list_memories, list_timeline
from memories.services import erase_memory
from memories.sessions import end_sessions
from memories.types import EndReason
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope.staff import staff_role
from recall.services import ContextRequest, build_context
from tests.factories.identity import make_relationship
from tests.parallel import run_parallel

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SKEW = timedelta(minutes=4)


def post(
    relationship: RelationshipRef, *texts: str, at: datetime = NOW
) -> list[Receipt]:
    messages = [
        IncomingMessage("user", text, at + timedelta(seconds=number))
        for number, text in enumerate(texts)
    ]
    with service_scope(relationship):
        return receive(relationship, filter_messages(messages), now=at)


def end(relationship: RelationshipRef, at: datetime = NOW) -> UUID:
    with service_scope(relationship):
        (session_id,) = end_sessions(relationship.id, now=at, reason=EndReason.CALLER)
    return session_id


def process(session_id: UUID, at: datetime = NOW) -> str:
    held = claim(session_id, now=at)
    assert held is not None
    return process_claimed(held, now=at)


def remembered(relationship: RelationshipRef) -> dict[str, UUID]:
    with service_scope(relationship):
        views = list_memories(relationship.id, Slice(), now=NOW + timedelta(days=9))
    return {view.text: view.id for view in views}


def erase_one(relationship: RelationshipRef, text: str, at: datetime = NOW) -> None:
    memory_id = remembered(relationship)[text]
    with service_scope(relationship):
        erase_memory(relationship, memory_id, by="job:t", reason_code="test", now=at)


def erase_all(relationship: RelationshipRef, at: datetime = NOW) -> dict[str, int]:
    with service_scope(relationship):
        return personal_data.erase(relationship, by="job:t", reason_code="test", now=at)


@pytest.mark.usefixtures("real_commits")
class TestMessagesThatComeIn:
    def test_they_and_an_erasure_take_turns(self) -> None:
        """Acceptance row 24: no deadlock, and no fingerprint without its message."""
        ann = make_relationship()
        post(ann, *(f"第{number}句" for number in range(20)))

        def talk_or_erase(thread: int) -> None:
            for number in range(12):
                if thread == 0:
                    erase_all(ann, timezone.now())
                else:
                    post(ann, *(f"第{(number + n) % 20}句" for n in range(3)))
                    post(ann, f"{thread}说第{number}句")

        run_parallel(6, talk_or_erase)

        with service_scope(ann):
            of_it = {"relationship_id": ann.id}
            kept = set(Message.objects.filter(**of_it).values_list("id", flat=True))
            marked = MessageFingerprint.objects.filter(**of_it)
            assert set(marked.values_list("message_id", flat=True)) <= kept
            in_use = set(Message.objects.filter(**of_it).values_list("session_id"))
        erased = ChatSession.objects.of(ann.id).filter(status="cancelled_erased")
        assert in_use.isdisjoint(erased.values_list("id"))

    def test_an_erasure_while_a_job_thinks_wins(self) -> None:
        """Acceptance row 24."""
        ann = make_relationship()
        post(ann, "我对芒果过敏")
        session_id = end(ann)
        held = claim(session_id, now=NOW)
        assert held is not None

        erase_all(ann)
        outcome = process_claimed(held, now=NOW)

        assert outcome == "lost"
        assert remembered(ann) == {}
        assert ChatSession.objects.get(pk=session_id).status == "cancelled_erased"

    def test_erasures_and_jobs_take_turns(self) -> None:
        """Acceptance rows 19 and 24: no deadlock, and nothing of before is left."""
        ann = make_relationship()
        for hour in range(15):
            at = NOW + timedelta(hours=hour)
            post(ann, "我对芒果过敏", f"我养了一只猫叫小{hour}号", at=at)
            held = claim(end(ann, at), now=at)
            assert held is not None
            jobs = [
                partial(process_claimed, held, now=at),
                partial(erase_all, ann, at + timedelta(minutes=1)),
            ]

            outcome, _ = run_parallel(2, lambda number, jobs=jobs: jobs[number]())

            assert outcome in ("done", "lost")
            assert remembered(ann) == {}


@pytest.mark.django_db
class TestClocks:
    def test_a_replay_of_a_relationship_erased_stays_erased(self) -> None:
        """Acceptance row 19: a sender's clock may run some minutes ahead."""
        ann = make_relationship()
        post(ann, "我对花生过敏", at=NOW + SKEW)

        erase_all(ann, at=NOW)
        post(ann, "我对花生过敏", at=NOW + SKEW)
        process(end(ann, at=NOW + SKEW))

        assert remembered(ann) == {}


@pytest.mark.django_db
class TestWhatGoes:
    def test_it_leaves_what_another_memory_says_of_the_same_message(self) -> None:
        ann = make_relationship()
        post(ann, "我对花生过敏，养了一只猫叫团子")
        process(end(ann))

        erase_one(ann, "我对花生过敏")

        assert list(remembered(ann)) == ["养了一只猫叫团子"]
        with service_scope(ann):
            (message,) = Message.objects.filter(relationship_id=ann.id)
            timeline = list_timeline(ann.id, Slice())
        assert "花生" not in message.text + "".join(one.text for one in timeline)

    def test_its_audit_entry_tells_counts_and_no_words(self) -> None:
        """Acceptance rows 21 and C6."""
        ann = make_relationship()
        post(ann, "暗号-7731")
        process(end(ann))

        counts = erase_all(ann)

        with staff_role():
            entry = AuditEntry.objects.get(object_ref=f"relationship:{ann.id}")
        assert entry.action == "relationship.erased"
        assert counts["messages"] == 1
        assert "暗号" not in str(vars(entry))


@pytest.mark.usefixtures("real_commits")
class TestContextsThatAreBuilt:
    def test_none_that_begins_after_an_erasure_shows_what_was_erased(self) -> None:
        """Acceptance rows 16 and C6, with readers that put packs back meanwhile."""
        ann = make_relationship()
        post(ann, "我对芒果过敏")
        process(end(ann))

        def ask() -> str:
            fresh = get_relationship(ann.id)
            request = ContextRequest(query="芒果")
            with service_scope(fresh):
                return build_context(fresh, request, now=NOW).assembled.prompt

        def ask_or_erase(thread: int) -> str:
            if thread == 0:
                erase_one(ann, "我对芒果过敏")
                return ask()
            for _ in range(10):
                ask()
            return ""

        after = run_parallel(6, ask_or_erase)

        assert "芒果" not in "".join([*after, ask(), ask()])


@pytest.mark.usefixtures("real_commits")
def test_a_cache_that_fails_does_not_fail_the_erasure(settings: Any) -> None:
    ann = make_relationship()
    post(ann, "我对芒果过敏")
    settings.CONTENT_CACHES = ["tests.memories.test_erasure.broken_cache"]

    counts = erase_all(ann)

    assert counts["messages"] == 1


def broken_cache(relationship_id: UUID) -> None:
    """Stand for a cache whose client raises what nobody expects."""
    raise RuntimeError
