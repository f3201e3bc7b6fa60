"""What is kept no longer goes in the night; what a hold or a request keeps stays."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from consent import approvals, erasures, requests, retention
from consent.errors import InvalidChange
from consent.models import (
    DisclosureReminder,
    ErasureRun,
    ProfileField,
    ProfileValue,
    ReleaseReceipt,
    RetentionOverride,
    RetentionRun,
    SubjectRequest,
)
from consent.retention.payloads import expire_payloads
from consent.tasks import sweep_retention
from identity.models import Relationship
from identity.retention import bring_all_retention_forward
from identity.types import RelationshipRef
from memories.models import Memory
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.audit.models import AuditEntry, AuditPayload
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.scope.staff import staff_role
from memsys.kernel.sharding.ids import bucket_of
from tests.factories.api import CountedQueries
from tests.factories.content import make_row
from tests.factories.erasing import left
from tests.factories.holds import lift, make_hold
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import content_of, make_memory
from tests.factories.requests import ask_for, words_of
from tests.factories.retention import (
    ago,
    make_aged,
    make_night,
    make_old_message,
    make_old_session,
    sleep,
    texts_of,
)

pytestmark = pytest.mark.django_db

GONE = "[已过期]"


def deeds_of(ann: RelationshipRef) -> list[tuple[str, str]]:
    with staff_role():
        rows = AuditEntry.objects.filter(object_ref=f"relationship:{ann.id}")
        found = rows.filter(actor="system:retention").order_by("seq")
        return list(found.values_list("action", "reason_code"))


def version_of(ann: RelationshipRef) -> int:
    return Relationship.objects.get(pk=ann.id).memory_version


class TestClasses:
    def test_its_default_lies_within_its_bounds(self) -> None:
        for one in retention.list_classes():
            if one.days is not None:
                assert one.floor <= one.days
                assert one.ceiling is None or one.days <= one.ceiling

    def test_it_says_why_in_both_languages(self) -> None:
        for one in retention.list_classes():
            assert all((one.label, one.label_zh, one.why, one.why_zh))

    @pytest.mark.parametrize(
        ("code", "days"),
        [
            ("raw_message", 30), ("superseded_value", 180), ("sensitive_memory", 90),
            ("minor_memory", 30), ("minor_intimate_memory", 0),
            ("episodic_memory", 180), ("semantic_memory", 365),
            ("inactive_relationship", 365), ("inactive_notice", 30),
            ("subject_request", 1095), ("audit_payload", 365),
        ],
    )  # fmt: skip
    def test_it_has_the_days_that_the_rules_ask_for(self, code: str, days: int) -> None:
        assert retention.read_days()[code] == days

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"raw_message": "0"}, "at least 1"),
            ({"audit_payload": "179"}, "at least 180"),
            ({"subject_request": "1094"}, "at least 1095"),
            ({"minor_memory": "31"}, "at most 30"),
            ({"minor_intimate_memory": "1"}, "at most 0"),
            ({"raw_message": "-1"}, "whole days"),
            ({"raw_message": "many"}, "whole days"),
            ({"unheard_of": "3"}, "no class of data"),
            ({"export": "1"}, "cannot set"),
            ({"profile_value": "1"}, "cannot set"),
        ],
    )
    def test_a_setting_out_of_bounds_stops_the_start(
        self, given: dict[str, str], words: str
    ) -> None:
        with pytest.raises(ImproperlyConfigured, match=words):
            retention.read_setting(given)

    @override_settings(RETENTION_DAYS={"raw_message": "14"})
    def test_a_setting_within_them_counts(self) -> None:
        assert retention.read_days()["raw_message"] == 14


class TestMessages:
    def test_words_go_and_id_and_date_stay(self) -> None:
        ann = make_aged(days=31)
        with content_of(ann):
            (memory,) = Memory.objects.of(ann.id)
        before = version_of(ann)

        looked = sleep(ann)

        assert looked.counts == {"raw_message": 1}
        assert texts_of(ann) == [GONE]
        assert version_of(ann) == before + 1
        with content_of(ann):
            kept = Memory.objects.get(pk=memory.pk)
        assert (kept.evidence, kept.evidence_at) == (
            memory.evidence,
            memory.evidence_at,
        )

    def test_a_day_before_they_stay(self) -> None:
        ann = make_aged(days=29)

        assert sleep(ann).counts == {}
        assert texts_of(ann) == ["喜欢喝花生露"]

    @pytest.mark.parametrize(
        ("status", "expected"),
        [
            ("pending", "喜欢喝花生露"), ("open", "喜欢喝花生露"), ("done", GONE),
            ("dead", GONE), ("cancelled_erased", GONE),
        ],
    )  # fmt: skip
    def test_a_session_that_waits_for_its_work_keeps_its_words(
        self, status: str, expected: str
    ) -> None:
        ann = make_aged(days=31, session_status=status)

        sleep(ann)

        assert texts_of(ann) == [expected]

    def test_a_second_night_finds_nothing(self) -> None:
        """Acceptance row C26."""
        ann = make_aged(days=31)
        sleep(ann)

        assert sleep(ann).counts == {}

    def test_many_sessions_go_in_parts(self) -> None:
        ann = make_relationship()
        for number in range(3):
            session = make_old_session(ann, 40 - number)
            make_old_message(ann, f"第{number}句", session, 40 - number)

        looks = [sleep(ann, limit=1).counts for _ in range(4)]

        assert looks == [{"raw_message": 1}] * 3 + [{}]
        assert texts_of(ann) == [GONE] * 3


class TestMemories:
    @pytest.mark.parametrize(
        ("days", "fields", "relationship", "code"),
        [
            (181, {}, {}, "episodic_memory"),
            (91, {"visibility": "sensitive"}, {}, "sensitive_memory"),
            (91, {"sensitive_category": "diagnosis"}, {}, "sensitive_memory"),
            (31, {}, {"age_band": "minor_14_17"}, "minor_memory"),
            (31, {"tier": "semantic"}, {"age_band": "under_14"}, "minor_memory"),
            (
                1,
                {},
                {"age_band": "minor_14_17", "relationship_kind": "intimate"},
                "minor_intimate_memory",
            ),
        ],
    )
    def test_it_goes_by_its_class(
        self,
        days: int,
        fields: dict[str, Any],
        relationship: dict[str, Any],
        code: str,
    ) -> None:
        ann = make_relationship(**relationship)
        make_memory(ann, "怕黑", occurred_at=ago(days), **fields)
        make_memory(ann, "不怕水", occurred_at=ago(0), tier="semantic")

        assert sleep(ann).counts.get(code) == (1 if days > 1 else 2)

    @pytest.mark.parametrize(
        ("days", "fields"),
        [
            (179, {}),
            (300, {"used_at": ago(20)}),
            (300, {"tier": "semantic"}),
            (89, {"visibility": "sensitive"}),
            (200, {"kind": "commitment", "due_at": ago(-3)}),
        ],
        ids=["young", "used", "true", "sensitive", "due"],
    )
    def test_it_stays_until_its_time_is_over(
        self, days: int, fields: dict[str, Any]
    ) -> None:
        ann = make_relationship()
        make_memory(ann, "怕黑", occurred_at=ago(days), **fields)

        assert sleep(ann).counts == {}

    def test_what_was_true_before_goes_and_what_is_true_stays(self) -> None:
        """Acceptance row 19: the older value does not become current again."""
        ann = make_relationship()
        now = make_memory(ann, "住上海", kind="fact", key="city", tier="semantic")
        make_memory(
            ann, "住广州", kind="fact", key="city", tier="semantic",
            occurred_at=ago(500), valid_to=ago(200), status="superseded",
            superseded_by=now.lineage,
        )  # fmt: skip

        looked = sleep(ann)

        assert looked.counts == {"superseded_value": 1}
        with content_of(ann):
            assert [one.text for one in Memory.objects.of(ann.id)] == ["住上海"]

    def test_with_what_is_true_go_its_older_wordings(self) -> None:
        ann = make_relationship()
        first = make_memory(ann, "怕狗", occurred_at=ago(200), recorded_to=ago(190))
        make_memory(ann, "怕大狗", occurred_at=ago(190), lineage=first.lineage)

        sleep(ann)

        assert left(ann)[0] == 0

    def test_it_leaves_no_tombstone(self) -> None:
        ann = make_relationship()
        make_memory(ann, "怕黑", occurred_at=ago(181))
        sleep(ann)

        make_memory(ann, "怕黑")

        assert left(ann)[0] == 1

    def test_many_go_in_parts_and_each_is_counted_once(self) -> None:
        ann = make_relationship()
        for number in range(5):
            make_memory(ann, f"第{number}件事", occurred_at=ago(200))

        looks = [sleep(ann, limit=2).counts for _ in range(4)]

        assert [one.get("episodic_memory", 0) for one in looks] == [2, 2, 1, 0]

    def test_nobody_elses_go(self) -> None:
        """Acceptance row 14."""
        ann, ben = make_aged(days=200), make_aged(days=200)
        sleep(ann)

        assert texts_of(ben) == ["喜欢喝花生露"]
        assert left(ben)[0] == 1


class TestKeeping:
    def keep(self, ann: RelationshipRef, what: str) -> Any:
        if what == "hold":
            return make_hold(ann.user_id)
        if what == "narrow hold":
            return make_hold(ann.user_id, relationship_id=ann.id)
        return ask_for(ann, "complaint", whole=what == "request")

    KEPT = ("hold", "narrow hold", "request", "narrow request")

    @pytest.mark.parametrize("what", KEPT)
    def test_what_is_held_or_asked_about_stays_and_the_refusal_is_recorded(
        self, what: str
    ) -> None:
        """Acceptance row C11: an open request or hold, and the nightly prune."""
        ann = make_aged(days=200)
        self.keep(ann, what)

        looked = sleep(ann)

        reason = "legal-hold" if "hold" in what else "open-request"
        assert looked.counts == {}
        assert looked.kept == {"episodic_memory": 1, "raw_message": 1}
        assert looked.reason_code == reason
        assert texts_of(ann) == ["喜欢喝花生露"]
        assert left(ann)[0] == 1
        assert deeds_of(ann) == [("retention.refused", reason)]

    def test_a_hold_on_another_relationship_keeps_nothing_here(self) -> None:
        ann = make_aged(days=200)
        other = make_relationship(user=ann.user_external_id)
        make_hold(ann.user_id, relationship_id=other.id)
        ask_for(other, "complaint")

        assert sleep(ann).counts == {"episodic_memory": 1, "raw_message": 1}

    def test_one_held_memory_stays_with_the_message_it_was_made_from(self) -> None:
        ann = make_aged(days=200)
        with content_of(ann):
            (memory,) = Memory.objects.of(ann.id)
        make_memory(ann, "怕黑", occurred_at=ago(200))
        session = make_old_session(ann, 199)
        make_old_message(ann, "怕黑", session, 199)
        make_hold(ann.user_id, relationship_id=ann.id, memory_id=memory.lineage)

        looked = sleep(ann)

        assert looked.counts == {"episodic_memory": 1, "raw_message": 1}
        assert looked.kept == {"episodic_memory": 1, "raw_message": 1}
        assert looked.reason_code == "legal-hold"
        assert texts_of(ann) == ["喜欢喝花生露", GONE]

    def test_it_goes_once_the_hold_is_lifted(self) -> None:
        ann = make_aged(days=200)
        hold = make_hold(ann.user_id)
        sleep(ann)
        assert Relationship.objects.get(pk=ann.id).retention_at > timezone.now()

        lift(hold)

        assert Relationship.objects.get(pk=ann.id).retention_at <= timezone.now()
        assert sleep(ann).counts == {"episodic_memory": 1, "raw_message": 1}

    def test_it_goes_once_the_request_is_answered(self) -> None:
        ann = make_aged(days=200)
        row = ask_for(ann, "complaint")
        sleep(ann)

        requests.answer(
            row.pk, outcome="explained", words="好", by="staff:3", now=timezone.now()
        )

        assert Relationship.objects.get(pk=ann.id).retention_at <= timezone.now()
        assert sleep(ann).counts == {"episodic_memory": 1, "raw_message": 1}

    def test_an_idle_relationship_that_is_held_is_neither_told_nor_erased(self) -> None:
        ann = make_aged(days=400)
        make_hold(ann.user_id)

        looked = sleep(ann)

        assert (looked.is_told, looked.is_over) == (False, False)


class TestIdle:
    def test_the_user_is_told_after_a_year(self) -> None:
        ann = make_aged(days=366, memory={"tier": "semantic"})

        looked = sleep(ann)

        assert looked.is_told
        assert left(ann)[0] == 1
        row = Relationship.objects.get(pk=ann.id)
        assert row.inactive_noticed_at is not None
        event = OutboxEvent.objects.get(
            name="relationship.inactive", user_id=ann.user_id
        )
        assert event.relationship_id == ann.id
        assert set(event.data) == {"erased_from"}

    def test_it_is_erased_thirty_days_later_with_a_receipt(self) -> None:
        ann = make_aged(days=366, memory={"tier": "semantic"})
        sleep(ann)

        early = sleep(ann, at=timezone.now() + timedelta(days=29))
        late = sleep(ann, at=timezone.now() + timedelta(days=30))

        assert (early.is_over, late.is_over) == (False, True)
        run = ErasureRun.objects.get(relationship_id=ann.id)
        assert (run.reason_code, run.requested_by) == ("retention", "system:retention")
        erasures.run(run.pk, now=timezone.now() + timedelta(days=31))
        assert left(ann) == (0, 0)

    def test_asked_for_twice_it_is_one_erasure(self) -> None:
        """Acceptance row C26."""
        ann = make_aged(days=366, memory={"tier": "semantic"})
        sleep(ann)

        for days in (30, 32):
            sleep(ann, at=timezone.now() + timedelta(days=days))

        assert ErasureRun.objects.filter(relationship_id=ann.id).count() == 1

    def test_whoever_comes_back_keeps_it(self) -> None:
        ann = make_aged(days=366, memory={"tier": "semantic"})
        sleep(ann)
        make_old_message(ann, "我回来了", make_old_session(ann, -1), -1)

        looked = sleep(ann, at=timezone.now() + timedelta(days=40))

        assert not looked.is_over
        assert Relationship.objects.get(pk=ann.id).inactive_noticed_at is None

    def test_nobody_is_told_of_what_is_empty(self) -> None:
        ann = make_relationship(created_at=ago(900))

        assert not sleep(ann).is_told


class TestOwn:
    def make_value(self, ann: RelationshipRef, days: float) -> None:
        field = ProfileField.objects.create(
            key=new_name("f"), label="F", label_zh="F", data_class="stable",
            retention_days=10,
        )  # fmt: skip
        with access_scope(Purpose.JOB, user=ann.user_id):
            ProfileValue.objects.create(
                global_user_id=ann.user_id, field=field, value="v", source="service:x",
                updated_at=ago(days),
            )  # fmt: skip

    @pytest.mark.parametrize(("days", "count"), [(9, None), (11, 1)])
    def test_a_value_goes_by_the_days_of_its_field(
        self, days: int, count: int | None
    ) -> None:
        ann = make_relationship()
        self.make_value(ann, days)

        assert sleep(ann).counts.get("profile_value") == count

    @pytest.mark.parametrize(("days", "count"), [(1094, None), (1096, 1)])
    def test_a_closed_request_goes_with_its_words(
        self, days: int, count: int | None
    ) -> None:
        ann = make_relationship()
        row = ask_for(ann, words="暗号-7731")
        requests.answer(row.pk, outcome="done", words="好", by="staff:3", now=ago(days))

        looked = sleep(ann)

        assert looked.counts.get("subject_request") == count
        assert SubjectRequest.objects.filter(pk=row.pk).exists() == (count is None)
        assert len(words_of(row)) == (2 if count is None else 0)

    def test_an_open_request_keeps_the_values_of_its_user(self) -> None:
        ann = make_relationship()
        other = make_relationship(user=ann.user_external_id)
        self.make_value(ann, 11)
        ask_for(other, "complaint")

        looked = sleep(ann)

        assert looked.kept == {"profile_value": 1}
        assert looked.reason_code == "open-request"


class TestProofs:
    """Receipts and reminders: only ever added, until the law's floor is over."""

    def make(self, model: Any, ann: RelationshipRef, field: str, days: float) -> None:
        make_row(model, ann, **{field: ago(days)})

    @pytest.mark.parametrize(
        ("model", "field", "days", "code"),
        [
            (ReleaseReceipt, "released_at", 1096, "release_receipt"),
            (DisclosureReminder, "shown_at", 366, "disclosure_reminder"),
        ],
        ids=["receipt", "reminder"],
    )
    def test_old_ones_go_and_young_ones_stay(
        self, model: Any, field: str, days: int, code: str
    ) -> None:
        ann, ben = make_relationship(), make_relationship()
        for number in (days, days - 2):
            self.make(model, ann, field, number)
        self.make(model, ben, field, days)

        assert sleep(ann).counts == {code: 1}
        assert sleep(ann).counts == {}

        with access_scope(Purpose.JOB, user=ben.user_id):
            assert model.objects.filter(global_user_id=ben.user_id).count() == 1

    @pytest.mark.parametrize(
        ("model", "field"),
        [(ReleaseReceipt, "released_at"), (DisclosureReminder, "shown_at")],
        ids=["receipt", "reminder"],
    )
    def test_none_below_the_floor_goes_whatever_is_asked(
        self, model: Any, field: str
    ) -> None:
        ann = make_relationship()
        self.make(model, ann, field, 170)
        with access_scope(Purpose.JOB, user=ann.user_id):
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT * FROM memsys_audit.expire_proofs(%s, %s, now(), now())",
                    [ann.user_id, bucket_of(ann.user_id)],
                )
                assert cursor.fetchone() == (0, 0)
            assert model.objects.filter(global_user_id=ann.user_id).count() == 1


class TestPayloads:
    def make_payload(self, ann: RelationshipRef) -> None:
        record(
            Deed("tests", "tested", "staff:0", subject=ann.user_id, details={"a": 1})
        )

    def count(self, ann: RelationshipRef) -> int:
        with staff_role():
            return AuditPayload.objects.filter(subject=ann.user_id).count()

    def test_old_details_go_and_young_ones_stay(self) -> None:
        ann = make_relationship()
        self.make_payload(ann)

        expire_payloads(365, now=timezone.now() + timedelta(days=364), limit=100_000)
        assert self.count(ann) == 1

        gone = expire_payloads(
            365, now=timezone.now() + timedelta(days=366), limit=100_000
        )
        assert gone.counts["audit_payload"] >= 1
        assert self.count(ann) == 0

    def test_details_about_who_is_held_stay(self) -> None:
        ann = make_relationship()
        make_hold(ann.user_id)
        before = self.count(ann)

        expire_payloads(365, now=timezone.now() + timedelta(days=366), limit=100_000)

        assert self.count(ann) == before > 0

    def test_a_dry_run_deletes_nothing(self) -> None:
        ann = make_relationship()
        self.make_payload(ann)

        found = expire_payloads(
            365, now=timezone.now() + timedelta(days=366), is_dry=True
        )

        assert found.counts["audit_payload"] >= 1
        assert self.count(ann) == 1


class TestNights:
    @pytest.fixture(autouse=True)
    def nothing_else_due(self) -> Iterator[None]:
        Relationship.objects.update(retention_at=None)
        RetentionRun.objects.all().delete()
        return

    def list_reports(self) -> list[str]:
        """Return the chains of the reports of the one night there is."""
        night = RetentionRun.objects.get().night
        with staff_role():
            rows = AuditEntry.objects.filter(object_ref=f"night:{night:%Y%m%d}")
            return list(rows.values_list("chain", flat=True))

    def test_the_job_looks_at_what_is_due_and_tells_how_it_went(self) -> None:
        ann, ben = make_aged(days=200), make_aged(days=200)
        make_hold(ben.user_id)

        looked = sweep_retention()

        assert looked == 2
        night = RetentionRun.objects.get()
        assert night.finished_at is not None
        assert (night.looked, night.counts["raw_message"]) == (2, 1)
        assert night.kept["raw_message"] == 1
        assert texts_of(ann) == [GONE]
        assert self.list_reports() == ["retention"]

    def test_run_again_the_same_night_it_does_nothing_more(self) -> None:
        """Acceptance row C26: every task twice, one report."""
        make_aged(days=200)
        sweep_retention()
        before = RetentionRun.objects.get()

        assert sweep_retention() == 0

        after = RetentionRun.objects.get()
        assert (after.counts, after.looked) == (before.counts, before.looked)
        assert len(self.list_reports()) == 1

    def test_it_looks_again_when_something_lapses_and_not_before(self) -> None:
        ann = make_aged(days=10)
        night = make_night()

        retention.look(ann.id, night, now=timezone.now())

        at = Relationship.objects.get(pk=ann.id).retention_at
        assert abs(at - (timezone.now() + timedelta(days=20))) < timedelta(minutes=5)
        assert retention.look(ann.id, night, now=timezone.now()) is None

    def test_a_shorter_time_has_everything_looked_at_the_next_night(self) -> None:
        ann = make_aged(days=10)
        RetentionRun.objects.create(
            night="2026-01-01", started_at=ago(1), days=retention.read_days()
        )
        Relationship.objects.filter(pk=ann.id).update(retention_at=ago(-20))

        with override_settings(RETENTION_DAYS={"raw_message": "7"}):
            sweep_retention()

        assert texts_of(ann) == [GONE]

    def test_a_look_costs_as_much_however_much_there_is(self) -> None:
        ann, ben = make_aged(days=200), make_aged(days=200)
        for number in range(20):
            make_memory(ben, f"第{number}件事", occurred_at=ago(200))

        spent = []
        for one in (ann, ben):
            with CountedQueries() as counted:
                sleep(one)
            spent.append(len(counted.statements))

        assert spent[0] == spent[1] < 60

    def test_everything_is_brought_forward_in_parts(self) -> None:
        for _ in range(3):
            make_relationship(retention_at=ago(-20))

        parts = list(bring_all_retention_forward(at=timezone.now(), batch=2))

        assert parts == [2, 1]

    def test_a_plan_tells_what_would_go_and_changes_nothing(self) -> None:
        ann, ben = make_aged(days=200), make_aged(days=200)
        idle = make_aged(days=400)
        ask_for(ben, "complaint")

        made = retention.plan(now=timezone.now(), until=timezone.now())

        assert made.looked == 3
        assert made.counts["raw_message"] == 2
        assert made.kept == {"open-request": {"episodic_memory": 1, "raw_message": 1}}
        assert (made.told, made.over) == (1, 0)
        assert texts_of(ann) == ["喜欢喝花生露"]
        assert Relationship.objects.get(pk=idle.id).inactive_noticed_at is None

    def test_a_plan_is_bounded(self) -> None:
        for _ in range(3):
            make_aged(days=200)

        made = retention.plan(now=timezone.now(), until=timezone.now(), limit=2)

        assert (made.looked, made.has_more) == (2, True)

    def test_the_command_tells_or_runs(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ann = make_aged(days=200)

        call_command("retention", "--dry-run")
        told = capsys.readouterr().out
        assert "would go" in told
        assert texts_of(ann) == ["喜欢喝花生露"]

        call_command("retention", "run")
        assert "gone" in capsys.readouterr().out
        assert texts_of(ann) == [GONE]

    def test_run_by_hand_it_takes_what_is_due_since_the_night(self) -> None:
        sweep_retention()
        ann = make_aged(days=200)
        assert sweep_retention() == 0

        call_command("retention", "run")

        assert texts_of(ann) == [GONE]
        assert len(self.list_reports()) == 2

    @pytest.mark.parametrize("given", [[], ["run", "--dry-run"]])
    def test_the_command_wants_to_know_which(self, given: list[str]) -> None:
        with pytest.raises(CommandError):
            call_command("retention", *given)


class TestShortening:
    def propose(self, days: Any, code: str = "raw_message") -> Any:
        return approvals.propose(
            "retention_shortening",
            {"data_class": code, "days": days},
            object_ref=f"data_class:{code}",
            reason="少留一些",
            by=31,
            now=timezone.now(),
        )

    def approve(self, request: Any, by: int = 32) -> Any:
        return approvals.approve(
            request.pk, by=by, payload_hash=request.payload_hash, now=timezone.now()
        )

    def test_two_persons_make_it_shorter(self) -> None:
        request = self.propose(14)
        assert retention.read_days()["raw_message"] == 30

        done = self.approve(request)

        assert done.state == "done"
        assert retention.read_days()["raw_message"] == 14
        assert RetentionOverride.objects.get().change_request == request.pk

    @pytest.mark.parametrize(
        ("code", "days"),
        [
            ("raw_message", 0), ("raw_message", 30), ("raw_message", 31),
            ("raw_message", "14"), ("raw_message", True), ("raw_message", None),
            ("subject_request", 1000), ("audit_payload", 100), ("export", 1),
            ("unheard_of", 1), ("inactive_notice", 29),
        ],
    )  # fmt: skip
    def test_it_is_neither_longer_nor_below_the_floor(
        self, code: str, days: Any
    ) -> None:
        with pytest.raises(InvalidChange):
            self.propose(days, code)

    def test_one_that_is_overtaken_is_not_carried_out(self) -> None:
        first, second = self.propose(14), self.propose(20)
        self.approve(first)

        failed = self.approve(second)

        assert (failed.state, failed.result) == ("failed", {"error": "not-shorter"})
        assert retention.read_days()["raw_message"] == 14

    def test_the_shorter_of_setting_and_override_counts(self) -> None:
        self.approve(self.propose(14))

        with override_settings(RETENTION_DAYS={"raw_message": "7"}):
            assert retention.read_days()["raw_message"] == 7
        with override_settings(RETENTION_DAYS={"raw_message": "60"}):
            assert retention.read_days()["raw_message"] == 14
