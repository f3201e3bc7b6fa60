"""A form that is refused says why beside the field, and keeps what was typed."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from consent import holds
from consent.models import ChangeRequest
from tests.desk.conftest import Person, make_colleague
from tests.desk.rows import newest_change
from tests.factories.identity import make_persona

PAGE = "/desk/releases/propose/"
WORDS = "assessed in PIA-2026-7"


@pytest.fixture
def compliance(db: None) -> Person:
    return make_colleague("compliance_officer")


def fill(**told: Any) -> dict[str, Any]:
    return {
        "field": "region",
        "purpose": "to greet people",
        "recipient_kind": "all",
        "recipient": "",
        "assessment_ref": "PIA-7",
        "expires_at": f"{timezone.localdate() + timedelta(days=30)}",
        "reason": WORDS,
    } | told


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        ({"recipient": "studio-yue"}, "Everywhere means all of them"),
        ({"recipient_kind": "persona"}, "There is nothing of this name."),
        ({"recipient_kind": "creator", "recipient": "nobody"}, "nothing of this name"),
        ({"expires_at": "2020-01-01"}, "This day is over."),
        ({"reason": "short"}, "at least 8 characters"),
    ],
)
def test_it_says_what_is_wrong_and_keeps_the_rest(
    told: dict[str, str], fault: str, compliance: Person
) -> None:
    text = compliance.browser.post(PAGE, fill(**told)).text

    assert fault in text
    assert "to greet people" in text
    assert not ChangeRequest.objects.exists()


@pytest.mark.parametrize("is_named", [False, True])
@pytest.mark.parametrize("kind", ["creator", "persona"])
def test_it_knows_recipients_by_name_and_by_id(
    kind: str, is_named: bool, compliance: Person
) -> None:
    persona = make_persona()
    creator = persona.creator
    names = {
        "creator": (creator.pk, creator.external_id),
        "persona": (persona.pk, f"{creator.external_id}/{persona.key}"),
    }[kind]

    page = compliance.browser.post(
        PAGE, fill(recipient_kind=kind, recipient=str(names[is_named])), follow=True
    )

    assert newest_change().payload["recipient"] == str(names[False])
    assert names[True] in page.text


def test_it_keeps_a_text_that_took_long_to_write(compliance: Person) -> None:
    page = "/desk/texts/release/propose/"
    texts = compliance.browser.get(page).context["form"].initial
    form = {**texts, "title_en": "\u200b", "reason": WORDS}

    answer = compliance.browser.post(page, form)

    assert answer.status_code == 200
    assert "This cannot be asked for as it stands." in answer.text
    assert texts["title_zh-hans"] in answer.text
    assert WORDS in answer.text


def test_it_says_who_is_erased_and_which_case_keeps_them(
    compliance: Person, ann
) -> None:
    holds.place(
        ann.user_id,
        reason_code="legal",
        case_ref="<b>CASE-7</b>",
        by="staff:0",
        now=timezone.now(),
    )

    text = compliance.browser.get(f"/desk/relationships/{ann.id}/erase/").text

    assert ann.user_external_id in text
    assert "&lt;b&gt;CASE-7&lt;/b&gt;: A legal duty, placed on" in text
