"""Exports at the desk: one person with a reason, a second one for more, taken once."""

import io
import json
import zipfile
from typing import Any

import pytest
from django.utils import timezone

from consent import approvals, exports
from consent.models import ChangeRequest, ExportRun
from consent.tasks import carry_out_change, run_export
from identity.models import GlobalUser
from identity.types import RelationshipRef
from memsys.desk.sign_in import PROVED
from memsys.kernel.audit.models import AuditPayload
from memsys.kernel.scope.staff import staff_role
from tests.desk.conftest import Person, make_colleague
from tests.desk.rows import list_audit
from tests.factories.exporting import make_export, read_section
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory

WHY = {"reason_code": "legal", "reason": "case 7 asks for it"}
WISH = WHY | {"parts": ["memories"], "formats": ["json", "html"]}


@pytest.fixture
def compliance(db: None) -> Person:
    return make_colleague("compliance_officer")


@pytest.fixture
def legal(db: None) -> Person:
    return make_colleague("legal_reviewer")


def export(person: Person, page: str, **told: Any) -> ExportRun:
    """Ask for an export at the desk, and let a worker make it."""
    person.browser.post(page, WISH | told)
    run = ExportRun.objects.get(requested_by=person.actor)
    run_export(run_id=str(run.pk))
    run.refresh_from_db()
    return run


def page_of(run: ExportRun) -> str:
    return f"/desk/consent/exportrun/{run.pk}/change/"


def take(person: Person, run: ExportRun) -> Any:
    return person.browser.post(f"/desk/exports/{run.pk}/take/")


def agree(person: Person, change: ChangeRequest) -> None:
    approvals.approve(
        change.pk,
        by=person.user.pk,
        payload_hash=change.payload_hash,
        now=timezone.now(),
    )
    carry_out_change(change_id=str(change.pk))


@pytest.mark.parametrize("whole", [False, True])
def test_it_is_asked_for_with_a_reason_and_taken_once(
    whole: bool, compliance: Person, ann: RelationshipRef
) -> None:
    make_memory(ann, "喜欢看海")
    place = f"people/{ann.user_id}" if whole else f"relationships/{ann.id}"

    run = export(compliance, f"/desk/{place}/export/")
    shown = compliance.browser.get(page_of(run)).text
    answer = take(compliance, run)
    data = b"".join(answer.streaming_content)
    again = take(compliance, run)
    after = compliance.browser.get(page_of(run)).text

    assert run.relationship_id == (None if whole else ann.id)
    assert (run.state, run.for_staff, run.reason_code) == ("ready", True, "legal")
    assert "Take the file" in shown
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        manifest = json.loads(packed.read("manifest.json"))
    assert manifest["requested_by"] == compliance.actor
    assert again.status_code == 302
    assert "Take the file" not in after
    assert "was taken before" in after


def test_the_words_of_the_reason_are_kept_where_they_can_be_erased(
    compliance: Person, ann: RelationshipRef
) -> None:
    run = export(compliance, f"/desk/relationships/{ann.id}/export/")
    take(compliance, run)

    deeds = [one.action for one in list_audit(object_ref=f"export:{run.pk}")]
    assert deeds == [
        "export.requested",
        "export.reason",
        "export.ready",
        "export.taken",
    ]
    (entry,) = list_audit(action="export.reason", actor=compliance.actor)
    with staff_role():
        payload = AuditPayload.objects.get(pk=entry.pk)
    assert (entry.reason_code, payload.body) == ("legal", {"words": WHY["reason"]})


def test_nothing_is_made_without_a_reason_or_a_part(
    compliance: Person, ann: RelationshipRef
) -> None:
    page = f"/desk/relationships/{ann.id}/export/"

    for told in ({"reason": "short"}, {"parts": []}, {"formats": []},
                 {"parts": ["profile"]}, {"parts": ["sensitive_memories"]}):  # fmt: skip
        answer = compliance.browser.post(page, WISH | told)
        assert answer.status_code == 200

    assert not ExportRun.objects.exists()


def test_only_whoever_asked_takes_it(
    compliance: Person, legal: Person, ann: RelationshipRef
) -> None:
    run = export(compliance, f"/desk/people/{ann.user_id}/export/")
    of_the_user = make_export(ann)

    shown = legal.browser.get(page_of(run)).text
    answers = [
        take(legal, run),
        take(legal, of_the_user),
        take(compliance, of_the_user),
    ]

    assert "Take the file" not in shown
    assert [one.status_code for one in answers] == [404, 404, 404]
    assert ExportRun.objects.get(pk=run.pk).state == "ready"


def test_a_look_does_not_use_the_file_up(
    compliance: Person, ann: RelationshipRef
) -> None:
    """Acceptance row C23: what goes once is not taken by whoever only looks."""
    run = export(compliance, f"/desk/people/{ann.user_id}/export/")
    page = f"/desk/exports/{run.pk}/take/"

    statuses = [
        compliance.browser.head(page).status_code,
        compliance.browser.get(page).status_code,
    ]

    assert statuses == [405, 405]
    assert ExportRun.objects.get(pk=run.pk).state == "ready"


def test_the_asking_and_the_taking_are_on_the_timeline(
    compliance: Person, ann: RelationshipRef
) -> None:
    run = export(compliance, f"/desk/relationships/{ann.id}/export/")
    take(compliance, run)

    shown = compliance.browser.get(
        f"/desk/identity/relationship/{ann.id}/change/?kind=export"
    ).text

    assert "An export was asked for" in shown
    assert "The file of an export was taken" in shown


def test_it_says_how_far_it_is(compliance: Person, ann: RelationshipRef) -> None:
    compliance.browser.post(f"/desk/relationships/{ann.id}/export/", WISH)
    run = ExportRun.objects.get()

    waiting = compliance.browser.get(page_of(run)).text
    ExportRun.objects.update(state="running", progress=40)
    running = compliance.browser.get(page_of(run)).text
    ExportRun.objects.update(state="failed", error_code="tries-exhausted")
    failed = compliance.browser.get(page_of(run)).text

    assert "waits for a worker" in waiting
    assert "40 % are done" in running
    assert "Look again" in running
    assert "could not be made" in failed


def test_who_has_no_such_right_is_refused(ann: RelationshipRef) -> None:
    for role in ("auditor", "support", "operator_lead"):
        person = make_colleague(role)
        for place in (f"relationships/{ann.id}", f"people/{ann.user_id}"):
            answer = person.browser.post(f"/desk/{place}/export/", WISH)
            assert answer.status_code == 403

    assert not ExportRun.objects.exists()


def test_who_has_not_just_shown_who_they_are_is_asked_again(
    compliance: Person, ann: RelationshipRef
) -> None:
    session = compliance.browser.session
    session[PROVED] = "2026-01-01T00:00:00+00:00"
    session.save()

    answer = compliance.browser.post(f"/desk/relationships/{ann.id}/export/", WISH)

    assert "/again/" in answer["Location"]
    assert not ExportRun.objects.exists()


class TestASecondPerson:
    def test_sensitive_memories_take_one(
        self, compliance: Person, legal: Person, ann: RelationshipRef
    ) -> None:
        make_memory(
            ann, "在吃药", visibility="sensitive", sensitive_category="medication"
        )
        page = f"/desk/people/{ann.user_id}/export/"
        compliance.browser.post(
            page, WISH | {"parts": ["memories", "sensitive_memories"]}
        )
        before = ExportRun.objects.count()
        change = ChangeRequest.objects.get()

        agree(legal, change)

        run = ExportRun.objects.get()
        run_export(run_id=str(run.pk))
        run.refresh_from_db()
        assert before == 0
        assert run.requested_by == compliance.actor
        told = [row["statement"] for row in read_section(run, "sensitive_memories")]
        assert told == ["在吃药"]
        assert take(compliance, run).status_code == 200

    def test_several_users_take_one_and_each_has_a_file(
        self, compliance: Person, legal: Person
    ) -> None:
        people = [make_relationship() for _ in range(3)]
        names = "\n".join(one.user_external_id for one in people)

        compliance.browser.post(
            "/desk/exports/several/", WISH | {"users": f"{names}\n\n"}
        )
        before = ExportRun.objects.count()
        agree(legal, ChangeRequest.objects.get())

        runs = ExportRun.objects.filter(requested_by=compliance.actor)
        assert before == 0
        assert {one.global_user_id for one in runs} == {one.user_id for one in people}

    def test_somebody_unknown_is_a_fault_of_the_form(self, compliance: Person) -> None:
        answer = compliance.browser.post(
            "/desk/exports/several/", WISH | {"users": "nobody"}
        )

        assert answer.status_code == 200
        assert not ChangeRequest.objects.exists()

    def test_a_minors_data_takes_one_before(
        self, compliance: Person, legal: Person, ann: RelationshipRef
    ) -> None:
        GlobalUser.objects.filter(pk=ann.user_id).update(age_band="minor_14_17")
        page = f"/desk/relationships/{ann.id}/export/"
        compliance.browser.post(page, WISH)
        refused = ExportRun.objects.count()
        change = ChangeRequest.objects.get(kind="minor_access")

        agree(legal, change)

        run = export(compliance, page)
        assert refused == 0
        assert run.state == "ready"
        assert take(compliance, run).status_code == 200

    def test_a_minors_file_is_not_taken_once_the_access_is_over(
        self, compliance: Person, ann: RelationshipRef
    ) -> None:
        run = exports.request(
            exports.Wish(ann.user_id, for_staff=True),
            by=compliance.actor,
            reason_code="legal",
            now=timezone.now(),
        )
        run_export(run_id=str(run.pk))
        GlobalUser.objects.filter(pk=ann.user_id).update(age_band="under_14")

        answer = take(compliance, run)

        assert answer["Location"] == f"/desk/people/{ann.user_id}/export/"
        assert ExportRun.objects.get(pk=run.pk).state == "ready"


def test_it_offers_what_can_be_had_of_each(
    compliance: Person, ann: RelationshipRef
) -> None:
    one = compliance.browser.get(f"/desk/relationships/{ann.id}/export/").text
    whole = compliance.browser.get(f"/desk/people/{ann.user_id}/export/").text
    several = compliance.browser.get("/desk/exports/several/").text

    for part, places in {
        "memories": (one, whole, several),
        "private_notes": (one, whole, several),
        "profile": (whole, several),
        "sensitive_memories": (whole, several),
    }.items():
        found = tuple(
            text for text in (one, whole, several) if f'value="{part}"' in text
        )
        assert found == places


def test_its_buttons_are_where_the_deeds_are(
    compliance: Person, ann: RelationshipRef
) -> None:
    relationship = compliance.browser.get(
        f"/desk/identity/relationship/{ann.id}/change/"
    ).text
    user = compliance.browser.get(
        f"/desk/identity/globaluser/{ann.user_id}/change/"
    ).text
    queue = compliance.browser.get("/desk/consent/exportrun/").text

    assert f"/desk/relationships/{ann.id}/export/" in relationship
    assert f"/desk/people/{ann.user_id}/export/" in user
    assert "/desk/exports/several/" in queue
