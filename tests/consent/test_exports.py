"""Exports: made by a worker, taken once, gone in time, ended by an erasure."""

import hashlib
import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from consent import erasures, exports
from consent.errors import (
    ConsentError,
    ExportGone,
    ExportNotFound,
    ExportNotReady,
    InvalidExport,
)
from consent.exports.pieces import Pieces
from consent.models import ExportRun
from consent.tasks import run_export, sweep_exports
from identity.errors import RelationshipNotFound
from identity.types import RelationshipRef
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope.staff import staff_role
from tests.factories import midway as hook
from tests.factories.erasing import fill_user, later, make_filled, of, place_hold
from tests.factories.exporting import (
    Crashed,
    Midway,
    ask_export,
    count_pieces,
    make_export,
    open_export,
    read_file,
)
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory

pytestmark = pytest.mark.django_db
CANARY = "花生暗号7731"


@pytest.fixture
def ann() -> RelationshipRef:
    return make_filled()


@pytest.fixture
def midway(settings: Any) -> Midway:
    """Something that happens while a file is made."""
    settings.PERSONAL_DATA_MODULES = [
        *settings.PERSONAL_DATA_MODULES,
        "tests.factories.midway",
    ]
    hook.midway = Midway()
    return hook.midway


def deeds_of(run: ExportRun) -> list[tuple[str, str]]:
    with staff_role():
        rows = AuditEntry.objects.filter(object_ref=f"export:{run.pk}")
        return list(rows.order_by("seq").values_list("action", "actor"))


def take(run: ExportRun, **when: int) -> bytes:
    return b"".join(
        exports.open_file(run.pk, by="user:tests", now=later(**(when or {"days": 0})))
    )


def erase(target: erasures.Target) -> None:
    wish = erasures.request(
        target, by="user:x", reason_code="test", at_once=True, now=timezone.now()
    )
    erasures.run(wish.pk, now=timezone.now())


class TestAsking:
    def test_it_waits_for_a_worker_and_is_asked_for_once(
        self, ann: RelationshipRef
    ) -> None:
        """Acceptance row C26."""
        first, second = ask_export(ann), ask_export(ann)
        other = ask_export(ann, formats=["json"])

        assert first == second != other
        assert first.state == "queued"
        assert first.formats == ["html", "json", "csv"]
        assert deeds_of(first) == [("export.requested", "user:tests")]

    @pytest.mark.parametrize(
        "wish",
        [
            {"parts": ["everything"]},
            {"parts": ["memories", "private_notes"]},
            {"parts": ["sensitive_memories"]},
            {"formats": []},
            {"formats": ["jsonl"]},
            {"formats": ["xlsx"]},
        ],
    )
    def test_it_refuses_what_is_not_known_or_for_the_staff(
        self, ann: RelationshipRef, wish: dict[str, Any]
    ) -> None:
        with pytest.raises(InvalidExport):
            ask_export(ann, **wish)

    def test_it_takes_no_part_of_the_user_for_one_relationship(
        self, ann: RelationshipRef
    ) -> None:
        whole = ask_export(ann)
        one = ask_export(ann, relationship_id=ann.id)

        assert set(whole.parts) - set(one.parts) == {"profile"}
        with pytest.raises(InvalidExport):
            ask_export(ann, relationship_id=ann.id, parts=["profile"])

    def test_an_unknown_and_a_foreign_one_are_told_alike(
        self, ann: RelationshipRef
    ) -> None:
        """Acceptance row C16."""
        wishes = [
            exports.Wish(uuid4()),
            exports.Wish(ann.user_id, uuid4()),
            exports.Wish(ann.user_id, make_relationship().id),
        ]

        for wish in wishes:
            with pytest.raises(RelationshipNotFound) as caught:
                exports.request(
                    wish, by="user:x", reason_code="test", now=timezone.now()
                )
            assert caught.value.code == "not-found"

    def test_a_legal_hold_does_not_bar_it(self, ann: RelationshipRef) -> None:
        place_hold(ann)

        assert make_export(ann).state == "ready"

    def test_what_was_sent_to_be_erased_can_be_had_meanwhile(
        self, ann: RelationshipRef
    ) -> None:
        erasures.request(
            erasures.Target(ann.user_id),
            by="user:tests",
            reason_code="user-request",
            at_once=False,
            now=timezone.now(),
        )

        assert make_export(ann).state == "ready"


class TestMaking:
    def test_it_is_ready_with_its_size_its_hash_and_its_time(
        self, ann: RelationshipRef
    ) -> None:
        run = make_export(ann)

        data = take(run)
        assert (run.progress, run.lease_until, run.attempts) == (100, None, 1)
        assert run.ready_at is not None
        assert run.expires_at == run.ready_at + timedelta(days=7)
        assert len(data) == run.size_bytes
        assert hashlib.sha256(data).hexdigest() == run.sha256
        assert deeds_of(run)[1] == ("export.ready", "system:exports")

    def test_the_staffs_file_waits_for_a_day(self, ann: RelationshipRef) -> None:
        run = make_export(ann, for_staff=True)

        assert run.ready_at is not None
        assert run.expires_at == run.ready_at + timedelta(hours=24)

    def test_one_that_is_made_is_not_made_again(self, ann: RelationshipRef) -> None:
        """Acceptance row C26."""
        run = make_export(ann)

        again = run_export(run_id=str(run.pk))

        assert again == "not_due"
        assert ExportRun.objects.get(pk=run.pk).sha256 == run.sha256

    def test_no_two_workers_make_one(self, ann: RelationshipRef) -> None:
        run = ask_export(ann)
        held = timezone.now() + timedelta(minutes=5)
        ExportRun.objects.filter(pk=run.pk).update(state="running", lease_until=held)

        assert exports.run(run.pk, now=timezone.now()) is None
        assert exports.list_due(now=timezone.now()).count(run.pk) == 0
        assert run.pk in exports.list_due(now=held)

    def test_what_a_killed_worker_had_made_is_thrown_away(
        self, ann: RelationshipRef, midway: Midway
    ) -> None:
        """Acceptance row 63."""
        run = ask_export(ann)
        midway.crash()
        with pytest.raises(Crashed):
            run_export(run_id=str(run.pk))
        killed = ExportRun.objects.get(pk=run.pk)
        midway.go_on()

        too_early = exports.run(run.pk, now=timezone.now())
        done = exports.run(run.pk, now=later(minutes=7))

        assert (killed.state, killed.attempts) == ("running", 1)
        assert too_early is None
        assert done is not None
        assert (done.state, done.attempts) == ("ready", 2)
        assert open_export(done).testzip() is None

    def test_it_is_given_up_after_three_tries(
        self, ann: RelationshipRef, midway: Midway
    ) -> None:
        """Acceptance row 61: one that always fails holds nothing up."""
        run = ask_export(ann)
        midway.crash()
        for number in range(3):
            with pytest.raises(Crashed):
                exports.run(run.pk, now=later(minutes=7 * number))

        done = exports.run(run.pk, now=later(minutes=21))

        assert done is not None
        assert (done.state, done.error_code) == ("failed", "tries-exhausted")
        assert deeds_of(run)[-1][0] == "export.failed"
        assert count_pieces(ann.user_id) == 0
        assert run.pk not in exports.list_due(now=later(days=1))
        with pytest.raises(ExportNotReady):
            take(run)

    def test_it_is_begun_again_when_its_formats_would_differ(
        self, ann: RelationshipRef, midway: Midway
    ) -> None:
        run = ask_export(ann)
        midway.rows = [1, 2, 2, 2, 2, 2]

        first = exports.run(run.pk, now=timezone.now())
        second = exports.run(run.pk, now=timezone.now())

        assert first is not None
        assert (first.state, first.attempts) == ("running", 1)
        assert second is not None
        assert second.state == "ready"

    def test_it_goes_into_pieces_of_bounded_size(self) -> None:
        stored: list[tuple[int, bytes]] = []
        pieces = Pieces(lambda *one: stored.append(one), size=1000)
        written = bytes(range(256)) * 20

        for start in range(0, len(written), 700):
            pieces.write(written[start : start + 700])
        digest = pieces.finish()

        assert b"".join(data for _, data in stored) == written
        assert [number for number, _ in stored] == list(range(6))
        assert {len(data) for _, data in stored[:-1]} == {1000}
        assert digest == hashlib.sha256(written).hexdigest()
        assert pieces.size_bytes == len(written)

    @pytest.mark.parametrize("run_id", ["", " ", "x", "0192"])
    def test_a_job_that_names_no_run_is_refused(self, run_id: str) -> None:
        """Acceptance row 7."""
        with pytest.raises(ConsentError):
            run_export(run_id=run_id)


class TestTaking:
    def test_it_is_taken_once_and_told_before_the_first_byte(
        self, ann: RelationshipRef
    ) -> None:
        run = make_export(ann)

        data = exports.open_file(run.pk, by="staff:7", now=timezone.now())

        taken = ExportRun.objects.get(pk=run.pk)
        assert (taken.state, taken.taken_by) == ("taken", "staff:7")
        assert deeds_of(run)[-1] == ("export.taken", "staff:7")
        assert next(data)[:2] == b"PK"
        with pytest.raises(ExportGone):
            exports.open_file(run.pk, by="staff:7", now=timezone.now())

    def test_nothing_is_kept_of_a_file_that_was_taken(
        self, ann: RelationshipRef
    ) -> None:
        run = make_export(ann)

        take(run)

        assert count_pieces(ann.user_id) == 0

    def test_there_is_none_before_it_is_made(self, ann: RelationshipRef) -> None:
        run = ask_export(ann)

        with pytest.raises(ExportNotReady):
            take(run)
        with pytest.raises(ExportNotFound):
            exports.open_file(uuid4(), by="user:x", now=timezone.now())

    def test_it_is_gone_when_its_time_is_over(self, ann: RelationshipRef) -> None:
        run = make_export(ann)

        with pytest.raises(ExportGone):
            take(run, days=7)
        too_early = exports.expire(run.pk, now=later(days=6))
        over = exports.expire(run.pk, now=later(days=8))
        again = exports.expire(run.pk, now=later(days=8))

        assert (too_early, again) == (None, None)
        assert over is not None
        assert over.state == "expired"
        assert count_pieces(ann.user_id) == 0
        assert deeds_of(run)[-1] == ("export.expired", "system:exports")

    def test_the_sweep_finds_what_is_over(self, ann: RelationshipRef) -> None:
        run = make_export(ann)
        ExportRun.objects.filter(pk=run.pk).update(expires_at=timezone.now())

        swept = sweep_exports()

        assert swept["expired"] >= 1
        assert ExportRun.objects.get(pk=run.pk).state == "expired"


class TestErasure:
    """What was erased is in no file. Acceptance rows 21 and C6."""

    @pytest.mark.parametrize("what", ["memory", "relationship", "user"])
    def test_the_file_goes_with_what_is_in_it(self, what: str) -> None:
        ann = make_filled(CANARY)
        memory = make_memory(ann, CANARY)
        run = make_export(ann)
        target = {
            "memory": of(ann, memory.lineage),
            "relationship": of(ann),
            "user": erasures.Target(ann.user_id),
        }[what]
        planted = CANARY in read_file(run)["json/memories.json"]

        erase(target)

        assert planted
        assert count_pieces(ann.user_id) == 0
        assert ExportRun.objects.get(pk=run.pk).state == "expired"
        with pytest.raises(ExportGone):
            take(run)

    def test_one_under_way_ends_and_adds_nothing(
        self, ann: RelationshipRef, midway: Midway
    ) -> None:
        """Acceptance row 24."""
        run = ask_export(ann)
        midway.deed = lambda: erase(of(ann))

        done = exports.run(run.pk, now=timezone.now())

        assert done is not None
        assert done.state == "expired"
        assert count_pieces(ann.user_id) == 0
        assert exports.run(run.pk, now=later(hours=1)) is None

    def test_an_export_of_another_relationship_stays(self) -> None:
        """Acceptance rows 14 and C9."""
        ann = make_filled()
        other = make_filled(user=ann.user_external_id)
        run = make_export(other, relationship_id=other.id)

        erase(of(ann))

        assert ExportRun.objects.get(pk=run.pk).state == "ready"
        assert open_export(run).testzip() is None


def test_no_row_of_an_export_holds_words_of_a_person(ann: RelationshipRef) -> None:
    fill_user(ann, CANARY)
    run = make_export(ann)

    row = ExportRun.objects.filter(pk=run.pk).values().get()
    assert CANARY not in json.dumps(row, default=str)
    assert ann.user_external_id not in json.dumps(row, default=str)
