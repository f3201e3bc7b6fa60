"""GET /holds, and what a caller is told whose erasure a hold refuses."""

from uuid import uuid4

import pytest

from identity.types import RelationshipRef
from memories.models import Memory
from tests.factories.api import Bot, make_bot
from tests.factories.holds import lift, make_hold
from tests.factories.identity import make_relationship
from tests.factories.memories import content_of, make_memory
from tests.identity.audit import list_deeds


def list_ids(bot: Bot, relationship: RelationshipRef) -> list[str]:
    response = bot.get("/holds", user=relationship.user_external_id)
    assert response.status_code == 200
    return [one["id"] for one in response.json()["items"]]


def test_it_lists_the_holds_in_force(bot: Bot, ann: RelationshipRef) -> None:
    memory = uuid4()
    first = make_hold(ann.user_id)
    second = make_hold(ann.user_id, relationship_id=ann.id, memory_id=memory)
    lift(make_hold(ann.user_id))

    response = bot.get("/holds", user=ann.user_external_id)

    one, other = response.json()["items"]
    assert set(one) == {"id", "relationship", "memory", "reason_code", "placed_at"}
    assert (one["id"], one["relationship"]) == (str(first.pk), None)
    assert (other["id"], other["memory"]) == (str(second.pk), str(memory))
    assert other["relationship"] == str(ann.id)
    assert "民初" not in response.content.decode()


def test_a_key_of_one_creator_sees_its_own_relationships_alone(
    bot: Bot, ann: RelationshipRef
) -> None:
    elsewhere = make_relationship(user=ann.user_external_id)
    on_all = make_hold(ann.user_id)
    make_hold(ann.user_id, relationship_id=elsewhere.id)
    here = make_hold(ann.user_id, relationship_id=ann.id)

    assert list_ids(bot, ann) == [str(on_all.pk), str(here.pk)]
    assert len(list_ids(make_bot(), ann)) == 3


def test_a_user_of_others_does_not_exist(bot: Bot, chloe: RelationshipRef) -> None:
    make_hold(chloe.user_id)

    foreign = bot.get("/holds", user=chloe.user_external_id)
    unknown = bot.get("/holds", user="nobody")

    assert (foreign.status_code, unknown.status_code) == (404, 404)


@pytest.mark.parametrize("query", [{}, {"user": ""}, {"user": "a", "all": "1"}])
def test_it_takes_the_name_of_a_user(bot: Bot, query: dict[str, str]) -> None:
    assert bot.get("/holds", **query).status_code == 400


def test_an_erasure_is_refused_with_the_holds_that_refuse_it(
    bot: Bot, ann: RelationshipRef
) -> None:
    """Acceptance row C11: the data is kept, the refusal logged."""
    lineage = make_memory(ann, "生日是3月7日").lineage
    hold = make_hold(ann.user_id)
    path = f"/relationships/{ann.id}/memories"

    one = bot.delete(f"{path}/{lineage}")
    everything = bot.delete(path, {"confirm": str(ann.id)})

    for response in (one, everything):
        problem = response.json()
        assert response.status_code == 409
        assert problem["type"] == "urn:memsys:problem:legal-hold"
        assert problem["holds"] == [str(hold.pk)]
    with content_of(ann):
        assert Memory.objects.count() == 1
    refused = [*list_deeds("memory", lineage), *list_deeds("relationship", ann.id)]
    assert [one.action for one in refused] == ["erasure.refused"] * 2
    assert {one.actor for one in refused} == {bot.actor}


def test_after_it_is_lifted_the_same_request_erases(
    bot: Bot, ann: RelationshipRef
) -> None:
    make_memory(ann, "生日是3月7日")
    hold = make_hold(ann.user_id, relationship_id=ann.id)
    path, body = f"/relationships/{ann.id}/memories", {"confirm": str(ann.id)}
    refused = bot.delete(path, body)

    lift(hold)

    assert refused.status_code == 409
    assert bot.delete(path, body).json()["erased"]["memories"] == 1
