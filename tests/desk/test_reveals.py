"""Opening a memory: a reason first, the audit before the value, ten minutes, no more."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from consent import approvals
from identity.types import RelationshipRef
from memsys.desk.models import Reveal
from memsys.desk.sign_in import PROVED
from memsys.kernel.audit.chain import deed_chain
from memsys.kernel.audit.models import AuditPayload
from memsys.kernel.scope.staff import staff_role
from tests.desk.conftest import Person, make_colleague
from tests.desk.evil import EVIL, RUNNING
from tests.desk.rows import list_audit, newest_change
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory, make_message

REASON = {"reason_code": "subject_request", "reason": "the person asked in ticket 7"}
CANARY = "金丝雀"


@pytest.fixture
def compliance(db: None) -> Person:
    return make_colleague("compliance_officer")


@pytest.fixture
def legal(db: None) -> Person:
    return make_colleague("legal_reviewer")


def address_of(relationship: RelationshipRef, memory: Any, kind: str = "memory") -> str:
    key = memory.lineage if kind == "memory" else memory.pk
    return f"/desk/reveal/{kind}/{relationship.id}/{key}/"


def test_it_opens_nothing_without_a_reason(compliance: Person, ann):
    page = address_of(ann, make_memory(ann, f"养了{CANARY}"))

    texts = [
        compliance.browser.get(page).text,
        compliance.browser.post(page, REASON | {"reason": "short"}).text,
        compliance.browser.post(page, REASON | {"reason": "\u200b \t" * 9}).text,
        compliance.browser.post(page, REASON | {"reason_code": "x"}).text,
    ]

    assert all(CANARY not in one for one in texts)
    assert list_audit(action__startswith="desk.reveal") == []


@pytest.mark.parametrize("kind", ["memory", "message"])
def test_it_opens_what_was_said_after_a_reason(kind: str, compliance: Person, ann):
    make = {"memory": make_memory, "message": make_message}[kind]
    row = make(ann, f"养了{CANARY}")
    page = address_of(ann, row, kind)

    response = compliance.browser.post(page, REASON, follow=True)

    assert CANARY in response.text
    assert "no-store" in response.headers["Cache-Control"]
    opened, read = list_audit(action__startswith="desk.reveal")
    assert (opened.action, read.action) == ("desk.revealed", "desk.reveal_read")
    assert opened.object_ref == page.split("/")[3] + ":" + page.split("/")[5]
    assert (opened.actor, opened.reason_code) == (compliance.actor, "subject_request")
    assert opened.chain == deed_chain(ann.user_id)


def test_it_keeps_the_reason_where_it_can_be_erased(compliance: Person, ann):
    page = address_of(ann, make_memory(ann, "养了猫"))

    compliance.browser.post(page, REASON)

    (entry,) = list_audit(action="desk.revealed")
    with staff_role():
        payload = AuditPayload.objects.get(pk=entry.pk)
    assert payload.subject == ann.user_id
    assert payload.body["words"] == REASON["reason"]


def test_it_records_before_it_reads(compliance: Person, ann):
    page = address_of(ann, make_memory(ann, "养了猫"))
    compliance.browser.post(page, REASON)

    with CaptureQueriesContext(connection) as captured:
        compliance.browser.get(page)

    sqls = [one["sql"] for one in captured]
    recorded = next(n for n, one in enumerate(sqls) if 'INTO "kernel_auditentry' in one)
    read = next(n for n, one in enumerate(sqls) if '"memories_memory"."text"' in one)
    between = sqls[recorded:read]
    assert recorded < read
    assert any(one.startswith(("COMMIT", "RELEASE")) for one in between)


def test_it_writes_the_name_of_the_reader_across_it(compliance: Person, ann):
    page = address_of(ann, make_memory(ann, "养了猫"))

    text = compliance.browser.post(page, REASON, follow=True).text

    assert text.count(f"<span>{compliance.user.username} · ") == 24


def test_it_closes_after_ten_minutes(compliance: Person, ann):
    page = address_of(ann, make_memory(ann, f"养了{CANARY}"))
    compliance.browser.post(page, REASON)

    Reveal.objects.update(until=timezone.now() - timedelta(seconds=1))

    assert CANARY not in compliance.browser.get(page).text


def test_it_opens_for_one_person_and_one_item(compliance: Person, legal: Person, ann):
    page = address_of(ann, make_memory(ann, f"养了{CANARY}"))
    other = address_of(ann, make_memory(ann, f"喜欢{CANARY}"))

    compliance.browser.post(page, REASON)

    assert CANARY not in legal.browser.get(page).text
    assert CANARY not in compliance.browser.get(other).text


def test_it_opens_no_memory_of_another_relationship(compliance: Person, ann, ben):
    memory = make_memory(ann, f"养了{CANARY}")

    responses = [
        compliance.browser.get(address_of(ben, memory)),
        compliance.browser.post(address_of(ben, memory), REASON),
        compliance.browser.get(address_of(ann, memory, "thing").replace("memory", "x")),
    ]

    assert [one.status_code for one in responses] == [404, 404, 404]
    assert Reveal.objects.count() == 0


def test_it_asks_who_it_is_when_the_proof_is_old(compliance: Person, ann):
    page = address_of(ann, make_memory(ann, f"养了{CANARY}"))
    compliance.browser.post(page, REASON)
    session = compliance.browser.session
    session[PROVED] = (timezone.now() - timedelta(minutes=11)).isoformat()
    session.save()

    response = compliance.browser.get(page)

    assert response.url.startswith("/desk/again/")


@pytest.mark.parametrize("visibility", ["sensitive", "creator_private"])
def test_it_opens_to_support_what_is_normal_only(visibility: str, ann):
    support = make_colleague("support")
    give_request(support, ann)
    page = address_of(ann, make_memory(ann, f"{CANARY}", visibility=visibility))

    response = support.browser.post(page, REASON)

    assert response.status_code == 403
    assert CANARY not in response.text


def test_it_opens_to_support_the_people_of_their_requests_only(ann, ben):
    support = make_colleague("support")
    give_request(support, ann)
    pages = [address_of(one, make_memory(one, "养了猫")) for one in (ann, ben)]

    assert [support.browser.get(one).status_code for one in pages] == [200, 404]


@pytest.mark.parametrize(
    ("make", "fields"),
    [
        (lambda: make_relationship(), {"visibility": "sensitive"}),
        (lambda: make_relationship(), {"sensitive_category": "diagnosis"}),
        (lambda: make_relationship(age_band="minor_14_17"), {}),
        (lambda: make_relationship(age_band="under_14"), {}),
    ],
)
def test_it_opens_what_is_sensitive_after_a_second_person_agreed(
    make: Any, fields: dict[str, str], compliance: Person, legal: Person
):
    ref = make()
    page = address_of(ref, make_memory(ref, CANARY, **fields))

    first = compliance.browser.post(page, REASON, follow=True).text
    request = newest_change()
    approvals.approve(
        request.pk,
        by=legal.user.pk,
        payload_hash=request.payload_hash,
        now=timezone.now(),
    )
    by_another = legal.browser.post(page, REASON, follow=True).text
    second = compliance.browser.post(page, REASON, follow=True).text

    assert CANARY not in first
    assert CANARY not in by_another
    assert CANARY in second


def test_it_closes_what_is_sensitive_an_hour_after_the_agreement(
    compliance: Person, legal: Person, ann
):
    page = address_of(ann, make_memory(ann, CANARY, visibility="sensitive"))
    compliance.browser.post(page, REASON)
    request = newest_change()
    approvals.approve(
        request.pk,
        by=legal.user.pk,
        payload_hash=request.payload_hash,
        now=timezone.now() - timedelta(minutes=61),
    )

    text = compliance.browser.post(page, REASON, follow=True).text

    assert CANARY not in text


def test_it_says_who_saw_a_memory(compliance: Person, legal: Person, ann):
    page = address_of(ann, make_memory(ann, "养了猫"))
    compliance.browser.post(page, REASON)

    text = legal.browser.get(page.replace("/reveal/", "/readers/")).text

    assert compliance.user.username in text
    assert "The person asked" in text
    assert "养了猫" not in text


def test_it_shows_evil_words_as_words(compliance: Person, ann):
    """Acceptance row C20."""
    page = address_of(ann, make_memory(ann, EVIL, value=EVIL))

    text = compliance.browser.post(page, REASON, follow=True).text

    assert all(one not in text for one in RUNNING)
    assert "U+202E" in text


def give_request(person: Person, relationship: RelationshipRef) -> None:
    """Give a person an open request of the user to work on."""
    from consent.models import SubjectRequest
    from tests.factories.identity import new_name

    SubjectRequest.objects.create(
        global_user_id=relationship.user_id,
        number=new_name("R")[:20],
        kind="access",
        received_at=timezone.now(),
        received_by="service:ab12",
        due_date=timezone.now().date() + timedelta(days=15),
        assigned_to=person.user.pk,
    )
