"""The work of the night, on the database: what changes, and what never does."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from celery import current_app
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from identity.models import Relationship
from identity.resolution import get_relationship
from identity.types import RelationshipRef
from identity.versions import list_due_consolidations
from memories import tasks
from memories.consolidation import Consolidated, consolidate
from memories.decay import fades_at
from memories.enqueue import PRIORITY
from memories.errors import RelationshipMissing
from memories.models import Memory
from memories.personal_data import export_sections
from memories.reading import MemoryView, Slice, list_memories, list_timeline
from memories.services import erase_memory
from memsys.kernel.exporting import ExportSubject
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.valkey import get_valkey
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory, make_message, make_session
from tests.memories.test_writing import fact, write
from tests.parallel import run_parallel

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def remember(
    ann: RelationshipRef, text: str, days_ago: float = 10.0, **fields: Any
) -> Memory:
    at = NOW - timedelta(days=days_ago)
    return make_memory(ann, text, **{"occurred_at": at} | fields)


def say_in_sessions(ann: RelationshipRef, *days_ago: int) -> dict[str, list[Any]]:
    """Say something in a session a day; return it as evidence, oldest first."""
    messages = []
    for days in days_ago:
        at = NOW - timedelta(days=days)
        session = make_session(ann, at=at, status="done", ended_at=at)
        messages.append(make_message(ann, "又说了", session=session, sent_at=at))
    return {
        "evidence": [one.pk for one in messages],
        "evidence_at": [one.sent_at for one in messages],
    }


def run(ann: RelationshipRef, now: datetime = NOW) -> Consolidated:
    return consolidate(ann.id, now=now)


def rows_of(ann: RelationshipRef) -> dict[str, Memory]:
    with access_scope(Purpose.JOB, relationship=ann.id):
        rows = Memory.objects.of(ann.id).current()
        return {row.text: row for row in rows.defer("embedding")}


def unarchived(ann: RelationshipRef) -> set[str]:
    return {text for text, row in rows_of(ann).items() if row.status != "archived"}


def timeline(ann: RelationshipRef, **wanted: Any) -> list[MemoryView]:
    with access_scope(Purpose.JOB, relationship=ann.id):
        return list_timeline(ann.id, Slice(limit=500, **wanted))


def version(ann: RelationshipRef) -> int:
    return get_relationship(ann.id).memory_version


def waits_until(ann: RelationshipRef) -> datetime | None:
    moment: datetime | None = Relationship.objects.get(pk=ann.id).consolidate_at
    return moment


@pytest.mark.django_db
class TestPromoting:
    def test_a_fact_of_three_sessions_becomes_semantic(self) -> None:
        ann = make_relationship()
        often = say_in_sessions(ann, 300, 200, 9)
        remember(ann, "养了一只猫", kind="fact", **often)
        remember(ann, "学了吉他", kind="fact", **say_in_sessions(ann, 8, 7))

        done = run(ann)

        assert done.promoted == 1
        assert {text: row.tier for text, row in rows_of(ann).items()} == {
            "养了一只猫": "semantic",
            "学了吉他": "episodic",
        }

    def test_said_thrice_in_one_session_it_stays_episodic(self) -> None:
        ann = make_relationship()
        session = make_session(ann, at=NOW)
        said = [make_message(ann, "又说了", session=session) for _ in range(3)]
        remember(
            ann,
            "养了一只猫",
            kind="fact",
            evidence=[one.pk for one in said],
            evidence_at=[one.sent_at for one in said],
        )

        assert run(ann).promoted == 0

    def test_it_makes_no_version_and_changes_nothing_but_the_tier(self) -> None:
        """Acceptance row 41."""
        ann = make_relationship()
        remember(ann, "养了一只猫", kind="fact", **say_in_sessions(ann, 30, 20, 9))
        (before,) = timeline(ann)

        run(ann)

        (after,) = timeline(ann)
        assert vars(after) == vars(before) | {"tier": "semantic"}


@pytest.mark.django_db
class TestMerging:
    def twice(self, ann: RelationshipRef, **fields: Any) -> list[Memory]:
        """Make the same event twice, in one session unless told otherwise."""
        session = make_session(ann, at=NOW, status="done", ended_at=NOW)
        given = {"kind": "event", "key": "", "source_session": session} | fields
        return [
            remember(ann, "去看了海", 9 - number, evidence=[uuid4()],
                     evidence_at=[NOW - (9 - number) * DAY], uses=number, **given)
            for number in range(2)
        ]  # fmt: skip

    def test_repeats_of_one_session_become_one(self) -> None:
        """Acceptance row 60."""
        ann = make_relationship()
        first, second = self.twice(ann)

        done = run(ann)

        (left,) = timeline(ann)
        assert done.merged == 1
        assert left.id == first.lineage
        assert left.evidence == (*first.evidence, *second.evidence)
        assert rows_of(ann)["去看了海"].uses == 1

    def test_what_was_known_before_a_merge_stays_known(self) -> None:
        ann = make_relationship()
        self.twice(ann)

        run(ann)

        assert len(timeline(ann, known_at=NOW - DAY)) == 2

    @pytest.mark.parametrize(
        "fields",
        [{"source_session": None}, {"status": "restricted"}, {"corrected_at": NOW}],
    )
    def test_what_only_looks_alike_stays_apart(self, fields: dict[str, Any]) -> None:
        ann = make_relationship()
        self.twice(ann, **fields)

        assert run(ann).merged == 0

    def test_the_same_words_of_two_sessions_stay_apart(self) -> None:
        ann = make_relationship()
        for days in (1, 2):
            at = NOW - days * DAY
            session = make_session(ann, at=at, status="done", ended_at=at)
            remember(ann, "去看了海", kind="event", key="", source_session=session)

        assert run(ann).merged == 0

    def test_neighbours_in_a_slot_that_say_the_same_become_one(self) -> None:
        ann = make_relationship()
        slot = {"kind": "fact", "dimension": "identity", "key": "city"}
        moved = NOW - 5 * DAY
        older = remember(ann, "住成都", 9, **slot, value="成都", valid_to=moved,
                         status="superseded")  # fmt: skip
        remember(ann, "住在成都", 5, **slot, value="成都")

        done = run(ann)

        (left,) = timeline(ann)
        assert done.merged == 1
        assert (left.id, left.valid_to) == (older.lineage, None)


@pytest.mark.django_db
class TestArchiving:
    def test_it_archives_what_is_forgotten_and_loses_nothing(self) -> None:
        ann = make_relationship()
        old = [remember(ann, f"第{n}件小事", 900, stability_days=120) for n in range(3)]
        remember(ann, "昨天的事", 1)
        before = timeline(ann)

        done = run(ann)

        assert done.archived == 3
        assert unarchived(ann) == {"昨天的事"}
        assert timeline(ann) == before
        subject = ExportSubject(ann.user_id, (ann.id,), True, until=timezone.now())
        assert len(list(export_sections(subject)[0].rows())) == 4
        with access_scope(Purpose.JOB, relationship=ann.id):
            known = list_memories(ann.id, Slice(valid_at=NOW - 800 * DAY), now=NOW)
        assert {one.id for one in known} == {one.lineage for one in old}

    def test_it_keeps_the_strongest_of_too_many(self, settings: Any) -> None:
        """Acceptance row 43: identity, taboos and open commitments go last."""
        settings.MEMORY_CAP = 5
        ann = make_relationship()
        weak = {"stability_days": 1.0}
        remember(ann, "我叫阿澈", 900, kind="fact", dimension="identity", **weak)
        remember(ann, "别提前女友", 900, kind="taboo", **weak)
        remember(ann, "周五连麦", 900, kind="commitment", due_at=NOW + DAY, **weak)
        for number in range(8):
            remember(ann, f"第{number}件小事", number)

        done = run(ann)

        assert done.archived == 6
        assert unarchived(ann) == {
            "我叫阿澈", "别提前女友", "周五连麦", "第0件小事", "第1件小事",
        }  # fmt: skip
        assert len(timeline(ann)) == 11

    def test_what_is_archived_comes_back_when_there_is_room(
        self, settings: Any
    ) -> None:
        settings.MEMORY_CAP = 2
        ann = make_relationship()
        first, *_ = [remember(ann, f"第{number}件小事", number) for number in range(3)]
        run(ann)
        with access_scope(Purpose.JOB, relationship=ann.id):
            erase_memory(ann, first.lineage, by="job:t", reason_code="test", now=NOW)

        done = run(ann)

        assert (done.archived, done.restored) == (0, 1)
        assert unarchived(ann) == {"第1件小事", "第2件小事"}

    def test_it_leaves_what_is_cached_alone(self) -> None:
        ann = make_relationship()
        remember(ann, "一件小事", 900, stability_days=120)
        before = version(ann)

        run(ann)

        assert version(ann) == before

    def test_it_takes_no_more_statements_for_more_memories(self) -> None:
        counts = []
        for count in (2, 60):
            ann = make_relationship()
            for number in range(count):
                remember(ann, f"第{number}件小事", 900, stability_days=120)
            with CaptureQueriesContext(connection) as captured:
                assert run(ann).archived == count
            counts.append(len(captured))

        assert counts[0] == counts[1] <= 20


@pytest.mark.django_db
class TestRunningAgain:
    def make_work(self) -> RelationshipRef:
        """Make a relationship with something of each kind to do."""
        ann = make_relationship()
        remember(ann, "养了一只猫", kind="fact", **say_in_sessions(ann, 30, 20, 9))
        remember(ann, "一件小事", 900, stability_days=120)
        session = make_session(ann, at=NOW, status="done", ended_at=NOW)
        for _ in range(2):
            remember(ann, "去看了海", kind="event", key="", source_session=session)
        return ann

    def test_a_second_run_finds_nothing(self) -> None:
        """Acceptance row C26."""
        ann = self.make_work()

        first, second = run(ann), run(ann)

        assert first == Consolidated(merged=1, promoted=1, archived=1)
        assert second == Consolidated()

    def test_it_raises_the_version_once(self) -> None:
        ann = self.make_work()
        before = version(ann)

        run(ann)
        run(ann)

        assert version(ann) == before + 1

    def test_a_dry_run_tells_the_same_and_does_nothing(self) -> None:
        ann = self.make_work()
        Relationship.objects.filter(pk=ann.id).update(consolidate_at=NOW)
        before = vars_of(ann)

        told = consolidate(ann.id, now=NOW, is_dry=True)

        assert vars_of(ann) == before
        assert waits_until(ann) == NOW
        assert told == run(ann)


def vars_of(ann: RelationshipRef) -> list[dict[str, Any]]:
    """Return all rows of a relationship, closed versions included."""
    with access_scope(Purpose.JOB, relationship=ann.id):
        rows = Memory.objects.of(ann.id).order_by("id").defer("embedding", "tokens")
        return [{k: v for k, v in vars(row).items() if k != "_state"} for row in rows]


@pytest.mark.usefixtures("real_commits")
def test_runs_and_writers_take_turns() -> None:
    """Acceptance row C26: run at once with others, it ends in the same state."""
    ann = make_relationship()
    for number in range(20):
        remember(ann, f"第{number}件小事", 900, stability_days=120)
    remember(ann, "养了一只猫", kind="fact", **say_in_sessions(ann, 30, 20, 9))

    def run_or_write(thread: int) -> Consolidated:
        if thread == 0:
            for day in range(5):
                write(ann, fact(f"住{day}", day), now=NOW)
        return run(ann)

    done = run_parallel(4, run_or_write)

    assert sum(one.archived for one in done) == 20
    assert sum(one.promoted for one in done) == 1
    assert run(ann) == Consolidated()


@pytest.fixture
def quiet_night(db: None) -> None:
    """Nobody else's memories wait: what other tests commit stays."""
    Relationship.objects.update(consolidate_at=None)


@pytest.mark.usefixtures("quiet_night")
class TestWhenThereIsWork:
    def test_a_write_asks_for_the_night_in_the_statement_of_the_version(self) -> None:
        ann = make_relationship()
        assert waits_until(ann) is None

        with CaptureQueriesContext(connection) as captured:
            write(ann, fact("住成都", 1), now=NOW)

        touching = [
            one["sql"]
            for one in captured
            if one["sql"].startswith('UPDATE "identity_relationship"')
        ]
        assert waits_until(ann) == NOW
        assert len(touching) == 1

    def test_a_later_write_does_not_put_it_off(self) -> None:
        ann = make_relationship()
        write(ann, fact("住成都", 1), now=NOW)

        write(ann, fact("住西安", 2), now=NOW + DAY)

        assert waits_until(ann) == NOW

    def test_afterwards_it_waits_until_something_fades(self) -> None:
        ann = make_relationship()
        soon = remember(ann, "一件小事", 100, stability_days=120)
        remember(ann, "一件大事", 100, stability_days=400)

        run(ann)

        next_at = fades_at(t0=soon.occurred_at, stability_days=120)
        assert waits_until(ann) == next_at
        assert run(ann, now=next_at - timedelta(seconds=1)).archived == 0
        assert run(ann, now=next_at).archived == 1

    def test_nothing_that_fades_is_no_work(self) -> None:
        ann = make_relationship()
        remember(ann, "别提前女友", kind="taboo")

        run(ann)

        assert waits_until(ann) is None

    def test_due_ones_are_listed_page_by_page(self) -> None:
        due = [make_relationship(consolidate_at=NOW - n * DAY) for n in (1, 1, 5)]
        make_relationship(consolidate_at=NOW + DAY)
        make_relationship()

        page = list_due_consolidations(now=NOW, limit=2)
        rest = list_due_consolidations(now=NOW, limit=2, after=page[-1])

        listed = [one for _, one in (*page, *rest)]
        assert listed == [due[2].id, *sorted((due[0].id, due[1].id))]


@pytest.fixture
def broker() -> Iterator[None]:
    """Put the broker's address back when the test has changed it."""
    known = current_app.conf.broker_url
    yield
    current_app.conf.broker_url = known


@pytest.mark.usefixtures("broker", "quiet_night")
class TestJobs:
    def test_the_sweep_sends_one_job_for_each_and_takes_it_once(self) -> None:
        due = [make_relationship(consolidate_at=timezone.now()) for _ in range(3)]

        sent = [tasks.sweep_consolidation(), tasks.sweep_consolidation()]

        bodies = b"".join(get_valkey().lrange(f"celery\x06\x16{PRIORITY}", 0, 2))
        assert sent == [3, 0]
        assert all(str(ann.id).encode() in bodies for ann in due)

    def test_what_the_broker_does_not_take_is_found_again(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Acceptance row C27."""
        ann = make_relationship(consolidate_at=timezone.now())
        current_app.conf.broker_url = "redis://127.0.0.1:1/0"

        with caplog.at_level(logging.CRITICAL):
            assert tasks.sweep_consolidation() == 0

        waiting = waits_until(ann)
        assert waiting is not None
        assert timezone.now() < waiting < timezone.now() + 2 * tasks.CONSOLIDATION_RETRY

    def test_the_job_does_the_work_and_tells_counts(self) -> None:
        ann = make_relationship()
        at = timezone.now() - 900 * DAY
        make_memory(ann, "一件小事", occurred_at=at, stability_days=120)

        done = tasks.consolidate_one(relationship_id=str(ann.id))

        assert done == {"merged": 0, "promoted": 0, "archived": 1, "restored": 0}

    @pytest.mark.parametrize("payload", ["", "  ", "default", str(UUID(int=7))])
    def test_a_job_without_a_relationship_is_refused(self, payload: str) -> None:
        """Acceptance row 7."""
        with pytest.raises(RelationshipMissing):
            tasks.consolidate_one(relationship_id=payload)
