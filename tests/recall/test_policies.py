"""Which ranking is followed: the most particular policy that applies."""

import pytest

from recall.models import RecallPolicy
from recall.policies import PolicyCache, find_policy
from recall.types import Fusion
from tests.factories.api import CountedQueries
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


class TestTheShortMemory:
    def test_a_change_is_followed_within_five_seconds(self) -> None:
        persona = make_persona()
        clock = [100.0]
        policies = PolicyCache(clock=lambda: clock[0])
        row = RecallPolicy.objects.create(persona=persona, weight_vector=0.2)
        assert policies.get(persona.pk, scenario="").weight_vector == 0.2
        RecallPolicy.objects.filter(pk=row.pk).update(weight_vector=0.3)

        clock[0] += 4.9
        with CountedQueries() as counted:
            before = policies.get(persona.pk, scenario="")
        clock[0] += 0.1
        after = policies.get(persona.pk, scenario="")

        assert (before.weight_vector, len(counted.statements)) == (0.2, 0)
        assert after.weight_vector == 0.3

    def test_it_mixes_up_neither_personas_nor_scenarios(self) -> None:
        policies = PolicyCache()
        one, other = make_persona(), make_persona()
        RecallPolicy.objects.create(persona=one, scenario="AI-02", weight_vector=0.2)

        weights = [
            policies.get(persona.pk, scenario=scenario).weight_vector
            for persona, scenario in [(one, "AI-02"), (one, "AI-03"), (other, "AI-02")]
        ]

        assert weights == [0.2, 0.55, 0.55]

    def test_it_keeps_no_more_than_it_may(self) -> None:
        policies = PolicyCache(max_entries=2)
        personas = [make_persona().pk for _ in range(3)]
        for persona in personas:
            policies.get(persona, scenario="")

        with CountedQueries() as counted:
            policies.get(personas[2], scenario="")
            policies.get(personas[1], scenario="")
            policies.get(personas[0], scenario="")

        assert len(counted.statements) == 1

    def test_it_forgets_when_it_is_told_to(self) -> None:
        persona, policies = make_persona(), PolicyCache()
        policies.get(persona.pk, scenario="")
        RecallPolicy.objects.create(persona=persona, weight_vector=0.2)

        policies.clear()

        assert policies.get(persona.pk, scenario="").weight_vector == 0.2
