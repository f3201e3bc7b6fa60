"""Uses: on their way from a context to the row, and what they make of it."""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from identity.models import Relationship
from identity.resolution import get_relationship
from identity.scopes import job_scope, service_scope
from identity.types import RelationshipRef
from memories import tasks, uses
from memories.decay import is_faded, stability_days
from memories.models import Memory
from memories.uses import UseBuffer, fold_uses, get_buffer, take_uses
from memsys.kernel.valkey import get_valkey
from recall.services import ContextRequest, build_context, search
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory
from tests.parallel import run_parallel
from tests.round_trips import CountedTrips

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ANN, BEN = UUID(int=1), UUID(int=2)
CAT, SEA = UUID(int=11), UUID(int=12)


@pytest.fixture(autouse=True)
def empty_list(valkey_server: Any) -> Iterator[None]:
    """Begin with nothing noted, in this process and in Valkey."""
    get_buffer().flush()
    get_valkey().delete(uses.KEY)
    yield
    get_valkey().delete(uses.KEY)


def make_buffer(**fields: Any) -> UseBuffer:
    """Make a buffer that sends only when it is told to."""
    return UseBuffer(**{"flush_seconds": 3600.0} | fields)


class TestTheWay:
    def test_it_counts_each_use_once(self) -> None:
        buffer = make_buffer()
        for _ in range(3):
            buffer.note(ANN, [CAT, SEA])
        buffer.note(BEN, [CAT])

        sent = buffer.flush()

        assert sent == 4
        assert take_uses() == {ANN: Counter({CAT: 3, SEA: 3}), BEN: Counter({CAT: 1})}
        assert take_uses() == {}

    def test_noting_never_asks_valkey_and_a_flush_asks_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        buffer = make_buffer()

        with CountedTrips(monkeypatch) as noting:
            for _ in range(50):
                buffer.note(ANN, [CAT])
        with CountedTrips(monkeypatch) as flushing:
            buffer.flush()

        assert (noting.count, flushing.count) == (0, 1)

    def test_its_thread_sends_what_has_gathered(self) -> None:
        buffer = UseBuffer(flush_seconds=0.01)

        buffer.note(ANN, [CAT])

        deadline = time.monotonic() + 10
        while not get_valkey().llen(uses.KEY) and time.monotonic() < deadline:
            time.sleep(0.01)
        buffer.close()
        assert take_uses() == {ANN: Counter({CAT: 1})}

    def test_it_drops_what_does_not_fit_and_says_so(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        buffer = make_buffer(size=2)
        for _ in range(5):
            buffer.note(ANN, [CAT])

        sent = buffer.flush()

        assert sent == 2
        (told,) = [one for one in caplog.records if one.message == "uses.dropped"]
        assert vars(told)["contexts"] == 3

    def test_it_drops_what_meets_a_valkey_that_is_away(self, settings: Any) -> None:
        buffer = make_buffer()
        settings.VALKEY_URL = "redis://127.0.0.1:1"
        get_valkey.cache_clear()

        try:
            buffer.note(ANN, [CAT])
            sent, taken = buffer.flush(), take_uses()
        finally:
            get_valkey.cache_clear()

        assert (sent, taken) == (0, {})
        assert buffer.flush() == 0

    def test_the_list_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        buffer = make_buffer()
        get_valkey().rpush(uses.KEY, *([b"old"] * uses.MAX_KEPT))

        buffer.note(ANN, [CAT])
        buffer.flush()

        assert get_valkey().llen(uses.KEY) == uses.MAX_KEPT
        assert get_valkey().lindex(uses.KEY, -1) == ANN.bytes + CAT.bytes

    def test_threads_at_once_lose_and_double_nothing(self) -> None:
        buffer = make_buffer()

        def note_or_flush(thread: int) -> None:
            for _ in range(200):
                buffer.note(ANN, [CAT])
                if thread == 0:
                    buffer.flush()

        run_parallel(4, note_or_flush)
        buffer.flush()

        assert take_uses(limit=10_000) == {ANN: Counter({CAT: 800})}

    def test_a_process_sends_what_it_has_when_it_ends(self) -> None:
        code = (
            "import django; django.setup();"
            "from uuid import UUID; from memories.uses import note_uses;"
            f"note_uses(UUID(int={ANN.int}), [UUID(int={CAT.int})])"
        )

        subprocess.run([sys.executable, "-c", code], env=os.environ, check=True)

        assert take_uses() == {ANN: Counter({CAT: 1})}


def row_of(ann: RelationshipRef, lineage: UUID) -> Memory:
    with job_scope(ann):
        rows = Memory.objects.of(ann.id).current().defer("embedding", "tokens")
        return rows.get(lineage=lineage)


@pytest.mark.django_db
class TestStrength:
    @pytest.mark.parametrize("importance", [0.0, 0.3, 1.0])
    @pytest.mark.parametrize(("used", "more"), [(0, 1), (0, 40), (7, 1), (500, 500)])
    def test_a_used_memory_lasts_as_long_as_its_uses_say(
        self, importance: float, used: int, more: int
    ) -> None:
        ann = make_relationship()
        before = stability_days(importance=importance, uses=used)
        memory = make_memory(
            ann, "去看海", importance=importance, uses=used, stability_days=before
        )

        fold_uses(ann.id, {memory.lineage: more}, now=NOW)

        row = row_of(ann, memory.lineage)
        assert row.uses == used + more
        assert row.stability_days == pytest.approx(
            stability_days(importance=importance, uses=used + more)
        )
        assert row.stability_days > before

    def test_no_use_makes_a_memory_weaker(self) -> None:
        """A stronger memory never decays faster."""
        ann = make_relationship()
        memory = make_memory(ann, "去看海", importance=0.0, stability_days=900.0)

        fold_uses(ann.id, {memory.lineage: 1}, now=NOW)

        row = row_of(ann, memory.lineage)
        asked = {"now": NOW + timedelta(days=2000), "t0": NOW}
        assert row.stability_days == 900.0
        assert not is_faded(**asked, stability_days=row.stability_days)

    def test_it_takes_one_statement_and_raises_the_version_once(self) -> None:
        ann = make_relationship()
        counts = {make_memory(ann, f"第{n}件").lineage: n + 1 for n in range(30)}
        before = get_relationship(ann.id).memory_version

        with CaptureQueriesContext(connection) as captured:
            found = fold_uses(ann.id, counts, now=NOW)

        changing = [one for one in captured if "SET uses" in one["sql"]]
        assert found == 30
        assert len(changing) == 1
        assert get_relationship(ann.id).memory_version == before + 1

    def test_it_asks_for_no_work_of_the_night(self) -> None:
        ann = make_relationship()
        memory = make_memory(ann, "去看海")

        fold_uses(ann.id, {memory.lineage: 1}, now=NOW)

        assert Relationship.objects.get(pk=ann.id).consolidate_at is None

    def test_uses_of_what_is_gone_or_of_others_change_nothing(self) -> None:
        """Acceptance row 2, for feedback."""
        ann, chloe = make_relationship(), make_relationship()
        hers = make_memory(chloe, "去看海")
        before = get_relationship(ann.id).memory_version

        found = fold_uses(ann.id, {uuid4(): 3, hers.lineage: 3}, now=NOW)

        assert found == 0
        assert row_of(chloe, hers.lineage).uses == 0
        assert get_relationship(ann.id).memory_version == before

    def test_two_folders_at_once_count_each_use_once(self) -> None:
        """Acceptance row C26: what one takes the other does not find."""
        ann = make_relationship()
        memory = make_memory(ann, "去看海")
        buffer = make_buffer()
        for _ in range(5):
            buffer.note(ann.id, [memory.lineage])
        buffer.flush()

        folded = [tasks.fold_noted_uses(), tasks.fold_noted_uses()]

        assert folded == [1, 0]
        assert row_of(ann, memory.lineage).uses == 5


@pytest.mark.django_db
class TestContexts:
    def ask(self, ann: RelationshipRef, **wanted: Any) -> None:
        request = ContextRequest(query="看海", **wanted)
        with service_scope(ann):
            build_context(get_relationship(ann.id), request, now=NOW)

    def noted(self, ann: RelationshipRef) -> dict[UUID, int]:
        get_buffer().flush()
        return dict(take_uses().get(ann.id, {}))

    def test_a_context_uses_what_is_in_its_prompt(self) -> None:
        ann = make_relationship()
        day_before = NOW - timedelta(days=1)
        sea = make_memory(ann, "去看海", occurred_at=day_before)
        make_memory(ann, "学吉他", occurred_at=day_before)

        self.ask(ann)
        self.ask(ann)

        assert self.noted(ann) == {sea.lineage: 2}

    def test_a_question_about_the_past_and_a_search_use_nothing(self) -> None:
        ann = make_relationship()
        make_memory(ann, "去看海", occurred_at=NOW - timedelta(days=9))

        self.ask(ann, valid_at=NOW - timedelta(days=1))
        self.ask(ann, known_at=NOW - timedelta(days=1))
        with service_scope(ann):
            request = ContextRequest(query="看海")
            search(get_relationship(ann.id), request, now=NOW, limit=9)

        assert self.noted(ann) == {}
