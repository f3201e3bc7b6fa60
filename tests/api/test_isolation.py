"""Nothing of one relationship is read through another, on any route."""

from typing import Any

import pytest

from identity.types import RelationshipRef
from tests.factories.api import Bot, make_message_body
from tests.factories.identity import make_relationship

CANARY = "生日是3月7日"


@pytest.fixture
def knowing(bot: Bot, ann: RelationshipRef, creator: str) -> RelationshipRef:
    """Ann's relationship with another persona; only this one knows the birthday."""
    other = make_relationship(user=ann.user_external_id, creator=creator)
    bot.post(f"/relationships/{other.id}/memories", {"text": f"她的{CANARY}"})
    body = {"relationship": str(other.id), "messages": [make_message_body(CANARY)]}
    bot.post("/messages", body)
    return other


def read_everything(bot: Bot, relationship: RelationshipRef) -> list[Any]:
    """Return the answers of every route that reads content."""
    one = f"/relationships/{relationship.id}"
    asked = {"relationship": str(relationship.id), "query": "生日"}
    return [
        bot.post("/context", asked),
        bot.post("/context", asked | {"format": "openai"}),
        bot.post(f"{one}/search", {"query": "生日"}),
        bot.get(f"{one}/memories"),
        bot.get(f"{one}/timeline"),
        bot.get(one),
        bot.get(f"{one}/sessions"),
    ]


def test_what_one_persona_was_told_no_other_recalls(
    bot: Bot, ann: RelationshipRef, knowing: RelationshipRef
) -> None:
    """Acceptance row 2."""
    answers = read_everything(bot, ann)

    assert {one.status_code for one in answers} == {200}
    assert not [one for one in answers if "3月7日" in one.content.decode()]


def test_the_one_who_was_told_recalls_it(bot: Bot, knowing: RelationshipRef) -> None:
    """Acceptance row 2, the other way round."""
    answers = read_everything(bot, knowing)

    told = ["3月7日" in one.content.decode() for one in answers]
    assert told == [True, True, True, True, True, False, False]


def test_a_warm_cache_of_one_serves_no_other(
    bot: Bot, ann: RelationshipRef, knowing: RelationshipRef
) -> None:
    """Acceptance row 2, hot."""
    for _ in range(3):
        read_everything(bot, knowing)
        answers = read_everything(bot, ann)

    assert not [one for one in answers if "3月7日" in one.content.decode()]
