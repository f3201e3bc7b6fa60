"""Carrying erasures out: all of a target and nothing else, once, with a receipt."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from consent import erasures, ledger
from consent.errors import ConsentError
from consent.models import (
    AccessRecord,
    ConsentEvent,
    ConsentGrant,
    ErasureRun,
    ExportChunk,
    ExportRun,
    ProfileValue,
    SubjectRequestNote,
)
from consent.tasks import run_erasure, sweep_erasures
from identity.models import UserFacet
from identity.types import RelationshipRef
from memories.models import ChatSession
from memsys.kernel.audit.models import AuditEntry, AuditPayload
from memsys.kernel.erasing import ANY_TARGET, Erasure, ErasureStep
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.scope.staff import staff_role
from tests.factories.api import CountedQueries
from tests.factories.erasing import (
    BY,
    DAY,
    NOW,
    ask,
    fill_user,
    left,
    make_filled,
    of,
    run,
)
from tests.factories.identity import make_relationship
from tests.factories.memories import (
    content_of,
    make_memory,
    make_message,
    make_session,
)

pytestmark = pytest.mark.django_db


def deeds_of(found: ErasureRun) -> list[str]:
    with staff_role():
        rows = AuditEntry.objects.filter(object_ref=f"erasure:{found.pk}")
        return list(rows.order_by("seq").values_list("action", flat=True))


def rows_of(ann: RelationshipRef) -> dict[str, int]:
    """Return how much a user has in each table of words."""
    own = {"global_user_id": ann.user_id}
    with access_scope(Purpose.JOB, user=ann.user_id):
        return {
            "values": ProfileValue.objects.filter(**own).count(),
            "chunks": ExportChunk.objects.filter(**own).count(),
            "notes": SubjectRequestNote.objects.filter(**own).count(),
            "granted": ConsentGrant.objects.filter(**own, status="granted").count(),
            "events": ConsentEvent.objects.filter(**own).count(),
        }


def test_everything_of_a_user_goes_from_every_store() -> None:
    """Acceptance rows 16, 21 and C6."""
    ann = make_filled()
    other = make_filled(user=ann.user_external_id)
    fill_user(ann)

    done = run(ask(erasures.Target(ann.user_id)))

    assert done is not None
    assert done.state == "done"
    assert (left(ann), left(other)) == ((0, 0), (0, 0))
    assert rows_of(ann) == {
        "values": 0, "chunks": 0, "notes": 0, "granted": 0, "events": 2,
    }  # fmt: skip
    facets = UserFacet.objects.filter(global_user_id=ann.user_id)
    assert {one.nickname for one in facets} == {""}
    assert ExportRun.objects.get(global_user_id=ann.user_id).state == "expired"
    assert done.counts["memories"] == 2
    assert done.counts["grants"] == 1


def test_nobody_elses_rows_and_no_other_relationship_are_touched() -> None:
    """Acceptance rows 14 and C9."""
    ann = make_filled()
    other, ben = make_filled(user=ann.user_external_id), make_filled()
    fill_user(ben)
    before = rows_of(ben)

    run(ask(of(ann)))
    run(ask(erasures.Target(make_filled().user_id)))

    assert (left(other), left(ben)) == ((1, 1), (1, 1))
    assert rows_of(ben) == before


def make_many(ann: RelationshipRef, count: int) -> None:
    """Make so many memories, and as many messages."""
    first, said = make_memory(ann, "我喜欢看海"), make_message(ann, "我喜欢看海")
    with content_of(ann):
        for row in (first, said):
            fields = {
                field.attname: getattr(row, field.attname)
                for field in row._meta.concrete_fields
                if field.attname not in ("id", "shard", "lineage")
            }
            own = [
                {"lineage": uuid4()} if row is first else {} for _ in range(1, count)
            ]
            type(row).objects.bulk_create(type(row)(**fields, **one) for one in own)


def test_all_of_it_goes_however_much_there_is_and_the_report_says_so() -> None:
    """Acceptance row 15."""
    ann = make_relationship()
    make_many(ann, 1237)

    with CountedQueries() as counted:
        done = run(ask(of(ann)))

    spent = sum(float(one["time"]) for one in counted.captured_queries)
    assert done is not None
    assert (done.counts["memories"], done.counts["messages"]) == (1237, 1237)
    assert left(ann) == (0, 0)
    assert spent < 2


def test_more_of_it_takes_no_more_statements() -> None:
    taken = []
    for count in (1, 300):
        ann = make_relationship()
        make_many(ann, count)
        wish = ask(of(ann))
        with CountedQueries() as counted:
            run(wish)
        taken.append(len(counted.statements))

    assert taken[0] == taken[1]


def test_one_memory_is_erased_at_once_and_the_rest_stays() -> None:
    ann = make_filled()
    memory = make_memory(ann, "喜欢看海")

    done = run(ask(of(ann, memory.lineage), at_once=False))

    assert done is not None
    assert done.state == "done"
    assert left(ann) == (1, 1)


def test_a_session_that_is_being_processed_ends_cancelled() -> None:
    """Acceptance row 24."""
    ann = make_relationship()
    session = make_session(ann, at=NOW, status="pending", ended_at=NOW)

    run(ask(of(ann)))

    assert ChatSession.objects.get(pk=session.pk).status == "cancelled_erased"


def test_it_stands_in_the_ledger_in_the_audit_and_in_the_outbox() -> None:
    """Acceptance row C6: one audit row of the erasure."""
    ann = make_filled()

    done = run(ask(of(ann)))

    assert done is not None
    (line,) = [one for one in ledger.read_lines() if one.entry.run == done.pk]
    assert line.entry.relationship == ann.id
    assert line.entry.receipt == done.receipt_code
    assert deeds_of(done) == ["erasure.requested", "erasure.done"]
    event = OutboxEvent.objects.get(name="erasure.done", user_id=ann.user_id)
    assert event.data["receipt"] == done.receipt_code


def test_access_rows_stay_and_payloads_of_the_chain_go() -> None:
    ann = make_filled()
    with access_scope(Purpose.JOB, user=ann.user_id):
        AccessRecord.objects.create(
            global_user_id=ann.user_id, actor="service:x", action="context",
            memory_ids=[uuid4()], read_at=NOW,
        )  # fmt: skip
    wish = ask(erasures.Target(ann.user_id))

    done = run(wish)

    assert done is not None
    with access_scope(Purpose.JOB, user=ann.user_id):
        assert AccessRecord.objects.filter(global_user_id=ann.user_id).count() == 1
    assert done.counts["audit_payloads"] > 0
    with staff_role():
        kept = AuditPayload.objects.filter(subject=ann.user_id)
        assert {row.body.get("target") for row in kept} <= {None, "user"}


def test_a_receipt_is_found_by_its_code_alone() -> None:
    done = run(ask(of(make_filled())))
    assert done is not None

    receipt = erasures.find_receipt(done.receipt_code.lower())

    assert receipt is not None
    assert receipt.state == "done"
    assert receipt.counts["memories"] == 1
    assert erasures.find_receipt("0" * 23) is None
    assert erasures.find_receipt("nonsense") is None


class TestVerification:
    def test_it_is_due_after_a_day_and_after_five_weeks(self) -> None:
        done = run(ask(of(make_filled())))
        assert done is not None

        first = erasures.verify(done.pk, now=NOW + DAY)
        second = erasures.verify(done.pk, now=NOW + 35 * DAY)

        assert done.verify_from == NOW + DAY
        assert first.verify_from == NOW + 35 * DAY
        assert (first.residue, second.residue) == ({}, {})
        assert second.verify_from is None

    def test_what_is_left_is_an_alarm(self, caplog: pytest.LogCaptureFixture) -> None:
        """Acceptance row 16: residue is counted by store."""
        ann = make_filled()
        done = run(ask(of(ann)))
        assert done is not None
        make_memory(ann, "花生", occurred_at=NOW - DAY)

        checked = erasures.verify(done.pk, now=NOW + DAY)

        assert checked.residue == {"memories": 1}
        assert "erasure.residue" in caplog.text

    def test_what_was_said_since_is_none(self) -> None:
        ann = make_filled()
        done = run(ask(of(ann)))
        assert done is not None
        make_memory(ann, "喜欢看海", occurred_at=NOW + timedelta(hours=1))

        assert erasures.verify(done.pk, now=NOW + DAY).residue == {}


@pytest.mark.parametrize("run_id", ["", " ", "x", "0192"])
def test_a_job_that_names_no_run_is_refused(run_id: str) -> None:
    """Acceptance row 7."""
    with pytest.raises(ConsentError):
        run_erasure(run_id=run_id)


def test_a_job_for_a_run_that_is_not_due_does_nothing() -> None:
    assert run_erasure(run_id=str(uuid4())) == "not_due"


def erase_badly(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Stand for a step with a fault that nobody thought of."""
    if erasure.reason_code == "poison":
        raise KeyError("nobody thought of it")
    return {}


ERASURE_STEPS = (
    ErasureStep("test.poison", ANY_TARGET, erase_badly, lambda erasure: {}),
)


def test_one_that_always_fails_holds_no_other_up_and_is_told(
    settings: Any, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """Acceptance row 61, for erasures."""
    settings.PERSONAL_DATA_MODULES = [
        "tests.consent.erasures.test_running",
        *settings.PERSONAL_DATA_MODULES,
    ]
    long_ago = timezone.now() - 2 * DAY
    others = [make_filled() for _ in range(2)]
    poison = erasures.request(
        of(make_filled()), by=BY, reason_code="poison", at_once=True, now=long_ago
    )
    checked = run(ask(of(make_filled()), at=long_ago), long_ago)
    wishes = [ask(of(one), at=long_ago + DAY) for one in others]

    with pytest.raises(KeyError):
        sweep_erasures()

    assert checked is not None
    checked.refresh_from_db()
    assert checked.verified_at is not None
    assert "sweep.stuck" in caplog.text
    assert [left(one) for one in others] == [(0, 0)] * 2
    states = [ErasureRun.objects.get(pk=one.pk).state for one in (poison, *wishes)]
    assert states == ["running", "done", "done"]
    told = client.get("/readyz").json()
    assert (told["status"], told["erasures_late"]) == ("degraded", 1)
