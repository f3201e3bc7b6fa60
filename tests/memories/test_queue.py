"""The queue that sessions are: deliveries that cross, workers that meet, sweeps."""

import logging
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Event
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from identity.models import GlobalUser, Relationship, UserFacet
from identity.types import RelationshipRef
from memories import claims, processing, sessions, tasks
from memories.errors import SessionFailed
from memories.intake import IncomingMessage, filter_messages, receive
from memories.models import ChatSession, Memory, Message
from memories.reading import Slice, list_memories
from memories.sessions import SWEEP_LIMIT
from memories.types import EndReason
from memories.writing import write_memories
from memsys.kernel.scope import Purpose, access_scope
from memsys.log_config import JsonFormatter
from tests.factories.identity import make_persona, make_relationship, make_user
from tests.factories.memories import make_session, settle_sessions
from tests.memories.test_writing import fact
from tests.parallel import run_parallel

START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
NOW = START + timedelta(hours=1)
LEASE = timedelta(minutes=6)


def say(relationship: RelationshipRef, text: str, at: datetime = START) -> None:
    message = IncomingMessage("user", text, at)
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        receive(relationship, filter_messages([message]), now=at)


def end(relationship: RelationshipRef, at: datetime = START) -> list[UUID]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        return sessions.end_sessions(relationship.id, now=at, reason=EndReason.CALLER)


def chat(relationship: RelationshipRef, text: str, at: datetime = START) -> UUID:
    say(relationship, text, at)
    (session_id,) = end(relationship, at)
    return session_id


def texts(relationship: RelationshipRef) -> list[str]:
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        views = list_memories(relationship.id, Slice(), now=timezone.now())
    return [view.text for view in views]


@pytest.mark.django_db
class TestCrossedDeliveries:
    def test_a_late_failure_leaves_the_session_to_the_next_worker(self) -> None:
        """Acceptance rows 63 and C26."""
        session_id = chat(make_relationship(), "我对芒果过敏")
        slow = claims.claim(session_id, now=NOW)
        next_one = claims.claim(session_id, now=NOW + LEASE)
        assert slow is not None
        assert next_one is not None

        status = claims.fail(slow, error_code="Late", now=NOW + LEASE)

        assert status == "lost"
        assert processing.process_claimed(next_one, now=NOW + LEASE) == "done"

    def test_a_second_delivery_leaves_the_session_to_the_first(self) -> None:
        """Acceptance row C26."""
        session_id = chat(make_relationship(), "我对芒果过敏")
        first = claims.claim(session_id, now=timezone.now())
        assert first is not None

        second = tasks.process(session_id=str(session_id))

        assert second == "not_waiting"
        assert processing.process_claimed(first, now=NOW) == "done"

    def test_a_failure_after_an_erasure_changes_nothing(self) -> None:
        """Acceptance row 24."""
        session_id = chat(make_relationship(), "我对芒果过敏")
        held = claims.claim(session_id, now=NOW)
        assert held is not None
        ChatSession.objects.filter(pk=session_id).update(status="cancelled_erased")

        status = claims.fail(held, error_code="Late", now=NOW)

        assert status == "lost"
        assert ChatSession.objects.get(pk=session_id).status == "cancelled_erased"


@pytest.mark.django_db
class TestFailures:
    def test_a_failed_session_waits_for_its_next_try(self) -> None:
        """Acceptance row 61, for the queue's own part."""
        session_id = chat(_with_time_zone("暗号/7731"), "我对芒果过敏")

        with pytest.raises(SessionFailed):
            tasks.process(session_id=str(session_id))

        row = ChatSession.objects.get(pk=session_id)
        assert (row.status, row.attempts) == ("pending", 1)
        assert row.error_code == "ZoneInfoNotFoundError"
        assert row.lease_until > timezone.now()

    def test_one_poison_job_holds_up_none_of_the_others(self, client: Client) -> None:
        """Acceptance row 61."""
        settle_sessions()
        poison = chat(_with_time_zone("暗号/7731"), "我对芒果过敏")
        good = [chat(make_relationship(), "我对芒果过敏") for _ in range(10)]

        for _ in range(settings.SESSION_MAX_ATTEMPTS):
            for session_id in (poison, *good):
                with suppress(SessionFailed):
                    tasks.process(session_id=str(session_id))
            # Its next try comes later; here it is later at once.
            ChatSession.objects.filter(pk=poison).update(lease_until=None)

        statuses = ChatSession.objects.filter(pk__in=good).values_list("status")
        told = client.get("/readyz").json()
        assert set(statuses) == {("done",)}
        assert ChatSession.objects.get(pk=poison).status == "dead"
        assert (told["status"], told["dead_sessions"]) == ("degraded", 1)
        assert (told["pending_sessions"], told["oldest_pending_seconds"]) == (0, 0)

    def test_no_log_quotes_what_an_error_says(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Acceptance row 21, for logs: errors quote rows, and their causes do."""
        session_id = chat(_with_time_zone("暗号/7731"), "我对芒果过敏")

        with caplog.at_level(logging.DEBUG):
            tasks.process.apply(kwargs={"session_id": str(session_id)})

        written = "\n".join(map(JsonFormatter().format, caplog.records))
        assert "session.failed" in written
        assert "celery.app.trace" in written
        assert "/7731" not in written


@pytest.mark.usefixtures("real_commits")
class TestWorkersThatMeet:
    def test_two_sessions_of_one_relationship_leave_one_open_value(self) -> None:
        ann = make_relationship()
        cities = ["北京", "上海", "广州", "成都", "西安", "杭州"]
        waiting = [
            chat(ann, f"我住在{city}", START + timedelta(hours=hour))
            for hour, city in enumerate(cities)
        ]

        outcomes = run_parallel(
            len(waiting), lambda n: tasks.process(session_id=str(waiting[n]))
        )

        assert outcomes == ["done"] * len(waiting)
        assert texts(ann) == ["我住在杭州"]

    def test_no_message_is_lost_while_sessions_end(self) -> None:
        """Acceptance row 62, for the border of two sessions."""
        ann = make_relationship()
        names = iter(range(1000))

        def talk(thread: int) -> None:
            for _ in range(8):
                if thread % 4 == 0:
                    for session_id in end(ann, timezone.now()):
                        tasks.process(session_id=str(session_id))
                else:
                    say(ann, f"我养了一只猫叫小{next(names)}号", timezone.now())

        run_parallel(8, talk)
        for session_id in end(ann, timezone.now()):
            tasks.process(session_id=str(session_id))

        with access_scope(Purpose.SERVICE, relationship=ann.id):
            said = set(Message.objects.filter(relationship_id=ann.id).values_list("id"))
            rows = Memory.objects.of(ann.id).current().values_list("evidence")
            told = {(one,) for (evidence,) in rows for one in evidence}
        assert len(said) == 48
        assert said == told

    def test_a_worker_whose_clock_is_behind_records_after_the_others(self) -> None:
        ann = make_relationship()
        early = fact("住成都", 5)
        with access_scope(Purpose.JOB, relationship=ann.id):
            write_memories(ann, [fact("住西安", 1)], now=NOW)

        with access_scope(Purpose.JOB, relationship=ann.id):
            write_memories(ann, [early], now=NOW - timedelta(seconds=3))

        with access_scope(Purpose.JOB, relationship=ann.id):
            rows = Memory.objects.of(ann.id).order_by("recorded_at", "id")
            recorded = [(row.recorded_at, row.recorded_to) for row in rows]
        assert recorded == [(NOW, NOW), (NOW, None), (NOW, None)]


@pytest.mark.django_db
@pytest.mark.slow
def test_the_sweep_ends_more_than_one_page() -> None:
    first = make_idle_sessions(SWEEP_LIMIT + 1)

    swept = tasks.sweep()

    assert swept["ended"] >= SWEEP_LIMIT + 1
    assert not ChatSession.objects.filter(global_user_id=first).open().exists()


@pytest.mark.usefixtures("real_commits")
def test_the_sweep_passes_over_a_session_that_is_locked() -> None:
    ann, ben = make_relationship(), make_relationship()
    make_session(ann, at=START - timedelta(days=1))
    make_session(ben, at=START)
    held, swept = Event(), Event()

    def hold() -> dict[str, int]:
        with transaction.atomic():
            ChatSession.objects.of(ann.id).select_for_update().get()
            held.set()
            swept.wait(timeout=20)
        return {}

    def sweep() -> dict[str, int]:
        held.wait(timeout=20)
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '300ms'")
        try:
            return tasks.sweep()
        finally:
            swept.set()

    _, result = run_parallel(2, lambda number: sweep() if number else hold())

    assert result["stuck"] == 1
    assert ChatSession.objects.of(ann.id).open().exists()
    assert not ChatSession.objects.of(ben.id).open().exists()


def _with_time_zone(name: str) -> RelationshipRef:
    """Make a relationship whose sessions fail, with an error that quotes a row."""
    ref = make_relationship()
    GlobalUser.objects.filter(pk=ref.user_id).update(time_zone=name)
    return ref


def make_idle_sessions(count: int) -> UUID:
    """Make as many relationships of one user, each with an idle session."""
    user, persona = make_user(), make_persona()
    facets = UserFacet.objects.bulk_create(
        UserFacet(global_user=user, key=f"facet-{number}") for number in range(count)
    )
    rows = Relationship.objects.bulk_create(
        Relationship(global_user=user, facet=facet, persona=persona) for facet in facets
    )
    ChatSession.objects.bulk_create(
        ChatSession(
            global_user=user,
            relationship=row,
            first_message_at=START,
            last_message_at=START,
            last_received_at=START,
        )
        for row in rows
    )
    return user.pk
