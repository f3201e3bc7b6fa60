"""What the API says for a user is in the caller's language; what it says for programs
is in English and by code.
"""

import re

import pytest

from identity.types import RelationshipRef
from tests.factories.api import Bot

CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.mark.parametrize(
    ("asked", "is_chinese"), [("zh-CN", True), ("en", False), ("fr", True)]
)
def test_it_tells_what_stays_in_the_language_that_is_asked_for(
    asked: str, is_chinese: bool, bot: Bot, ann: RelationshipRef
) -> None:
    body = {"relationship": str(ann.id)}

    response = bot.post("/erasures/preview", body, accept_language=asked)

    sentences = [one["why"] for one in response.json()["stays"]]
    assert sentences
    assert {bool(CHINESE.search(one)) for one in sentences} == {is_chinese}


@pytest.mark.parametrize("asked", ["zh-CN", "en"])
def test_its_problems_are_the_same_in_each_language(asked: str, bot: Bot) -> None:
    response = bot.post("/context", {"query": 7}, accept_language=asked)

    told = response.json()
    assert response.status_code == 400
    assert told["title"] == "The request is not valid."
    assert not CHINESE.search(response.text)
