"""What takes two persons: asked by one, decided by another, done once."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import (
    DatabaseError,
    IntegrityError,
    ProgrammingError,
    connection,
    transaction,
)
from django.utils import timezone

from consent import approvals
from consent.errors import (
    ChangeClosed,
    ChangeNotFound,
    InvalidChange,
    NotTheRequester,
    SamePerson,
    StaleChange,
    UnknownChangeKind,
)
from consent.models import ChangeRequest
from consent.tasks import carry_out_change, sweep_changes
from identity.models import Creator
from memsys.kernel.audit.models import AuditEntry, AuditPayload
from memsys.kernel.scope.staff import staff_role
from memsys.kernel.valkey import get_valkey
from tests.consent import kinds
from tests.factories.identity import new_name
from tests.identity.audit import list_deeds
from tests.parallel import run_parallel

OFFICER, REVIEWER, AUDITOR = 11, 12, 13
HOUR = timedelta(hours=1)
UPDATE = "UPDATE consent_changerequest SET {change} WHERE id = %s"
QUEUE = "celery\x06\x163"


@pytest.fixture(autouse=True)
def of_tests(settings: Any) -> None:
    settings.CHANGE_KINDS = kinds.PATHS


def propose(kind: str = "naming", *, by: int = OFFICER, **told: Any) -> ChangeRequest:
    payload = {"name": new_name("creator")} | told
    return approvals.propose(
        kind,
        payload,
        object_ref="creator:new",
        reason="客户来信要求",
        by=by,
        now=timezone.now(),
    )


def approve(
    request: ChangeRequest, *, by: int = REVIEWER, at: datetime | None = None
) -> ChangeRequest:
    return approvals.approve(
        request.pk,
        by=by,
        payload_hash=request.payload_hash,
        now=at or timezone.now(),
        note="已核对",
    )


def make_edited(kind: str, **fields: Any) -> ChangeRequest:
    """Make an approved request whose payload is not the one that has its hash."""
    now = timezone.now()
    told = {"kind": kind, "state": "approved", "reason": "客户来信要求"}
    told |= {"requested_by": OFFICER, "decided_by": REVIEWER, "decided_at": now}
    payload = {"name": new_name("creator"), "fails": "", "gains": []}
    hashes = {"payload": payload, "payload_hash": "0" * 64}
    return ChangeRequest.objects.create(
        **told | hashes | {"expires_at": now + 72 * HOUR} | fields
    )


def count_made(request: ChangeRequest) -> int:
    name = request.payload["name"]
    return int(Creator.objects.filter(external_id__startswith=name).count())


def state_of(request: ChangeRequest) -> str:
    return str(ChangeRequest.objects.get(pk=request.pk).state)


def list_steps(request: ChangeRequest) -> list[tuple[str, str]]:
    deeds = list_deeds("change_request", request.pk)
    return [(deed.action, deed.actor) for deed in deeds]


@pytest.mark.django_db
class TestAsking:
    def test_nothing_is_done_until_a_second_person_agrees(self) -> None:
        request = propose()

        assert request.state == "open"
        assert request.expires_at - request.requested_at == 72 * HOUR
        assert count_made(request) == 0

    def test_it_takes_a_kind_that_there_is(self) -> None:
        with pytest.raises(UnknownChangeKind):
            propose("renaming")

    @pytest.mark.parametrize("name", [None, 7, float("nan"), "a\0b", "x" * 200_001])
    def test_it_takes_what_the_kind_takes(self, name: Any) -> None:
        with pytest.raises(InvalidChange):
            propose(name=name)

        assert not ChangeRequest.objects.exists()

    @pytest.mark.parametrize("reason", ["", " \u200b", "x" * 501])
    def test_it_wants_a_reason(self, reason: str) -> None:
        with pytest.raises(InvalidChange, match="reason"):
            approvals.propose(
                "naming",
                {"name": "x"},
                object_ref="",
                reason=reason,
                by=OFFICER,
                now=timezone.now(),
            )

    def test_the_same_wish_has_the_same_hash_however_it_is_written(self) -> None:
        one = propose(name="月影", fails="")
        other = propose(fails="", name="月影")

        assert one.payload_hash == other.payload_hash

    def test_the_hours_can_be_fewer(self, settings: Any) -> None:
        settings.CHANGE_REQUEST_HOURS = 4

        request = propose()

        assert request.expires_at - request.requested_at == 4 * HOUR

    def test_it_lists_the_kinds_that_there_are(self) -> None:
        codes = [kind.code for kind in approvals.list_kinds()]

        assert codes == ["naming", "long_naming"]

    def test_it_describes_what_would_change(self) -> None:
        assert approvals.describe(propose(name="月影")) == [("Name", "月影")]


@pytest.mark.django_db
class TestApproving:
    def test_another_person_approves_and_it_is_done_at_once(self) -> None:
        request = propose()

        done = approve(request)

        assert (done.state, count_made(request)) == ("done", 1)
        assert state_of(request) == "done"
        assert (done.decided_by, done.decision_note) == (REVIEWER, "已核对")
        assert set(done.result) == {"creator"}

    def test_whoever_asked_cannot_approve(self) -> None:
        request = propose()

        with pytest.raises(SamePerson):
            approve(request, by=OFFICER)

        assert (state_of(request), count_made(request)) == ("open", 0)
        assert not approvals.may_decide(request, by=OFFICER, now=timezone.now())
        assert approvals.may_decide(request, by=REVIEWER, now=timezone.now())

    def test_whoever_gains_by_it_cannot_approve(self) -> None:
        request = propose(gains=[REVIEWER])

        with pytest.raises(SamePerson):
            approve(request, by=REVIEWER)

        assert approve(request, by=AUDITOR).state == "done"

    @pytest.mark.parametrize("shown", ["", "0" * 64, "密"])
    def test_it_takes_the_hash_that_was_shown(self, shown: str) -> None:
        request = propose()

        with pytest.raises(StaleChange):
            approvals.approve(
                request.pk, by=REVIEWER, payload_hash=shown, now=timezone.now()
            )

        assert (state_of(request), count_made(request)) == ("open", 0)

    def test_it_runs_once(self) -> None:
        request = propose()
        approve(request)

        with pytest.raises(ChangeClosed):
            approve(request, by=AUDITOR)

        assert count_made(request) == 1

    def test_it_is_over_after_its_hours(self) -> None:
        request = propose()

        with pytest.raises(ChangeClosed):
            approve(request, at=request.expires_at)

        assert not approvals.may_decide(request, by=REVIEWER, now=request.expires_at)
        assert count_made(request) == 0

    def test_there_must_be_one(self) -> None:
        with pytest.raises(ChangeNotFound):
            approvals.approve(uuid4(), by=1, payload_hash="", now=timezone.now())

    @pytest.mark.parametrize(
        ("fails", "code"),
        [
            ("foreseen", "not-that-name"),
            ("taken", "refused-by-database"),
            ("late", "refused-by-database"),
        ],
    )
    def test_what_fails_is_failed_and_nothing_of_it_is_done(
        self, fails: str, code: str
    ) -> None:
        request = propose(fails=fails)

        done = approve(request)

        assert (done.state, done.result) == ("failed", {"error": code})
        assert (state_of(request), count_made(request)) == ("failed", 0)
        assert list_deeds("change_request", request.pk)[-1].reason_code == code

    def test_an_error_of_ours_leaves_it_open(self) -> None:
        request = propose(fails="unforeseen")

        with pytest.raises(ZeroDivisionError):
            approve(request)

        assert (state_of(request), count_made(request)) == ("open", 0)
        assert list_steps(request) == [("change.proposed", f"staff:{OFFICER}")]


@pytest.mark.django_db
class TestEndingOtherwise:
    def test_another_person_refuses_with_a_reason(self) -> None:
        request = propose()

        approvals.refuse(request.pk, by=REVIEWER, note="证据不足", now=timezone.now())

        assert state_of(request) == "refused"
        with pytest.raises(ChangeClosed):
            approve(request, by=AUDITOR)

    def test_a_refusal_has_a_reason_and_is_not_ones_own(self) -> None:
        request = propose()

        with pytest.raises(InvalidChange):
            approvals.refuse(request.pk, by=REVIEWER, note=" ", now=timezone.now())
        with pytest.raises(SamePerson):
            approvals.refuse(request.pk, by=OFFICER, note="不", now=timezone.now())

        assert state_of(request) == "open"

    def test_whoever_asked_withdraws_and_nobody_else(self) -> None:
        request = propose()

        with pytest.raises(NotTheRequester):
            approvals.withdraw(request.pk, by=REVIEWER, now=timezone.now())
        approvals.withdraw(request.pk, by=OFFICER, now=timezone.now())

        assert state_of(request) == "withdrawn"
        with pytest.raises(ChangeClosed):
            approve(request)

    def test_what_nobody_decided_in_time_expires(self) -> None:
        late, fresh = propose(), propose()
        ended = late.expires_at

        count = approvals.expire_due(ended - timedelta(seconds=1))
        swept = sweep_changes()

        assert (count, swept["expired"]) == (0, 0)
        assert approvals.expire_due(ended + HOUR) == 2
        assert approvals.expire_due(ended + HOUR) == 0
        assert (state_of(late), state_of(fresh)) == ("expired", "expired")


@pytest.mark.django_db
class TestTheAudit:
    def test_each_step_is_a_deed_of_the_one_who_did_it(self) -> None:
        done, failed, gone = propose(), propose(fails="foreseen"), propose()
        refused, expired = propose(), propose()

        approve(done)
        approve(failed)
        approvals.withdraw(gone.pk, by=OFFICER, now=timezone.now())
        approvals.refuse(refused.pk, by=REVIEWER, note="不", now=timezone.now())
        approvals.expire_due(expired.expires_at)

        asked, second = ("change.proposed", "staff:11"), "staff:12"
        agreed = ("change.approved", second)
        assert list_steps(done) == [asked, agreed, ("change.carried_out", second)]
        assert list_steps(failed) == [asked, agreed, ("change.failed", second)]
        assert list_steps(gone) == [asked, ("change.withdrawn", "staff:11")]
        assert list_steps(refused) == [asked, ("change.refused", second)]
        assert list_steps(expired) == [asked, ("change.expired", "system:approvals")]

    def test_the_words_of_people_are_where_they_can_be_erased(self) -> None:
        request = propose(name="月影")

        deed = list_deeds("change_request", request.pk)[0]

        with staff_role():
            words = AuditPayload.objects.get(entry_id=deed.pk).body["reason"]
            row = AuditEntry.objects.filter(pk=deed.pk).values().get()
        assert (words, deed.chain) == ("客户来信要求", "governance")
        assert deed.field_names == ["fails", "gains", "name"]
        assert "客户来信要求" not in str(row)
        assert "月影" not in str(row)


def run_sql(statement: str, *values: Any) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, values)


@pytest.mark.django_db
class TestTheDatabase:
    """What the app's own role cannot do in SQL either."""

    def test_it_refuses_an_approval_by_whoever_asked(self) -> None:
        request = propose()

        for state in ("approved", "done", "refused"):
            with pytest.raises(IntegrityError, match="two_persons"):
                run_sql(
                    "UPDATE consent_changerequest SET state = %s, decided_by = %s, "
                    "decided_at = now(), finished_at = CASE WHEN %s = 'done' "
                    "THEN now() END WHERE id = %s",
                    state,
                    OFFICER,
                    state,
                    request.pk,
                )

    def test_nobody_is_two_persons_by_writing_their_name_in_capitals(self) -> None:
        name = new_name("officer")
        User.objects.create(username=name)

        with pytest.raises(IntegrityError, match="desk_account_name"):
            User.objects.create(username=name.upper())

    def test_it_refuses_an_approval_by_nobody(self) -> None:
        request = propose()

        with pytest.raises(IntegrityError, match="decided"):
            run_sql(
                "UPDATE consent_changerequest SET state = 'approved' WHERE id = %s",
                request.pk,
            )

    @pytest.mark.parametrize(
        "change",
        [
            "payload = '{}'",
            "payload_hash = ''",
            "requested_by = 99",
            "kind = 'other'",
            "object_ref = 'x'",
            "reason = 'x'",
            "expires_at = now() + interval '9 days'",
        ],
    )
    def test_it_refuses_to_change_what_was_asked_for(self, change: str) -> None:
        request = propose()

        with pytest.raises(ProgrammingError, match="permission denied"):
            run_sql(UPDATE.format(change=change), request.pk)

    def test_what_was_edited_all_the_same_is_not_approved(self) -> None:
        request = make_edited("naming", state="open", decided_by=None, decided_at=None)

        with pytest.raises(StaleChange):
            approve(request)

        assert (state_of(request), count_made(request)) == ("open", 0)

    def test_what_was_edited_after_its_approval_is_not_carried_out(self) -> None:
        request = make_edited("long_naming")

        done = approvals.carry_out_claimed(request.pk, now=timezone.now())

        assert done is not None
        assert (done.state, done.result) == ("failed", {"error": "stale-change"})
        assert count_made(request) == 0

    def test_it_refuses_to_delete_one(self) -> None:
        request = propose()

        with pytest.raises(DatabaseError, match="permission denied"):
            run_sql("DELETE FROM consent_changerequest WHERE id = %s", request.pk)


@pytest.fixture
def jobs() -> Iterator[None]:
    get_valkey().delete(QUEUE)
    yield
    get_valkey().delete(QUEUE)


@pytest.mark.usefixtures("real_commits", "jobs")
class TestCommits:
    def test_of_two_who_approve_at_once_one_carries_out(self) -> None:
        request = propose()

        def decide(number: int) -> str:
            try:
                return str(approve(request, by=REVIEWER + number).state)
            except ChangeClosed:
                return "closed"

        outcomes = run_parallel(2, decide)

        assert sorted(outcomes) == ["closed", "done"]
        assert count_made(request) == 1

    def test_an_approval_and_a_withdrawal_at_once_leave_one_of_both(self) -> None:
        request = propose()

        def decide(number: int) -> str:
            try:
                if number:
                    return str(approve(request).state)
                now = timezone.now()
                return str(approvals.withdraw(request.pk, by=OFFICER, now=now).state)
            except ChangeClosed:
                return "closed"

        outcomes = run_parallel(2, decide)

        assert outcomes.count("closed") == 1
        assert count_made(request) == ("done" in outcomes)

    def test_what_takes_long_is_approved_and_a_job_is_asked_for(self) -> None:
        request = propose("long_naming")

        done = approve(request)

        assert (done.state, count_made(request)) == ("approved", 0)
        assert get_valkey().llen(QUEUE) == 1

    def test_the_job_does_it_once(self) -> None:
        request = propose("long_naming")
        approve(request)

        first = carry_out_change(change_id=str(request.pk))
        second = carry_out_change(change_id=str(request.pk))

        assert (first, second) == ("done", "not_waiting")
        assert count_made(request) == 2
        assert list_steps(request)[-1] == ("change.carried_out", "system:approvals")

    def test_a_job_that_died_goes_on_where_it_was(self) -> None:
        """Acceptance row C26: run twice, killed in the middle, the same end."""
        request = propose("long_naming", fails="dies")
        approve(request)
        with pytest.raises(SystemExit):
            carry_out_change(change_id=str(request.pk))
        after = timezone.now() + timedelta(minutes=7)

        at_once = approvals.list_waiting(now=timezone.now())
        later = approvals.list_waiting(now=after)
        done = approvals.carry_out_claimed(request.pk, now=after)

        assert (request.pk in at_once, request.pk in later) == (False, True)
        assert done is not None
        assert (done.state, done.result) == ("done", {"made": 2})
        assert count_made(request) == 2

    def test_the_sweep_asks_again_for_a_job_that_was_lost(self) -> None:
        """Acceptance row C27."""
        request = propose("long_naming")
        approve(request)
        get_valkey().delete(QUEUE)

        swept = sweep_changes()

        assert swept["queued"] >= 1
        assert get_valkey().llen(QUEUE) == swept["queued"]
        assert request.pk in approvals.list_waiting(now=timezone.now())
