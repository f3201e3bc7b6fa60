"""DELETE of one memory and of all of a relationship."""

from uuid import UUID

import pytest

from identity.types import RelationshipRef
from memories.models import Memory, Message
from tests.factories.api import Bot, make_message_body
from tests.factories.identity import make_relationship
from tests.factories.memories import content_of, make_memory


def path_of(relationship: RelationshipRef, *rest: object) -> str:
    return "/".join(
        ["/relationships", str(relationship.id), "memories", *map(str, rest)]
    )


def test_erasing_a_memory_takes_it_from_every_answer(
    bot: Bot, ann: RelationshipRef
) -> None:
    memory = bot.post(path_of(ann), {"text": "我对花生过敏"}).json()["id"]
    asked = {"relationship": str(ann.id), "query": "花生"}
    before = bot.post("/context", asked).json()

    response = bot.delete(path_of(ann, memory))

    assert response.status_code == 200
    assert response.json()["erased"]["memories"] == 1
    assert bot.get(path_of(ann, memory)).status_code == 404
    after = bot.post("/context", asked).json()
    found = bot.post(f"/relationships/{ann.id}/search", {"query": "花生"}).json()
    assert "花生" in before["prompt"]
    assert "花生" not in after["prompt"]
    assert found["items"] == []


def test_erasing_all_takes_memories_and_messages_of_this_relationship_only(
    bot: Bot, ann: RelationshipRef, creator: str
) -> None:
    other = make_relationship(user=ann.user_external_id, creator=creator)
    for one in (ann, other):
        bot.post(path_of(one), {"text": "喜欢看海"})
        messages = [make_message_body("在吗")]
        bot.post("/messages", {"relationship": str(one.id), "messages": messages})

    response = bot.delete(path_of(ann), {"confirm": str(ann.id)})

    assert response.status_code == 200
    assert response.json()["erased"]["memories"] == 1
    counts = []
    for one in (ann, other):
        with content_of(one):
            counts.append((Memory.objects.count(), Message.objects.count()))
    assert counts == [(0, 0), (1, 1)]


@pytest.mark.parametrize("confirm", [None, "yes", True, str(UUID(int=77)), "absent"])
def test_erasing_all_wants_the_id_of_the_relationship(
    bot: Bot, ann: RelationshipRef, confirm: object
) -> None:
    bot.post(path_of(ann), {"text": "喜欢看海"})
    body = {} if confirm == "absent" else {"confirm": confirm}

    response = bot.delete(path_of(ann), body)

    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == "confirm"
    assert len(bot.get(path_of(ann)).json()["items"]) == 1


def test_what_is_paused_can_be_erased(bot: Bot, ben: RelationshipRef) -> None:
    memory = make_memory(ben, "我对花生过敏")

    one = bot.delete(path_of(ben, memory.lineage))
    rest = bot.delete(path_of(ben), {"confirm": str(ben.id)})

    assert (one.status_code, rest.status_code) == (200, 200)
