"""The model's part in a session: asked once, stored first, away for a while, or wrong."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from identity.resolution import get_relationship
from identity.types import RelationshipRef
from memories import attempts, breaker, claims, personal_data
from memories.consulting import consult
from memories.extraction.types import SessionMessage
from memories.models import ChatSession, Memory, Message, ModelAnswer, ModelAttempt
from memories.services import erase_memory
from memsys.chaos.model_server import ModelServer
from memsys.chaos.questions import Asked
from memsys.chaos.troubles import Trouble
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.valkey import get_valkey
from tests.factories.identity import make_relationship
from tests.factories.memories import content_of
from tests.memories.test_processing import NOW, chat, memories, run, texts

LONG = ("我对芒果过敏，千万别忘了", "我在成都做设计师", "最近老是加班到很晚才回家")
LEASE = timedelta(minutes=6)


def stated(asked: Asked, words: str, **fields: Any) -> dict[str, Any]:
    """State a fact about the user, quoted from the line that holds some words."""
    line = next(one for one in asked.lines if words in one["text"])
    return {
        "kind": "fact",
        "subject": "user",
        "about": "routine",
        "value": words,
        "polarity": 1,
        "quote": words,
        "text": line["text"],
        "messages": [line["n"]],
        "happened_on": None,
        "due_on": None,
        "importance": 0.5,
    } | fields


def finds_overtime(asked: Asked) -> Mapping[str, Any]:
    return {"facts": [stated(asked, "加班到很晚")], "rejected": []}


@pytest.fixture
def model(settings: Any) -> Iterator[ModelServer]:
    get_valkey().delete(breaker.FAILURES, breaker.PAUSE, breaker.PROBE)
    with ModelServer(answer=finds_overtime) as server:
        settings.LLM_BASE_URL = server.url
        settings.LLM_API_KEY = "key"
        settings.LLM_MODEL = "small-one"
        settings.LLM_TIMEOUT_SECONDS = 5
        settings.LLM_PRICE_INPUT = 2
        settings.LLM_PRICE_OUTPUT = 8
        yield server
    get_valkey().delete(breaker.FAILURES, breaker.PAUSE, breaker.PROBE)


def row_of(session_id: UUID) -> ChatSession:
    return ChatSession.objects.get(pk=session_id)


def statuses(session_id: UUID) -> list[str]:
    rows = ModelAttempt.objects.filter(session_id=session_id).order_by("number")
    return list(rows.values_list("status", flat=True))


def answers(relationship: RelationshipRef) -> list[str]:
    with content_of(relationship):
        rows = ModelAnswer.objects.filter(relationship_id=relationship.id)
        return list(rows.values_list("text", flat=True))


def messages_of(relationship: RelationshipRef) -> list[SessionMessage]:
    with content_of(relationship):
        rows = Message.objects.filter(relationship_id=relationship.id)
        return [
            SessionMessage(row.pk, row.author_kind, row.text, row.sent_at)
            for row in rows.order_by("sent_at", "id")
        ]


@pytest.mark.django_db
class TestOneAnswer:
    def test_it_makes_memories_of_the_model_and_the_rules(
        self, model: ModelServer
    ) -> None:
        ann = make_relationship()
        session_id = chat(ann, *LONG)

        outcome = run(session_id)

        assert (outcome, row_of(session_id).extraction) == ("done", "model")
        by = {m.author for m in memories(ann) if "加班" in m.text or "芒果" in m.text}
        assert by == {"model", "rules"}

    def test_it_asks_once_however_often_the_job_is_delivered(
        self, model: ModelServer
    ) -> None:
        """Acceptance row 66."""
        ann = make_relationship()
        session_id = chat(ann, *LONG)

        outcomes = [run(session_id) for _ in range(3)]

        assert outcomes == ["done", "not_waiting", "not_waiting"]
        assert (model.received, statuses(session_id)) == (1, ["answered"])

    def test_it_counts_what_the_call_cost(self, model: ModelServer) -> None:
        ann = make_relationship()
        session_id = chat(ann, *LONG)

        run(session_id)

        (row,) = ModelAttempt.objects.filter(session_id=session_id)
        assert row.input_tokens > 0
        assert row.cost_micros == 2 * row.input_tokens + 8 * row.output_tokens

    @pytest.mark.parametrize("said", [(), ("晚安",), ("嗯嗯", "好")])
    def test_it_asks_nothing_of_a_session_that_says_next_to_nothing(
        self, said: tuple[str, ...], model: ModelServer
    ) -> None:
        """Acceptance row 66."""
        ann = make_relationship()
        session_id = chat(ann, *said, "今天也要开心地过完这一天哦", by="ai")

        run(session_id)

        assert (model.received, statuses(session_id)) == (0, [])
        assert row_of(session_id).extraction == "rules"

    def test_it_stores_no_personal_data_that_the_model_makes_up(
        self, model: ModelServer
    ) -> None:
        model.answer = lambda asked: {
            "facts": [stated(asked, "加班到很晚", text="加班到很晚，电话13800138000")],
            "rejected": [],
        }
        ann = make_relationship()

        run(chat(ann, *LONG))

        assert "13800138000" not in " ".join([*answers(ann), texts(ann)])


@pytest.mark.django_db
class TestCrashes:
    def test_it_starts_from_the_stored_answer_after_a_crash(
        self, model: ModelServer
    ) -> None:
        """Acceptance row 63: the worker dies between the answer and the memories."""
        ann = make_relationship()
        session_id = chat(ann, *LONG)
        held = claims.claim(session_id, now=NOW)
        assert held is not None
        consult(ann, held, messages_of(ann), [], now=NOW)

        outcome = run(session_id, NOW + LEASE)

        assert (outcome, model.answered) == ("done", 1)
        assert "加班" in texts(ann)

    def test_it_tries_a_lost_call_once_more_and_no_more(
        self, model: ModelServer
    ) -> None:
        ann = make_relationship()
        session_id = chat(ann, *LONG)
        for number in (1, 2):
            moment = NOW + number * LEASE
            held = claims.claim(session_id, now=moment)
            assert held is not None
            standing = attempts.review(ann, held, now=moment)
            attempts.begin(ann, held, number=standing.number + 1, now=moment)

        outcome = run(session_id, NOW + 3 * LEASE)

        assert (outcome, model.received) == ("done", 0)
        assert statuses(session_id) == ["unknown", "unknown"]
        assert row_of(session_id).extraction == "fallback"
        assert "芒果" in texts(ann)


@pytest.mark.django_db
class TestOutages:
    @pytest.mark.parametrize(
        "trouble", [Trouble.BROKEN, Trouble.BUSY, Trouble.CLOSED, Trouble.UNAUTHORIZED]
    )
    def test_the_rules_answer_until_the_model_is_back(
        self, trouble: Trouble, model: ModelServer
    ) -> None:
        """Acceptance row 62."""
        model.misbehave(trouble)
        ann = make_relationship()
        session_id = chat(ann, *LONG)

        outcome = run(session_id)

        row = row_of(session_id)
        assert (outcome, row.status, row.extraction) == (
            "waiting", "pending", "provisional",
        )  # fmt: skip
        assert row.attempts == 0
        assert "芒果" in texts(ann)

        outcome = run(session_id, NOW + timedelta(hours=1))

        assert (outcome, row_of(session_id).extraction) == ("done", "model")
        assert statuses(session_id) == ["unreachable", "answered"]
        assert len([m for m in memories(ann) if "芒果" in m.text]) == 1

    def test_an_hour_of_it_uses_up_nothing(self, model: ModelServer) -> None:
        """Acceptance row 62."""
        model.trouble_for = lambda number: Trouble.BROKEN
        ann = make_relationship()
        session_id = chat(ann, *LONG)

        for minutes in range(0, 60, 12):
            get_valkey().delete(breaker.PAUSE, breaker.PROBE)
            run(session_id, NOW + timedelta(minutes=minutes))
        model.trouble_for = lambda number: None
        get_valkey().delete(breaker.PAUSE, breaker.PROBE)
        outcome = run(session_id, NOW + timedelta(hours=2))

        assert (outcome, model.answered) == ("done", 1)
        assert set(statuses(session_id)[:-1]) == {"unreachable"}

    def test_a_provisional_memory_that_the_model_rejects_is_taken_back(
        self, model: ModelServer
    ) -> None:
        def rejects_mango(asked: Asked) -> Mapping[str, Any]:
            wrong = [one["c"] for one in asked.candidates if "芒果" in one["text"]]
            return {"facts": [], "rejected": wrong}

        model.answer = rejects_mango
        model.misbehave(Trouble.BROKEN)
        ann = make_relationship()
        session_id = chat(ann, *LONG)
        run(session_id)
        before = texts(ann)

        run(session_id, NOW + timedelta(hours=1))

        assert "芒果" in before
        assert "芒果" not in texts(ann)
        assert "设计师" in texts(ann)

    def test_the_breaker_spares_a_model_that_is_away(self, model: ModelServer) -> None:
        model.trouble_for = lambda number: Trouble.BROKEN
        relationships = [make_relationship() for _ in range(5)]

        outcomes = [run(chat(one, *LONG)) for one in relationships]

        assert outcomes == ["waiting"] * 5
        assert model.received == breaker.FAILURES_TO_OPEN

    def test_after_a_pause_one_call_finds_out(self, model: ModelServer) -> None:
        for _ in range(breaker.FAILURES_TO_OPEN):
            breaker.note_failure()
        get_valkey().delete(breaker.PAUSE)

        waits = [breaker.find_pause(call_seconds=9) for _ in range(3)]
        breaker.note_answer()

        assert [wait is None for wait in waits] == [True, False, False]
        assert breaker.find_pause(call_seconds=9) is None


@pytest.mark.django_db
class TestAnswersThatAreNone:
    @pytest.mark.parametrize(
        "trouble",
        [Trouble.ERROR_TEXT, Trouble.EMPTY, Trouble.HALF_JSON, Trouble.HTML],
    )
    def test_nothing_of_it_is_stored_and_it_is_asked_again(
        self, trouble: Trouble, model: ModelServer
    ) -> None:
        """Acceptance row 65."""
        model.misbehave(trouble)
        ann = make_relationship()
        session_id = chat(ann, *LONG)

        run(session_id)

        assert (row_of(session_id).status, answers(ann)) == ("pending", [])
        assert {m.author for m in memories(ann)} == {"rules"}
        assert run(session_id, NOW + timedelta(hours=1)) == "done"

    def test_after_three_the_rules_stand_and_it_says_so(
        self, model: ModelServer
    ) -> None:
        model.misbehave(Trouble.WRONG_SCHEMA, times=3)
        ann = make_relationship()
        session_id = chat(ann, *LONG)

        outcomes = [run(session_id, NOW + timedelta(hours=hour)) for hour in range(4)]

        row = row_of(session_id)
        assert outcomes == ["waiting", "waiting", "done", "not_waiting"]
        assert (row.status, row.extraction) == ("done", "fallback")
        assert row.error_code == "wrong-schema"
        assert model.received == 3


@pytest.mark.django_db
class TestErasures:
    def test_what_was_erased_is_not_made_again_from_the_answer(
        self, model: ModelServer
    ) -> None:
        """Acceptance row 19."""
        ann = make_relationship()
        session_id = chat(ann, *LONG)
        run(session_id)
        (memory,) = [m for m in memories(ann) if "加班" in m.text]
        with access_scope(Purpose.SERVICE, relationship=ann.id):
            erase_memory(ann, memory.id, by="job:t", reason_code="asked", now=NOW)
        ChatSession.objects.filter(pk=session_id).update(status="pending", attempts=0)

        outcome = run(session_id, NOW + timedelta(hours=1))

        assert (outcome, answers(ann), model.received) == ("done", [""], 1)
        assert "加班" not in texts(ann)


def test_an_erasure_while_the_model_thinks_wins(
    model: ModelServer, real_commits: None
) -> None:
    """Acceptance row 24."""
    ann = make_relationship()
    session_id = chat(ann, *LONG)

    def erases(asked: Asked) -> Mapping[str, Any]:
        erase_everything(ann)
        return finds_overtime(asked)

    model.answer = erases

    outcome = run(session_id)

    assert (outcome, row_of(session_id).status) == ("lost", "cancelled_erased")
    assert (answers(ann), statuses(session_id)) == ([], ["unknown"])
    with content_of(ann):
        assert not Memory.objects.of(ann.id).exists()


def erase_everything(ann: RelationshipRef, now: datetime = NOW) -> None:
    """Erase a relationship from the model server's own thread."""
    from django.db import connection

    current = get_relationship(ann.id)
    with access_scope(Purpose.SERVICE, relationship=ann.id):
        personal_data.erase(current, by="job:t", reason_code="asked", now=now)
    connection.close()
