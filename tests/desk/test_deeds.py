"""Deeds at the desk: each asks why, is one call of a service, and says what became."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.utils import timezone

from consent import erasures, holds
from consent.models import (
    ErasureRun,
    LegalHold,
    PolicyVersion,
    ProfileField,
    ReleasePolicy,
)
from identity.models import Relationship
from identity.types import RelationshipRef
from memories.models import Memory
from memsys.desk.sign_in import PROVED
from memsys.kernel.scope import Purpose, access_scope
from recall.changes import read_values
from recall.models import RecallPolicy
from tests.desk.conftest import Person, make_colleague
from tests.desk.evil import EVIL, RUNNING
from tests.desk.rows import list_audit, make_governance, newest_change
from tests.factories.memories import make_memory

WHY = {"reason_code": "legal", "reason": "case 7 asks for it"}
WORDS = {"reason": "case 7 asks for it"}


@pytest.fixture
def compliance(db: None) -> Person:
    return make_colleague("compliance_officer")


@pytest.fixture
def legal(db: None) -> Person:
    return make_colleague("legal_reviewer")


def status_of(relationship: RelationshipRef) -> str:
    return str(Relationship.objects.get(pk=relationship.id).status)


def place_hold(relationship: RelationshipRef) -> LegalHold:
    return holds.place(
        relationship.user_id,
        relationship_id=relationship.id,
        reason_code="legal",
        case_ref="7",
        by="staff:0",
        now=timezone.now(),
    )


@pytest.mark.parametrize("status", ["paused", "restricted"])
def test_it_changes_the_standing_and_keeps_the_reason(
    status: str, compliance: Person, ann
):
    page = f"/desk/relationships/{ann.id}/standing/"

    response = compliance.browser.post(page, WHY | {"status": status}, follow=True)

    assert status_of(ann) == status
    assert "You changed it" in response.text
    (entry,) = list_audit(action="relationship.standing_reason")
    assert (entry.actor, entry.reason_code) == (compliance.actor, "legal")


def test_it_opens_nothing_that_waits_to_be_erased(compliance: Person, ann):
    target = erasures.Target(ann.user_id, ann.id)
    now = timezone.now()
    erasures.request(target, by="user:1", reason_code="test", at_once=False, now=now)
    page = f"/desk/relationships/{ann.id}/standing/"

    response = compliance.browser.post(page, WHY | {"status": "active"}, follow=True)

    assert status_of(ann) == "restricted"
    assert "What it is now does not allow this." in response.text


def test_it_ends_no_relationship(compliance: Person, ann):
    page = f"/desk/relationships/{ann.id}/standing/"

    compliance.browser.post(page, WHY | {"status": "ended"})

    assert status_of(ann) == "active"


def test_it_corrects_a_memory_and_marks_it(compliance: Person, ann):
    memory = make_memory(ann, "我对芒果过敏", kind="fact")
    page = f"/desk/relationships/{ann.id}/memories/{memory.lineage}/correct/"

    compliance.browser.post(page, WHY | {"statement": "我对桃子过敏"})

    with access_scope(Purpose.JOB, relationship=ann.id):
        now = Memory.objects.get(lineage=memory.lineage, recorded_to=None)
    assert (now.text, now.author) == ("我对桃子过敏", "staff")
    assert len(list_audit(action="memory.corrected", actor=compliance.actor)) == 1


def test_it_corrects_no_memory_of_another_relationship(compliance: Person, ann, ben):
    memory = make_memory(ben, "我对芒果过敏")
    page = f"/desk/relationships/{ann.id}/memories/{memory.lineage}/correct/"

    response = compliance.browser.post(page, WHY | {"statement": "我对桃子过敏"})

    assert response.status_code == 404


@pytest.mark.parametrize("whole", [False, True])
def test_it_places_a_hold(whole: bool, legal: Person, ann):
    place = f"people/{ann.user_id}" if whole else f"relationships/{ann.id}"

    response = legal.browser.post(
        f"/desk/{place}/hold/", WHY | {"case_ref": "case 7"}, follow=True
    )

    hold = LegalHold.objects.get()
    assert hold.relationship_id == (None if whole else ann.id)
    assert (hold.case_ref, hold.placed_by) == ("case 7", legal.actor)
    assert "Nothing that this covers is erased" in response.text


def test_it_shows_what_an_erasure_takes_and_asks_for_the_code(compliance: Person, ann):
    make_memory(ann, "养了猫")
    page = f"/desk/relationships/{ann.id}/erase/"

    shown = compliance.browser.get(page).text
    wrong = compliance.browser.post(page, WHY | {"confirmation": "x"}).text

    assert str(ann.id)[-8:] in shown
    assert "memories" in shown
    assert "This is not the code" in wrong
    assert not ErasureRun.objects.exists()


@pytest.mark.parametrize("what", ["memory", "relationship", "user"])
def test_it_asks_for_an_erasure(what: str, compliance: Person, ann):
    memory = make_memory(ann, "养了猫")
    page, key = {
        "memory": (
            f"/desk/relationships/{ann.id}/memories/{memory.lineage}/erase/",
            memory.lineage,
        ),
        "relationship": (f"/desk/relationships/{ann.id}/erase/", ann.id),
        "user": (f"/desk/people/{ann.user_id}/erase/", ann.user_id),
    }[what]

    compliance.browser.post(page, WHY | {"confirmation": str(key)[-8:]})

    run = ErasureRun.objects.get()
    assert (run.target, run.requested_by) == (what, compliance.actor)


def test_it_undoes_an_erasure_while_there_is_time(compliance: Person, ann):
    form = WHY | {"confirmation": str(ann.id)[-8:]}
    compliance.browser.post(f"/desk/relationships/{ann.id}/erase/", form)
    run = ErasureRun.objects.get()

    restricted = status_of(ann)
    text = compliance.browser.post(f"/desk/erasures/{run.pk}/undo/", follow=True).text

    assert (restricted, status_of(ann)) == ("restricted", "active")
    assert "It was undone" in text


def test_it_says_that_a_hold_bars_an_erasure(compliance: Person, ann):
    hold = place_hold(ann)
    page = f"/desk/relationships/{ann.id}/erase/"
    form = WHY | {"confirmation": str(ann.id)[-8:], "at_once": "on"}

    before = compliance.browser.get(page).text
    after = compliance.browser.post(page, form, follow=True).text

    assert str(hold.pk) in before
    assert "A legal hold bars it" in after


def test_it_lifts_a_hold_by_two_persons(compliance: Person, legal: Person, ann):
    hold = place_hold(ann)

    asked = legal.browser.post(f"/desk/holds/{hold.pk}/lift/", WORDS, follow=True).text
    change = newest_change()
    approve = f"/desk/changes/{change.pk}/approve/"
    form = {"payload_hash": change.payload_hash}
    by_one = legal.browser.post(approve, form, follow=True).text
    hold.refresh_from_db()
    still_there = hold.lifted_at is None
    compliance.browser.post(approve, form)

    hold.refresh_from_db()
    assert "Another person decides" in asked
    assert "Another person must decide this" in by_one
    assert still_there
    assert hold.lifted_at is not None


def test_it_shows_what_is_asked_for_with_its_hash(compliance: Person, legal, ann):
    hold = place_hold(ann)
    legal.browser.post(f"/desk/holds/{hold.pk}/lift/", WORDS)
    change = newest_change()

    text = compliance.browser.get(
        f"/desk/consent/changerequest/{change.pk}/change/"
    ).text

    assert change.payload_hash in text
    assert str(hold.pk) in text
    assert WORDS["reason"] in text
    assert 'action="/desk/changes/' in text


@pytest.mark.parametrize("deed", ["refuse", "withdraw"])
def test_it_ends_a_change_without_doing_it(
    deed: str, compliance: Person, legal: Person, ann
):
    hold = place_hold(ann)
    legal.browser.post(f"/desk/holds/{hold.pk}/lift/", WORDS)
    change = newest_change()
    person = compliance if deed == "refuse" else legal

    text = person.browser.post(
        f"/desk/changes/{change.pk}/{deed}/", WORDS, follow=True
    ).text

    change.refresh_from_db()
    hold.refresh_from_db()
    assert change.state == {"refuse": "refused", "withdraw": "withdrawn"}[deed]
    assert hold.lifted_at is None
    assert "nothing was done" in text


def test_it_approves_nothing_else_than_what_was_shown(compliance: Person, legal, ann):
    hold = place_hold(ann)
    legal.browser.post(f"/desk/holds/{hold.pk}/lift/", WORDS)
    change = newest_change()

    text = compliance.browser.post(
        f"/desk/changes/{change.pk}/approve/", {"payload_hash": "0" * 64}, follow=True
    ).text

    change.refresh_from_db()
    assert change.state == "open"
    assert "not what you were shown" in text


def test_it_comes_back_to_the_page_after_the_proof(compliance: Person, ann):
    session = compliance.browser.session
    session[PROVED] = (timezone.now() - timedelta(minutes=11)).isoformat()
    session.save()
    page = "/desk/consent/changerequest/1/change/"

    response = compliance.browser.post(
        f"/desk/changes/{ann.id}/approve/",
        headers={"referer": f"http://testserver{page}"},
    )

    assert response.url == f"/desk/again/?next={page.replace('/', '%2F')}"


def test_it_releases_a_field_by_two_persons(compliance: Person, legal: Person):
    field = ProfileField.objects.exclude(data_class="sensitive").first()
    assert field is not None
    form = WORDS | {
        "field": field.key,
        "purpose": "to greet people",
        "recipient_kind": "all",
        "recipient": "",
        "assessment_ref": "PIA-7",
        "expires_at": f"{timezone.localdate() + timedelta(days=30)}",
    }

    compliance.browser.post("/desk/releases/propose/", form)
    change = newest_change()
    before = ReleasePolicy.objects.count()
    legal.browser.post(
        f"/desk/changes/{change.pk}/approve/", {"payload_hash": change.payload_hash}
    )
    policy = ReleasePolicy.objects.get()
    page = f"/desk/consent/releasepolicy/{policy.pk}/change/"
    shown = legal.browser.get(page).text
    legal.browser.post(f"/desk/releases/{policy.pk}/stop/", WORDS)

    policy.refresh_from_db()
    assert before == 0
    assert (policy.proposed_by, policy.approved_by) == (
        compliance.user.pk,
        legal.user.pk,
    )
    assert "Users whose grant it uses now" in shown
    assert policy.revoked_by == legal.user.pk


def test_it_publishes_a_text_by_two_persons(compliance: Person, legal: Person):
    page = "/desk/texts/release/propose/"
    form = WORDS | {
        f"{part}_{locale}": f"{part} in {locale}, anew"
        for part in ("title", "text")
        for locale in ("zh-hans", "en")
    }
    last = PolicyVersion.objects.filter(document="release").order_by("-number").first()
    number = last.number if last is not None else 0

    compliance.browser.post(page, form)
    change = newest_change()
    legal.browser.post(
        f"/desk/changes/{change.pk}/approve/", {"payload_hash": change.payload_hash}
    )

    new = PolicyVersion.objects.get(document="release", number=number + 1, locale="en")
    text = legal.browser.get(f"/desk/texts/{new.pk}/difference/").text
    assert new.text == "text in en, anew"
    assert "<ins><bdi>text in en, anew</bdi></ins>" in text


def test_it_shows_the_consents_of_a_user_and_records_the_look(legal: Person, ann):
    response = legal.browser.get(f"/desk/people/{ann.user_id}/consents/")

    assert response.status_code == 200
    (entry,) = list_audit(action="desk.consents_viewed", actor=legal.actor)
    assert entry.object_ref == f"user:{ann.user_id}"


def test_it_shows_evil_codes_and_texts_as_words(officer: Person, ann):
    """Acceptance row C20."""
    keys = make_governance(ann, text=EVIL)
    pages = [
        f"/desk/consent/{model._meta.model_name}/{key}/change/"
        for model, key in keys.items()
    ]
    lists = [f"/desk/consent/{model._meta.model_name}/" for model in keys]
    other = [
        f"/desk/identity/relationship/{ann.id}/change/",
        f"/desk/relationships/{ann.id}/erase/",
        f"/desk/people/{ann.user_id}/consents/",
        f"/desk/texts/{keys[PolicyVersion]}/difference/",
    ]

    texts = {page: officer.browser.get(page).text for page in pages + lists + other}

    running = [
        (page, one) for page, text in texts.items() for one in RUNNING if one in text
    ]
    assert running == []


@pytest.mark.parametrize(
    "form", [{}, {"reason_code": "legal"}, WHY | {"reason": "short"}]
)
def test_it_does_nothing_without_a_reason(
    form: dict[str, Any], compliance: Person, ann
):
    pages = ("standing", "hold", "erase")

    for page in pages:
        compliance.browser.post(
            f"/desk/relationships/{ann.id}/{page}/",
            form
            | {"status": "paused", "case_ref": "7", "confirmation": str(ann.id)[-8:]},
        )

    assert status_of(ann) == "active"
    assert not LegalHold.objects.exists()
    assert not ErasureRun.objects.exists()


def test_it_changes_recall_by_two_persons(compliance: Person, legal: Person):
    policy = RecallPolicy.objects.get(persona=None, scenario="")
    page = f"/desk/recall-policies/{policy.pk}/propose/"
    values = read_values(persona_id=None, scenario="")
    form = WORDS | {name: value for name, value in values.items() if value is not False}

    shown = compliance.browser.get(page).text
    too_much = compliance.browser.post(page, form | {"weight_recency": "0.9"}).text
    compliance.browser.post(page, form | {"top_k": "3"})
    change = newest_change()
    legal.browser.post(
        f"/desk/changes/{change.pk}/approve/", {"payload_hash": change.payload_hash}
    )

    policy.refresh_from_db()
    assert "cultivate dependence" in shown
    assert 'role="alert"' in too_much
    assert policy.top_k == 3


def test_it_gives_a_role_by_two_persons(
    compliance: Person, legal: Person, clerk: Person
):
    form = WORDS | {
        "staff": clerk.user.username,
        "role": "auditor",
        "change": "give",
    }

    compliance.browser.post("/desk/roles/propose/", form)
    change = newest_change()
    before = clerk.browser.get("/desk/kernel/auditentry/").status_code
    legal.browser.post(
        f"/desk/changes/{change.pk}/approve/", {"payload_hash": change.payload_hash}
    )

    assert before == 403
    assert clerk.browser.get("/desk/kernel/auditentry/").status_code == 200


def test_it_lets_no_superuser_give_a_role_alone(officer: Person, clerk: Person):
    group = Group.objects.get(name="auditor")
    form = {"username": clerk.user.username, "is_active": "on", "groups": [group.pk]}

    officer.browser.post(f"/desk/auth/user/{clerk.user.pk}/change/", form)

    assert not clerk.user.groups.exists()
