"""The erasure ledger: chained lines on disk, and what a restored database lacks."""

import json
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from consent import erasures, ledger
from consent.errors import LedgerBehind, LedgerDamaged, LedgerUnwritable
from consent.models import ErasureRun, LedgerMark, LegalHold
from consent.tasks import sweep_erasures
from identity.models import Relationship
from memsys.api.authentication import callers
from memsys.celery import check_before_work
from memsys.kernel.sharding.ids import bucket_of, new_id
from memsys.kernel.valkey import get_valkey
from memsys.warming import warm_up
from tests.factories.api import Bot, make_bot
from tests.factories.erasing import (
    DAY,
    NOW,
    ask,
    left,
    lift,
    make_filled,
    of,
    place_hold,
    run,
    status_of,
)
from tests.factories.holds import lift as lift_by_two
from tests.factories.holds import make_hold
from tests.factories.memories import make_memory

AT = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture(autouse=True)
def own_ledger(db: None, settings: Any, tmp_path: Path) -> Path:
    """A ledger of its own, from its first line, for each test."""
    settings.ERASURE_LEDGER_DIR = str(tmp_path / "ledger")
    LedgerMark.objects.update(number=0, digest="")
    return tmp_path / "ledger" / "erasures.jsonl"


def entry(**fields: Any) -> ledger.Entry:
    return ledger.Entry(
        **{
            "run": uuid4(), "target": "user", "user": uuid4(), "relationship": None,
            "memory": None, "covers_until": AT, "requested_at": AT, "by": "service:x",
            "reason_code": "test", "receipt": "ABC",
        }
        | fields
    )  # fmt: skip


def write(count: int) -> list[ledger.Line]:
    return [ledger.append(entry()) for _ in range(count)]


def forget(number: int) -> None:
    """Set the database back to the state in which it knew so many lines."""
    lines = {line.number: line.digest for line in ledger.read_lines()}
    LedgerMark.objects.update(number=number, digest=lines.get(number, ""))


def asked(bot: Bot) -> tuple[int, str]:
    """Ask for a relationship that nobody has; return the problem."""
    answer = bot.get(f"/relationships/{new_id(bucket=1)}")
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


def replay() -> list[str]:
    return [done.outcome for done in erasures.replay(now=NOW + DAY)]


class TestLines:
    def test_they_are_read_as_they_were_written(self) -> None:
        written = write(3)

        assert list(ledger.read_lines()) == written
        assert [line.number for line in written] == [1, 2, 3]
        assert not ledger.is_behind()

    def test_the_file_is_for_its_owner_alone_and_holds_no_more_than_ids(
        self, own_ledger: Path
    ) -> None:
        write(1)

        told = json.loads(own_ledger.read_text())

        assert own_ledger.stat().st_mode & 0o777 == 0o600
        assert set(told) == {
            "number", "run", "target", "user", "relationship", "memory",
            "covers_until", "requested_at", "by", "reason_code", "receipt", "digest",
        }  # fmt: skip

    def test_a_torn_line_was_never_one(self, own_ledger: Path) -> None:
        write(1)
        with own_ledger.open("ab") as file:
            file.write(b'{"number": 2, "ru')

        assert not ledger.is_behind()
        write(1)

        assert [line.number for line in ledger.read_lines()] == [1, 2]

    def test_without_a_place_for_it_nothing_is_erased(
        self, settings: Any, tmp_path: Path
    ) -> None:
        (tmp_path / "file").write_text("")
        settings.ERASURE_LEDGER_DIR = str(tmp_path / "file")
        ann = make_filled()
        wish = ask(of(ann))

        with pytest.raises(LedgerUnwritable):
            run(wish)

        assert left(ann) == (1, 1)


class TestDamage:
    def test_a_missing_file_is_named(self, own_ledger: Path) -> None:
        write(2)
        own_ledger.unlink()

        with pytest.raises(LedgerDamaged, match="is missing"):
            ledger.check()

    def test_a_cut_tail_is_named(self, own_ledger: Path) -> None:
        write(3)
        lines = own_ledger.read_text().splitlines(keepends=True)
        own_ledger.write_text("".join(lines[:2]))

        with pytest.raises(LedgerDamaged, match="cut after line 2"):
            ledger.check()

    @pytest.mark.parametrize("place", [0, 1, 2])
    def test_an_edited_line_is_named(self, own_ledger: Path, place: int) -> None:
        write(3)
        lines = own_ledger.read_text().splitlines(keepends=True)
        lines[place] = lines[place].replace('"user"', '"memory"', 1)
        lines[place] = lines[place].replace("service:x", "service:y", 1)
        own_ledger.write_text("".join(lines))

        with pytest.raises(LedgerDamaged, match=f"line {place + 1}"):
            list(ledger.read_lines())

    def test_a_line_taken_out_of_the_middle_is_named(self, own_ledger: Path) -> None:
        write(3)
        lines = own_ledger.read_text().splitlines(keepends=True)
        own_ledger.write_text(lines[0] + lines[2])

        with pytest.raises(LedgerDamaged, match="line 2 is missing"):
            list(ledger.read_lines())

    def test_another_ledger_is_not_this_one(self, own_ledger: Path) -> None:
        write(2)
        LedgerMark.objects.update(digest="0" * 64)

        with pytest.raises(LedgerDamaged, match="line 2 was edited"):
            ledger.check()

    def test_one_that_cannot_be_read_is_named(
        self, client: Client, own_ledger: Path
    ) -> None:
        write(1)
        own_ledger.unlink()
        own_ledger.mkdir()

        with pytest.raises(LedgerDamaged, match="cannot be read"):
            ledger.check()
        with pytest.raises(LedgerDamaged, match="cannot be read"):
            list(ledger.read_lines())
        assert client.get("/readyz").status_code == 503

    def test_a_line_of_another_ledger_is_named(self, own_ledger: Path) -> None:
        write(2)
        foreign = own_ledger.read_bytes()
        own_ledger.unlink()
        LedgerMark.objects.update(number=0, digest="")
        write(1)
        with own_ledger.open("ab") as file:
            file.write(foreign.splitlines(keepends=True)[1])

        with pytest.raises(LedgerDamaged, match="line 2 was edited"):
            replay()

    def test_a_damaged_one_takes_no_line(self, own_ledger: Path) -> None:
        write(1)
        own_ledger.unlink()

        with pytest.raises(LedgerDamaged):
            write(1)


class TestRestores:
    """Acceptance row C10: a restore brings nobody back."""

    def test_a_database_that_is_behind_is_not_served(self, client: Client) -> None:
        write(3)
        forget(1)

        with pytest.raises(LedgerBehind, match="erasures replay"):
            warm_up()
        with pytest.raises(SystemExit, match="erasures replay"):
            check_before_work()
        ready = client.get("/readyz")
        with pytest.raises(LedgerBehind):
            write(1)

        assert ready.status_code == 503
        assert ready.json()["erasures_known"] is False

    def test_a_ledger_that_is_damaged_is_not_served_either(
        self, client: Client, own_ledger: Path
    ) -> None:
        write(1)
        own_ledger.unlink()

        assert client.get("/readyz").status_code == 503
        assert asked(make_bot()) == (503, "erasure-ledger-damaged")

    def test_one_that_is_restored_under_a_running_service_is_noticed(self) -> None:
        write(3)
        known, unknown = make_bot(), make_bot()
        before = asked(known)
        forget(1)

        refused = asked(unknown)
        callers.clear()
        noticed = asked(known)
        replay()

        assert before == (404, "not-found")
        assert refused == noticed == (503, "erasure-ledger-behind")
        assert asked(unknown) == (404, "not-found")

    def test_what_a_restore_brought_back_is_erased_again(self) -> None:
        ann, ben = make_filled(), make_filled()
        done = run(ask(of(ann)))
        assert done is not None
        ErasureRun.objects.filter(pk=done.pk).delete()
        forget(0)
        make_memory(ann, "花生暗号7731", occurred_at=NOW - DAY)

        outcomes = replay()

        again = ErasureRun.objects.get(pk=done.pk)
        assert outcomes == ["erased"]
        assert (left(ann), left(ben)) == ((0, 0), (1, 1))
        assert again.receipt_code == done.receipt_code
        assert again.state == "done"
        assert not ledger.is_behind()
        warm_up()

    def test_what_was_stored_after_the_erasure_stays(self) -> None:
        ann = make_filled()
        done = run(ask(of(ann)))
        assert done is not None
        ErasureRun.objects.filter(pk=done.pk).delete()
        forget(0)
        make_memory(ann, "花生", occurred_at=NOW - DAY)
        make_memory(ann, "喜欢看海", occurred_at=NOW + DAY)

        replay()

        assert left(ann) == (1, 0)

    def test_one_that_waited_in_the_dump_is_carried_out(self) -> None:
        ann = make_filled()
        wish = ask(of(ann), at_once=False)
        ErasureRun.objects.filter(pk=wish.pk).update(run_from=NOW)
        before = ErasureRun.objects.filter(pk=wish.pk).values().get()
        run(wish)
        ErasureRun.objects.filter(pk=wish.pk).update(**before)
        Relationship.objects.filter(pk=ann.id).update(status="restricted")
        forget(0)
        make_memory(ann, "花生", occurred_at=NOW - DAY)

        outcomes = replay()

        assert outcomes == ["erased"]
        assert left(ann) == (0, 0)
        assert status_of(ann) == "active"

    def test_a_user_whom_the_dump_does_not_know_is_nobody(self) -> None:
        write(2)
        forget(0)

        assert replay() == ["nobody", "nobody"]
        assert not ledger.is_behind()

    def test_what_a_restored_hold_keeps_is_restricted_until_it_ends(self) -> None:
        """Acceptance row C11: a hold counts after a restore too."""
        ann = make_filled()
        done = run(ask(of(ann)))
        assert done is not None
        ErasureRun.objects.filter(pk=done.pk).delete()
        forget(0)
        make_memory(ann, "花生", occurred_at=NOW - DAY)
        hold = place_hold(ann)

        outcomes = replay()
        restricted = status_of(ann)
        lift(hold, NOW + 2 * DAY)
        ended = erasures.run(done.pk, now=NOW + 2 * DAY)

        assert outcomes == ["blocked"]
        assert restricted == "restricted"
        assert ended is not None
        assert left(ann) == (0, 0)
        assert status_of(ann) == "active"

    def test_a_hold_that_the_dump_does_not_have_is_placed_again(self) -> None:
        """Acceptance row C11: holds are not lost by a restore."""
        ann = make_filled()
        hold = make_hold(ann.user_id, relationship_id=ann.id)
        LegalHold.objects.all().delete()
        forget(0)

        outcomes = replay()

        again = LegalHold.objects.get(pk=hold.pk)
        fields = [field.attname for field in LegalHold._meta.concrete_fields]
        assert outcomes == ["held"]
        assert [getattr(again, one) for one in fields] == [
            getattr(hold, one) for one in fields
        ]
        assert ask(of(ann)).state == "blocked"
        assert replay() == []

    def test_one_that_the_dump_still_has_is_lifted_again(
        self, django_capture_on_commit_callbacks: Any
    ) -> None:
        ann = make_filled()
        hold = make_hold(ann.user_id)
        with django_capture_on_commit_callbacks(execute=True):
            lift_by_two(hold)
        LegalHold.objects.filter(pk=hold.pk).update(lifted_at=None, lifted_by="")
        forget(1)
        run(ask(of(ann)))

        outcomes = replay()

        again = LegalHold.objects.get(pk=hold.pk)
        assert outcomes == ["lifted"]
        assert again.lifted_by == "staff:32"
        sweep_erasures()
        assert left(ann) == (0, 0)

    def test_holds_and_erasures_are_done_again_in_their_order(
        self, django_capture_on_commit_callbacks: Any
    ) -> None:
        ann, ben = make_filled(), make_filled()
        hold = make_hold(ann.user_id)
        with django_capture_on_commit_callbacks(execute=True):
            lift_by_two(hold)
        done = run(ask(of(ann)))
        make_hold(ben.user_id)
        assert done is not None
        ErasureRun.objects.all().delete()
        LegalHold.objects.all().delete()
        forget(0)
        make_memory(ann, "花生", occurred_at=NOW - DAY)

        outcomes = replay()

        assert outcomes == ["held", "lifted", "erased", "held"]
        assert (left(ann), left(ben)) == ((0, 0), (1, 1))
        assert run(ask(of(ben))).state == "blocked"  # type: ignore[union-attr]

    def test_a_hold_is_placed_though_the_ledger_takes_no_line(
        self, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "file").write_text("")
        settings.ERASURE_LEDGER_DIR = str(tmp_path / "file")
        ann = make_filled()

        make_hold(ann.user_id)

        assert ask(of(ann)).state == "blocked"
        assert "ledger.hold_not_written" in caplog.text

    def test_replayed_twice_it_changes_nothing(self) -> None:
        """Acceptance row C26."""
        ann = make_filled()
        done = run(ask(of(ann)))
        assert done is not None
        forget(0)

        assert replay() == ["erased"]
        assert replay() == []
        assert ErasureRun.objects.filter(global_user_id=ann.user_id).count() == 1

    def test_one_line_ahead_is_what_a_crash_leaves_and_is_made_up_for(self) -> None:
        ann = make_filled()
        line = ledger.append(
            entry(
                run=new_id(bucket=bucket_of(ann.user_id)),
                target="relationship", user=ann.user_id, relationship=ann.id,
                covers_until=timezone.now(),
            )
        )  # fmt: skip
        forget(0)

        warm_up()

        assert left(ann) == (0, 0)
        assert ErasureRun.objects.get(pk=line.entry.run).state == "done"
        assert not ledger.is_behind()


class TestCommand:
    def test_it_lists_lines_and_what_is_known_of_them(self) -> None:
        write(2)
        forget(1)
        out = StringIO()

        call_command("erasures", "list", stdout=out)

        assert "Intact: 2 lines" in out.getvalue()
        assert "1 of them not known" in out.getvalue()

    def test_it_replays(self) -> None:
        write(2)
        forget(0)
        out = StringIO()

        call_command("erasures", "replay", stdout=out)

        assert "2: user, nobody" in out.getvalue()
        assert "Replayed: 2" in out.getvalue()

    def test_replayed_it_leaves_no_copy_of_the_database_that_was(self) -> None:
        get_valkey().set("memsys:pack:x", "花生")

        call_command("erasures", "replay", stdout=StringIO())

        assert get_valkey().get("memsys:pack:x") is None

    def test_it_does_not_replay_while_copies_may_be_left(self, settings: Any) -> None:
        write(1)
        forget(0)
        settings.VALKEY_URL = "redis://127.0.0.1:1"
        get_valkey.cache_clear()

        try:
            with pytest.raises(CommandError, match="Valkey does not answer"):
                call_command("erasures", "replay", stdout=StringIO())
        finally:
            get_valkey.cache_clear()

        assert ledger.is_behind()

    def test_it_ends_with_an_error_when_the_ledger_is_damaged(
        self, own_ledger: Path
    ) -> None:
        write(2)
        own_ledger.write_text(own_ledger.read_text().replace("service:x", "service:y"))

        with pytest.raises(CommandError, match="line 1 was edited"):
            call_command("erasures", "list", stdout=StringIO())
