"""Whoever is erased, all others are as they were."""

import random

import pytest
from django.utils import timezone

from consent import erasures
from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.types import RelationshipRef
from recall.services import ContextRequest, search
from tests.factories.erasing import ask, left, make_filled, of, run
from tests.factories.memories import make_memory


def found(relationship: RelationshipRef) -> list[str]:
    """Return what a search for everything finds."""
    fresh = get_relationship(relationship.id)
    with service_scope(fresh):
        hits = search(fresh, ContextRequest(query="喜欢"), now=timezone.now(), limit=20)
    return sorted(str(hit.id) for hit in hits)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(5))
def test_the_others_counts_and_searches_are_unchanged(seed: int) -> None:
    """Acceptance rows 14 and C9."""
    chance = random.Random(seed)
    users = [make_filled("喜欢看海") for _ in range(3)]
    everyone = [
        *users,
        *(
            make_filled("喜欢看海", user=chance.choice(users).user_external_id)
            for _ in range(4)
        ),
    ]
    for one in everyone:
        for number in range(chance.randrange(3)):
            make_memory(one, f"喜欢第{number}种茶")
    victim = chance.choice(everyone)
    is_user = chance.random() < 0.5
    gone = [
        one
        for one in everyone
        if one.id == victim.id or (is_user and one.user_id == victim.user_id)
    ]
    others = [one for one in everyone if one not in gone]
    before = [(left(one), found(one)) for one in others]

    run(ask(erasures.Target(victim.user_id) if is_user else of(victim)))

    assert [(left(one), found(one)) for one in others] == before
    assert [left(one) for one in gone] == [(0, 0)] * len(gone)
    assert [found(one) for one in gone] == [[]] * len(gone)
