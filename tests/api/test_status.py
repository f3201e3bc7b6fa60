"""Pausing, resuming and ending a relationship; it works on the very next request."""

import pytest

from identity.types import RelationshipRef
from tests.factories.api import Bot, make_message_body
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory
from tests.identity.audit import list_deeds


def act(bot: Bot, relationship: RelationshipRef, action: str) -> tuple[int, str]:
    body = {"action": action, "reason_code": "test"}
    answer = bot.post(f"/relationships/{relationship.id}/status", body)
    told = answer.json()
    code = told["type"].rpartition(":")[2] if "type" in told else told["status"]
    return answer.status_code, code


def closed_by(bot: Bot, relationship: RelationshipRef) -> set[str]:
    """Return why the relationship takes no message and answers no recall."""
    one = str(relationship.id)
    answers = (
        bot.post("/context", {"relationship": one, "query": "海"}),
        bot.post("/messages", {"relationship": one, "messages": [make_message_body()]}),
    )
    return {answer.json().get("type", "").rpartition(":")[2] for answer in answers}


def test_a_pause_stops_writing_and_recall_until_it_is_resumed(
    bot: Bot, ann: RelationshipRef
) -> None:
    paused = act(bot, ann, "pause")
    while_paused = closed_by(bot, ann)

    resumed = act(bot, ann, "resume")

    assert (paused, resumed) == ((200, "paused"), (200, "active"))
    assert while_paused == {"relationship-paused"}
    assert closed_by(bot, ann) == {""}


def test_an_end_stops_recall_at_once_and_stays(bot: Bot, ann: RelationshipRef) -> None:
    """Order 21, article 19: leaving is easy, and nothing is asked."""
    make_memory(ann, "喜欢看海")
    bot.post("/context", {"relationship": str(ann.id), "query": "海"})

    ended = act(bot, ann, "end")

    assert ended == (200, "ended")
    assert closed_by(bot, ann) == {"relationship-ended"}
    assert act(bot, ann, "resume") == (409, "status-conflict")
    assert act(bot, ann, "end") == (200, "ended")


def test_an_end_tells_of_the_erasure_that_undoes_it(
    bot: Bot, ann: RelationshipRef
) -> None:
    body = {"action": "end", "reason_code": "test"}
    told = bot.post(f"/relationships/{ann.id}/status", body).json()
    again = bot.post(f"/relationships/{ann.id}/status", body).json()

    undone = bot.post(f"/erasures/{told['erasure']}/undo", {})

    assert (told["is_changed"], again["is_changed"]) == (True, False)
    assert again["erasure"] is None
    assert (undone.status_code, undone.json()["state"]) == (200, "undone")
    assert undone.json()["reason_code"] == "relationship-ended"
    assert closed_by(bot, ann) == {""}


def test_a_restriction_is_not_resumed_but_can_be_left(bot: Bot, creator: str) -> None:
    restricted = make_relationship(creator=creator, status="restricted")

    assert act(bot, restricted, "resume") == (409, "status-conflict")
    assert act(bot, restricted, "pause") == (409, "status-conflict")
    assert act(bot, restricted, "end") == (200, "ended")


def test_each_change_is_recorded_once(bot: Bot, ann: RelationshipRef) -> None:
    act(bot, ann, "pause")
    act(bot, ann, "pause")

    (deed,) = list_deeds("relationship", ann.id)

    assert deed.action == "relationship.status_set"
    assert deed.actor == bot.actor
    assert deed.reason_code == "test"


@pytest.mark.parametrize("action", ["", "restrict", "active", None])
def test_it_knows_three_actions(bot: Bot, ann: RelationshipRef, action: object) -> None:
    answer = bot.post(f"/relationships/{ann.id}/status", {"action": action})

    assert answer.status_code == 400
