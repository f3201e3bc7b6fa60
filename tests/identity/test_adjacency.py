"""Who stands next to whom: one hop and two, over the tables."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from identity.adjacency import (
    list_relationships_of_creator,
    list_relationships_of_persona,
    list_relationships_of_user,
    list_users_near_persona,
)
from identity.types import RelationshipRef
from tests.factories.identity import make_persona, make_relationship, new_name


def meet(user: str, creator: str, persona: str) -> RelationshipRef:
    return make_relationship(user=user, creator=creator, persona=persona)


@pytest.mark.django_db
class TestOneHop:
    def test_a_user_has_a_relationship_for_each_persona_and_facet(self) -> None:
        ann = make_relationship()
        at_work = make_relationship(user=ann.user_external_id, facet="work")
        make_relationship()

        found = list_relationships_of_user(ann.user_id)

        assert found == sorted([ann.id, at_work.id])

    def test_a_users_list_asks_one_shard(self) -> None:
        ann = make_relationship()

        with CaptureQueriesContext(connection) as captured:
            list_relationships_of_user(ann.user_id)

        assert len(captured) == 1
        assert '"shard" = ' in captured.captured_queries[0]["sql"]

    def test_a_persona_has_one_for_each_user(self) -> None:
        creator = new_name("creator")
        ann, ben = (meet(new_name("user"), creator, "night") for _ in range(2))
        meet(ann.user_external_id, creator, "day")

        found = list_relationships_of_persona(ann.persona_id)

        assert found == sorted([ann.id, ben.id])

    def test_a_creator_has_those_of_all_personas(self) -> None:
        creator = new_name("creator")
        night = meet(new_name("user"), creator, "night")
        day = meet(new_name("user"), creator, "day")
        make_relationship()

        found = list_relationships_of_creator(night.creator_id)

        assert found == sorted([night.id, day.id])

    def test_who_knows_nobody_has_none(self) -> None:
        persona = make_persona()

        assert list_relationships_of_persona(persona.pk) == []
        assert list_relationships_of_creator(persona.creator_id) == []
        assert list_users_near_persona(persona.pk) == []


@pytest.mark.django_db
class TestTwoHops:
    def test_those_near_a_persona_share_a_persona_with_one_of_its_users(self) -> None:
        creator = new_name("creator")
        ann = meet(new_name("ann"), creator, "night")
        meet(ann.user_external_id, creator, "day")
        ben = meet(new_name("ben"), creator, "day")
        meet(ben.user_external_id, creator, "dusk")
        chloe = meet(new_name("chloe"), creator, "dusk")

        found = list_users_near_persona(ann.persona_id)

        assert found == sorted([ann.user_id, ben.user_id])
        assert chloe.user_id not in found

    def test_each_user_is_named_once(self) -> None:
        creator = new_name("creator")
        ann = meet(new_name("ann"), creator, "night")
        for persona in ("day", "dusk", "dawn"):
            meet(ann.user_external_id, creator, persona)

        assert list_users_near_persona(ann.persona_id) == [ann.user_id]
