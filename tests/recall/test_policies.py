"""Which ranking is followed: the most particular policy that applies."""

import pytest

from recall.models import RecallPolicy
from recall.policies import find_policy
from recall.types import Fusion
from tests.factories.identity import make_persona

pytestmark = pytest.mark.django_db


def test_it_is_the_global_one_by_default() -> None:
    policy = find_policy(make_persona().pk, scenario="AI-01")

    assert policy.weight_vector == 0.55
    assert policy.fusion is Fusion.WEIGHTED


@pytest.mark.parametrize(
    ("has_scenario", "has_persona", "has_both", "expected"),
    [
        (True, False, False, 0.1),
        (True, True, False, 0.2),
        (True, True, True, 0.3),
        (False, True, True, 0.3),
    ],
)
def test_it_is_the_most_particular_one(
    has_scenario: bool, has_persona: bool, has_both: bool, expected: float
) -> None:
    persona, other = make_persona(), make_persona()
    rows = [
        (has_scenario, None, "AI-02", 0.1),
        (has_persona, persona, "", 0.2),
        (has_both, persona, "AI-02", 0.3),
        (True, other, "AI-02", 0.9),
        (True, persona, "AI-03", 0.9),
    ]
    for is_there, whose, scenario, weight in rows:
        if is_there:
            RecallPolicy.objects.create(
                persona=whose, scenario=scenario, weight_vector=weight
            )

    policy = find_policy(persona.pk, scenario="AI-02")

    assert policy.weight_vector == expected
