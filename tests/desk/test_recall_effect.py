"""Whoever asks for or decides other weights of recall sees first what they do."""

import re
from typing import Any

import pytest

from consent.models import ChangeRequest
from memsys.evaluation.effects import measure_effect
from recall.changes import VALUES, read_values
from recall.models import RecallPolicy
from recall.types import Policy
from tests.desk.conftest import Person, make_colleague

pytestmark = pytest.mark.django_db
WHY = "words weigh too little in reports"


@pytest.fixture
def policy() -> RecallPolicy:
    return RecallPolicy.objects.get_or_create(persona=None, scenario="")[0]


@pytest.fixture
def proposer() -> Person:
    return make_colleague("compliance_officer")


def address_of(policy: RecallPolicy) -> str:
    return f"/desk/recall-policies/{policy.pk}/propose/"


def values(**changed: Any) -> dict[str, Any]:
    """Return what the form posts: the values in force, some of them changed."""
    now = read_values(persona_id=None, scenario="") | changed
    return {name: now[name] for name in VALUES if now[name] is not False}


def test_it_measures_nothing_better_or_worse_when_nothing_changes():
    effect = measure_effect(Policy(), Policy())

    assert effect.before == effect.after
    assert effect.moved == ()
    assert effect.has_vectors


def test_it_finds_dated_questions_worse_without_the_bonus_of_dates():
    effect = measure_effect(Policy(), Policy(date_bonus=0.0))

    assert effect.after.ndcg_5 < effect.before.ndcg_5
    assert any("昨天" in one.question and not one.is_better for one in effect.moved)


def test_it_shows_the_effect_before_anything_is_asked_for(proposer, policy):
    answer = proposer.browser.post(
        address_of(policy), values(date_bonus=0.0) | {"measure": "yes"}
    )

    assert answer.status_code == 200
    assert "Effect on labelled questions" in answer.text
    assert not ChangeRequest.objects.filter(requested_by=proposer.user.pk).exists()


def test_it_shows_what_is_wrong_instead_of_an_effect(proposer, policy):
    answer = proposer.browser.post(
        address_of(policy), values(weight_recency=0.9) | {"measure": "yes"}
    )

    assert answer.status_code == 200
    assert "Effect on labelled questions" not in answer.text
    assert 'role="alert"' in answer.text


def test_it_shows_the_effect_to_whoever_decides(proposer, policy):
    decider = make_colleague("legal_reviewer")
    proposer.browser.post(address_of(policy), values(date_bonus=0.0) | {"reason": WHY})
    change = ChangeRequest.objects.get(requested_by=proposer.user.pk)
    page = decider.browser.get(f"/desk/consent/changerequest/{change.pk}/change/").text
    (link,) = re.findall(r'href="([^"]+/effect/)"', page)

    answer = decider.browser.get(link)

    assert answer.status_code == 200
    assert "Questions whose right answer moved" in answer.text


def test_it_shows_no_effect_of_another_kind_of_change(proposer, shown_rows):
    key = shown_rows[ChangeRequest].key

    answer = proposer.browser.get(f"/desk/recall-policies/changes/{key}/effect/")

    assert answer.status_code == 404
