"""Recall policies change by two persons, within their caps."""

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from consent import approvals
from consent.errors import InvalidChange, SamePerson
from consent.models import ChangeRequest
from recall.changes import RecallPolicyChange, read_values
from recall.models import RecallPolicy
from recall.policies import find_policy
from tests.factories.identity import make_persona
from tests.identity.audit import list_deeds

OFFICER, REVIEWER = 21, 22

pytestmark = pytest.mark.django_db


def propose(persona: Any = None, scenario: str = "AI-01", **told: Any) -> ChangeRequest:
    place = {"persona": persona, "scenario": scenario}
    known = read_values(persona_id=None, scenario="")
    return approvals.propose(
        "recall_policy",
        place | known | told,
        object_ref="recall_policy:new",
        reason="评测显示更好",
        by=OFFICER,
        now=timezone.now(),
    )


def approve(request: ChangeRequest, *, by: int = REVIEWER) -> ChangeRequest:
    return approvals.approve(
        request.pk, by=by, payload_hash=request.payload_hash, now=timezone.now()
    )


def test_a_policy_is_made_when_a_second_person_agrees() -> None:
    persona = make_persona()
    request = propose(str(persona.pk), top_k=3, weight_vector=0.4)
    before = find_policy(persona.pk, scenario="AI-01").top_k

    with pytest.raises(SamePerson):
        approve(request, by=OFFICER)
    done = approve(request)

    found = find_policy(persona.pk, scenario="AI-01")
    assert (done.state, before) == ("done", 5)
    assert (found.top_k, found.weight_vector) == (3, 0.4)
    assert find_policy(persona.pk, scenario="AI-02").top_k == 5
    assert find_policy(make_persona().pk, scenario="AI-01").top_k == 5


def test_the_policy_for_all_is_changed_in_its_place() -> None:
    count = RecallPolicy.objects.count()

    done = approve(propose(scenario="", per_session=2))

    (deed,) = list_deeds("recall_policy", done.result["recall_policy"])
    assert done.result["changed"] == ["per_session"]
    assert RecallPolicy.objects.count() == count
    assert find_policy(uuid4(), scenario="AI-03").per_session == 2
    assert (deed.action, deed.field_names) == (
        "recall_policy.changed",
        ["per_session"],
    )


def test_the_second_person_sees_old_and_new() -> None:
    request = propose(scenario="", top_k=4, allow_payment_signal=True)

    lines = {str(label): str(value) for label, value in approvals.describe(request)}

    assert "5 → 4" in lines.values()
    assert "No → Yes" in lines.values()
    assert "0.55" in lines.values()


def test_a_new_policy_is_shown_beside_nothing() -> None:
    lines = [str(value) for _label, value in approvals.describe(propose(top_k=4))]

    assert "– → 4" in lines


def test_what_was_changed_meanwhile_is_not_overwritten() -> None:
    late = propose(scenario="", top_k=3)
    approve(propose(scenario="", top_k=4))

    done = approve(late)

    assert (done.state, done.result) == ("failed", {"error": "changed-meanwhile"})
    assert find_policy(uuid4(), scenario="AI-01").top_k == 4


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("weight_recency", 0.11),
        ("weight_importance", 0.051),
        ("weight_vector", -0.1),
        ("weight_vector", 1.01),
        ("weight_vector", True),
        ("weight_vector", "0.5"),
        ("date_bonus", 2.5),
        ("top_k", 2),
        ("top_k", 6),
        ("top_k", 4.0),
        ("per_session", 4),
        ("per_session", 0),
        ("rrf_k", 0),
        ("fusion", "best"),
        ("fusion", None),
        ("allow_payment_signal", 1),
        ("scenario", "AI-07"),
        ("scenario", None),
        ("persona", "all"),
        ("persona", "0195a000-0000-7000-8000-000000000000"),
        ("time_spent", 0.1),
    ],
)
def test_it_is_refused_before_anybody_is_asked(member: str, value: Any) -> None:
    with pytest.raises(InvalidChange):
        propose(**{member: value})

    assert not ChangeRequest.objects.exists()


def test_it_takes_whole_policies_only() -> None:
    kind = RecallPolicyChange()
    payload = kind.prepare({"persona": None, "scenario": "", "top_k": 3})

    with pytest.raises(InvalidChange):
        kind.check(payload)


def test_it_takes_no_policy_that_is_in_force_already() -> None:
    with pytest.raises(InvalidChange, match="other than"):
        propose(scenario="")


def test_one_and_one_point_nought_are_the_same_weight() -> None:
    one, other = propose(weight_vector=1), propose(weight_vector=1.0)

    assert one.payload_hash == other.payload_hash
