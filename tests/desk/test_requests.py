"""Requests at the desk: the queue, the page with its deeds, the letter."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from consent import erasures, requests
from consent.models import ErasureRun, ExportRun, SubjectRequest
from identity.types import RelationshipRef
from tests.desk.conftest import Person, make_colleague
from tests.desk.evil import EVIL, RUNNING
from tests.desk.rows import list_audit
from tests.factories.erasing import ask, run
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory
from tests.factories.requests import ask_for, reload, words_of

QUEUE = "/desk/consent/subjectrequest/"
WHY = {"reason_code": "subject_request", "reason": "the person asks for it"}


@pytest.fixture
def compliance(db: None) -> Person:
    return make_colleague("compliance_officer")


@pytest.fixture
def support(db: None) -> Person:
    return make_colleague("support")


def page_of(row: SubjectRequest) -> str:
    return f"{QUEUE}{row.pk}/change/"


def do(person: Person, row: SubjectRequest, deed: str, **told: Any) -> Any:
    return person.browser.post(f"/desk/requests/{row.pk}/{deed}/", told, follow=True)


class TestQueue:
    def test_it_shows_what_is_worked_on_by_due_date(self, compliance: Person, ann):
        late = ask_for(ann, "complaint", at=timezone.now() - timedelta(days=60))
        new = ask_for(make_relationship(), "access")
        done = ask_for(make_relationship(), "explain")
        do(compliance, done, "answer", outcome="done", words="好了")

        text = compliance.browser.get(QUEUE).text

        assert 0 < text.index(late.number) < text.index(new.number)
        assert done.number not in text
        assert "late by" in text

    @pytest.mark.parametrize(
        ("query", "shown"),
        [
            ("standing=done", "done"), ("standing=paused", "paused"),
            ("standing=all", "both"), ("standing=open", ""), ("worker=me", "paused"),
            ("kind__exact=explain&standing=all", "done"), ("state__exact=done", "done"),
        ],
    )  # fmt: skip
    def test_it_is_filtered(self, query: str, shown: str, compliance: Person, ann):
        done = ask_for(ann, "explain")
        paused = ask_for(ann, "complaint")
        do(compliance, done, "answer", outcome="explained", words="好了")
        do(compliance, paused, "assign", to=compliance.user.pk)
        do(compliance, paused, "pause", code="more_details")

        text = compliance.browser.get(f"{QUEUE}?{query}").text

        assert (done.number in text) == (shown in ("done", "both"))
        assert (paused.number in text) == (shown in ("paused", "both"))

    def test_support_sees_their_own_and_what_nobody_has(
        self, support: Person, compliance: Person, ann
    ):
        free = ask_for(ann, "complaint")
        others = ask_for(ann, "explain")
        requests.assign(others.pk, to=compliance.user.pk, by="staff:1")

        text = support.browser.get(QUEUE).text

        assert free.number in text
        assert others.number not in text
        assert support.browser.get(page_of(others)).status_code == 404


class TestPage:
    def test_it_shows_the_words_to_who_works_on_it_and_records_the_look(
        self, compliance: Person, ann
    ):
        row = ask_for(ann, words="请给我一份副本")

        text = compliance.browser.get(page_of(row)).text

        assert "请给我一份副本" in text
        assert "It must be answered by" in text
        assert "&lt;bdi" not in text
        looks = list_audit(action="desk.detail_viewed", actor=compliance.actor)
        assert [one.object_ref for one in looks] == [f"request:{row.pk}"]

    @pytest.mark.parametrize("role", ["auditor", "legal_reviewer"])
    def test_it_shows_no_words_to_who_only_looks(self, role: str, ann):
        row = ask_for(ann, words="请给我一份副本")

        text = make_colleague(role).browser.get(page_of(row)).text

        assert row.number in text
        assert "请给我一份副本" not in text
        assert "Answer and close it" not in text

    def test_what_people_wrote_does_not_run(self, compliance: Person, ann):
        """Acceptance row C20."""
        row = ask_for(ann, "complaint", words=EVIL)
        do(compliance, row, "refuse", reason="no_right", words=EVIL)

        for address in (page_of(row), f"/desk/requests/{row.pk}/letter/"):
            text = compliance.browser.get(address).text
            assert not any(one in text for one in RUNNING)


class TestDeeds:
    def test_it_is_taken_down_on_the_page_of_a_user(self, compliance: Person, ann):
        page = f"/desk/people/{ann.user_id}/request/"
        told = {"kind": "erase", "relationship": str(ann.id), "words": "全删"}

        shown = compliance.browser.get(page).text
        response = compliance.browser.post(page, told, follow=True)

        row = SubjectRequest.objects.get(global_user_id=ann.user_id)
        assert "Take down a request" in shown
        assert "You took it down" in response.text
        assert (row.kind, row.relationship_id) == ("erase", ann.id)
        assert row.received_by == compliance.actor
        assert words_of(row) == [("全删", False)]

    def test_it_takes_no_relationship_of_another(self, compliance: Person, ann, ben):
        page = f"/desk/people/{ann.user_id}/request/"

        compliance.browser.post(page, {"kind": "erase", "relationship": str(ben.id)})

        assert not SubjectRequest.objects.exists()

    def test_it_is_given_paused_resumed_and_answered(self, compliance: Person, ann):
        row = ask_for(ann)

        do(compliance, row, "assign", to=compliance.user.pk)
        do(compliance, row, "pause", code="identity_proof")
        paused = reload(row)
        do(compliance, row, "resume")
        text = do(compliance, row, "answer", outcome="done", words="副本已给").text

        done = reload(row)
        assert (paused.state, paused.assigned_to) == ("paused", compliance.user.pk)
        assert (done.state, done.closed_by) == ("done", compliance.actor)
        assert "You answered it" in text

    def test_support_takes_it_but_gives_it_to_nobody_else(
        self, support: Person, compliance: Person, ann
    ):
        row = ask_for(ann)

        do(support, row, "assign", to=compliance.user.pk)
        assert reload(row).assigned_to is None
        do(support, row, "assign", to=support.user.pk)
        assert reload(row).assigned_to == support.user.pk

    def test_support_does_nothing_on_what_another_has(
        self, support: Person, compliance: Person, ann
    ):
        row = ask_for(ann)
        requests.assign(row.pk, to=compliance.user.pk, by="staff:1")

        response = do(support, row, "answer", outcome="done", words="好")

        assert response.status_code == 404
        assert reload(row).state == "open"

    def test_an_answer_without_words_is_none(self, compliance: Person, ann):
        row = ask_for(ann)

        text = do(compliance, row, "answer", outcome="done", words=" ").text

        assert reload(row).state == "open"
        assert "What the person reads" in text

    def test_two_are_made_one(self, compliance: Person, ann):
        first, second = ask_for(ann, "complaint"), ask_for(ann, "complaint")

        shown = compliance.browser.get(page_of(second)).text
        do(compliance, second, "merge", into=str(first.pk))

        assert "Make them one" in shown
        assert reload(second).duplicate_of == first.pk
        assert second.number in compliance.browser.get(page_of(first)).text

    def test_what_is_closed_offers_no_deed(self, compliance: Person, ann):
        row = ask_for(ann)
        do(compliance, row, "answer", outcome="done", words="好了")

        text = do(compliance, row, "pause", code="identity_proof").text

        assert reload(row).state == "done"
        assert "does not allow this" in text
        assert "Answer and close it" not in text


class TestLinks:
    def test_an_erasure_that_is_started_from_it_is_noted(self, compliance: Person, ann):
        make_memory(ann, "养了猫")
        row = ask_for(ann, "erase")
        page = f"/desk/relationships/{ann.id}/erase/?request={row.pk}"
        assert page in compliance.browser.get(page_of(row)).text

        compliance.browser.post(page, WHY | {"confirmation": str(ann.id)[-8:]})

        wish = ErasureRun.objects.get()
        assert reload(row).deeds == [f"erasure:{wish.pk}"]
        assert str(wish.pk) in compliance.browser.get(page_of(row)).text

    def test_so_is_an_export(self, compliance: Person, ann):
        row = ask_for(ann, "access")
        page = f"/desk/relationships/{ann.id}/export/?request={row.pk}"
        assert page in compliance.browser.get(page_of(row)).text

        told = {"parts": ["memories"], "formats": ["html"]}
        compliance.browser.post(page, WHY | told)

        assert reload(row).deeds == [f"export:{ExportRun.objects.get().pk}"]

    @pytest.mark.parametrize("given", ["not-an-id", "another"])
    def test_a_request_of_another_is_left_alone(
        self, given: str, compliance: Person, ann, ben
    ):
        other = ask_for(ben, "erase")
        key = other.pk if given == "another" else given
        page = f"/desk/relationships/{ann.id}/erase/?request={key}"

        compliance.browser.post(page, WHY | {"confirmation": str(ann.id)[-8:]})

        assert ErasureRun.objects.count() == 1
        assert reload(other).deeds == []


class TestLetter:
    def refuse(self, person: Person, ann: RelationshipRef) -> SubjectRequest:
        row = ask_for(ann, "erase")
        do(person, row, "refuse", reason="law_keeps", words="账目须保存至明年。")
        return reload(row)

    @pytest.mark.parametrize(
        ("locale", "words"), [("zh-hans", "人民法院"), ("en", "court")]
    )
    def test_it_is_in_the_language_of_the_person(
        self, locale: str, words: str, compliance: Person
    ):
        row = self.refuse(compliance, make_relationship(locale=locale))

        response = compliance.browser.get(f"/desk/requests/{row.pk}/letter/")

        assert f'lang="{locale}"' in response.text
        assert row.number in response.text
        assert words in response.text
        assert "账目须保存至明年。" in response.text
        assert len(list_audit(action="desk.letter_viewed", actor=compliance.actor)) == 1

    def test_what_was_not_refused_has_none(self, compliance: Person, ann):
        row = ask_for(ann)

        response = compliance.browser.get(f"/desk/requests/{row.pk}/letter/")

        assert response.status_code == 404

    def test_its_words_are_gone_once_the_person_is_erased(
        self, compliance: Person, ann
    ):
        row = self.refuse(compliance, ann)
        run(ask(erasures.Target(ann.user_id)))

        text = compliance.browser.get(f"/desk/requests/{row.pk}/letter/").text

        assert "账目须保存至明年。" not in text
        assert row.number in text
