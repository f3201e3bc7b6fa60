"""PUT /personas, PUT /personas/{id}/profile, GET /personas/{id}."""

from typing import Any

import pytest

from identity.models import Creator, CreatorPersona
from tests.factories.api import Bot, make_bot
from tests.factories.identity import make_persona, new_name


def make_body(creator: str, **changes: Any) -> dict[str, Any]:
    return {
        "creator": creator,
        "key": "night",
        "display_name": "月影",
        "relationship_kind": "friend",
    } | changes


def test_it_makes_a_persona_and_its_creator(bot: Bot, creator: str) -> None:
    response = bot.put("/personas", make_body(creator))

    persona = CreatorPersona.objects.get(creator__external_id=creator)
    assert response.status_code == 200
    assert response.json() == {"id": str(persona.pk)}
    assert persona.display_name == "月影"


def test_it_changes_a_persona_that_is_there(bot: Bot, creator: str) -> None:
    first = bot.put("/personas", make_body(creator))

    second = bot.put("/personas", make_body(creator, display_name="月影二"))

    assert first.json() == second.json()
    shown = bot.get(f"/personas/{first.json()['id']}").json()
    assert shown["display_name"] == "月影二"


def test_it_shows_a_persona_with_its_latest_profile(bot: Bot, creator: str) -> None:
    persona = bot.put("/personas", make_body(creator)).json()["id"]
    bot.put(f"/personas/{persona}/profile", {"background": "住在杭州"})
    bot.put(
        f"/personas/{persona}/profile",
        {"background": "住在成都", "taboos": ["不谈前任"]},
    )

    shown = bot.get(f"/personas/{persona}").json()

    assert shown["id"] == persona
    assert (shown["creator"], shown["key"]) == (creator, "night")
    assert shown["profile"]["version"] == 2
    assert shown["profile"]["background"] == "住在成都"
    assert shown["profile"]["taboos"] == ["不谈前任"]
    assert shown["profile"]["voice"] == ""


def test_a_persona_has_no_profile_at_first(bot: Bot, creator: str) -> None:
    persona = bot.put("/personas", make_body(creator)).json()["id"]

    shown = bot.get(f"/personas/{persona}").json()

    assert shown["profile"] is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"key": ""}, "key"),
        ({"key": "a\u0000b"}, "key"),
        ({"key": None}, "key"),
        ({"display_name": "x" * 201}, "display_name"),
        ({"display_name": 7}, "display_name"),
        ({"relationship_kind": "spouse"}, "relationship_kind"),
        ({"relationship_kind": True}, "relationship_kind"),
        ({"colour": "blue"}, ""),
    ],
)
def test_it_refuses_a_bad_persona(
    bot: Bot, creator: str, changes: dict[str, Any], field: str
) -> None:
    response = bot.put("/personas", make_body(creator, **changes))

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == [field]
    assert not Creator.objects.filter(external_id=creator).exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"background": 1}, "background"),
        ({"taboos": "不谈前任"}, "taboos"),
        ({"taboos": ["ok", ""]}, "taboos[1]"),
        ({"taboos": [["nested"]]}, "taboos[0]"),
        ({"standard_lines": ["x"] * 101}, "standard_lines"),
    ],
)
def test_it_refuses_a_bad_profile(
    bot: Bot, creator: str, body: dict[str, Any], field: str
) -> None:
    persona = make_persona(creator)

    response = bot.put(f"/personas/{persona.pk}/profile", body)

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == [field]


def test_it_makes_no_persona_of_a_creator_that_is_not_the_keys(bot: Bot) -> None:
    stranger = new_name("creator")

    response = bot.put("/personas", make_body(stranger))

    assert response.status_code == 404
    assert not Creator.objects.filter(external_id=stranger).exists()


def test_a_key_without_creators_is_for_all(db: None) -> None:
    response = make_bot().put("/personas", make_body(new_name("creator")))

    assert response.status_code == 200
