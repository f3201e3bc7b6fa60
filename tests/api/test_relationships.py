"""Relationships: resolve, show, tell of the user, move custody."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from identity.models import (
    CustodyTransfer,
    GlobalUser,
    Relationship,
    UserFacet,
)
from identity.types import RelationshipRef
from tests.factories.api import Bot, CountedQueries, make_bot
from tests.factories.identity import make_persona, new_name


def make_address(creator: str, persona: str) -> dict[str, Any]:
    return {"user": new_name("user"), "creator": creator, "persona": persona}


def test_it_makes_a_relationship_on_first_contact(bot: Bot, creator: str) -> None:
    address = make_address(creator, make_persona(creator).key)

    response = bot.post("/relationships/resolve", address)

    made = Relationship.objects.get(global_user__external_id=address["user"])
    assert response.status_code == 200
    assert response.json() == {
        "id": str(made.pk),
        "status": "active",
        "custody": "creator_pool",
        "closed_by": None,
    }


def test_it_finds_the_same_one_again_in_one_query(bot: Bot, creator: str) -> None:
    address = make_address(creator, make_persona(creator).key)
    first = bot.post("/relationships/resolve", address).json()

    with CountedQueries() as counted:
        second = bot.post("/relationships/resolve", address).json()

    assert first == second
    assert len(counted.statements) == 1


def test_each_facet_has_a_relationship_of_its_own(bot: Bot, creator: str) -> None:
    address = make_address(creator, make_persona(creator).key)

    ids = {
        bot.post("/relationships/resolve", address | facet).json()["id"]
        for facet in ({}, {"facet": "default"}, {"facet": "work"})
    }

    assert len(ids) == 2


def test_fifty_first_contacts_at_once_make_one(real_commits: None) -> None:
    creator = new_name("creator")
    bot, persona = make_bot(), make_persona(creator)
    address = make_address(creator, persona.key)

    def resolve(_: int) -> tuple[int, str]:
        try:
            response = bot.post("/relationships/resolve", address)
            return response.status_code, response.json()["id"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(50) as pool:
        answers = set(pool.map(resolve, range(50)))

    assert len(answers) == 1
    made = Relationship.objects.filter(global_user__external_id=address["user"])
    assert made.count() == 1
    assert answers == {(200, str(made.get().pk))}


@pytest.mark.parametrize("facet", ["", " ", "a\u0000b", "x" * 300, "\ud83d", 1, None])
def test_it_refuses_a_bad_facet_and_makes_nothing(
    bot: Bot, creator: str, facet: object
) -> None:
    """Acceptance row 9."""
    address = make_address(creator, make_persona(creator).key) | {"facet": facet}

    response = bot.post("/relationships/resolve", address)

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == ["facet"]
    assert not GlobalUser.objects.filter(external_id=address["user"]).exists()


@pytest.mark.parametrize("field", ["user", "creator", "persona"])
@pytest.mark.parametrize("value", ["", " ", "a\u0000b", "x" * 300, 7, ["u-1"], None])
def test_it_refuses_bad_names(
    bot: Bot, creator: str, field: str, value: object
) -> None:
    """Acceptance row 9, for the other names."""
    address = make_address(creator, make_persona(creator).key) | {field: value}

    response = bot.post("/relationships/resolve", address)

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == [field]


def test_an_unknown_persona_is_not_made(bot: Bot, creator: str) -> None:
    address = make_address(creator, "nobody")

    response = bot.post("/relationships/resolve", address)

    assert response.status_code == 404
    assert not GlobalUser.objects.filter(external_id=address["user"]).exists()


def test_it_tells_what_closes_a_relationship(bot: Bot, ben: RelationshipRef) -> None:
    response = bot.get(f"/relationships/{ben.id}")

    assert response.json()["closed_by"] == "relationship-paused"


def test_it_shows_a_relationship(bot: Bot, ann: RelationshipRef) -> None:
    shown = bot.get(f"/relationships/{ann.id}").json()

    assert shown["id"] == str(ann.id)
    assert shown["user"] == ann.user_external_id
    assert shown["persona_id"] == str(ann.persona_id)
    assert shown["created_at"].endswith("Z")
    assert "memory_version" not in shown


def test_it_stores_what_the_platform_tells_of_a_user(
    bot: Bot, ann: RelationshipRef
) -> None:
    body = {
        "age_band": "minor_14_17",
        "locale": "zh-hans",
        "time_zone": "Asia/Tokyo",
        "nickname": "阿\u0000澈",
    }

    response = bot.put(f"/relationships/{ann.id}/user", body)

    user = GlobalUser.objects.get(pk=ann.user_id)
    assert response.json() == {"relationship": str(ann.id)}
    assert (user.age_band, user.time_zone) == ("minor_14_17", "Asia/Tokyo")
    assert UserFacet.objects.get(global_user=user).nickname == "阿澈"


def test_what_is_not_told_stays_as_it_was(bot: Bot, ann: RelationshipRef) -> None:
    bot.put(f"/relationships/{ann.id}/user", {"time_zone": "Asia/Tokyo"})

    bot.put(f"/relationships/{ann.id}/user", {"age_band": "adult"})

    shown = bot.get(f"/relationships/{ann.id}").json()
    assert (shown["age_band"], shown["time_zone"]) == ("adult", "Asia/Tokyo")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, ""),
        ({"age_band": "old"}, "age_band"),
        ({"age_band": 18}, "age_band"),
        ({"locale": "中文"}, "locale"),
        ({"locale": "zh_CN; DROP"}, "locale"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
        ({"time_zone": "../../etc/passwd"}, "time_zone"),
        ({"nickname": "x" * 201}, "nickname"),
        ({"nickname": 5}, "nickname"),
        ({"status": "ended"}, ""),
    ],
)
def test_it_refuses_what_is_wrong_of_a_user(
    bot: Bot, ann: RelationshipRef, body: dict[str, Any], field: str
) -> None:
    response = bot.put(f"/relationships/{ann.id}/user", body)

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == [field]


def test_it_moves_custody_once(bot: Bot, ann: RelationshipRef) -> None:
    body = {"to": "proxy_pool", "reason_code": "creator-on-leave"}

    answers = [
        bot.post(f"/relationships/{ann.id}/custody", body).json() for _ in range(2)
    ]

    assert [one["is_moved"] for one in answers] == [True, False]
    assert {one["custody"] for one in answers} == {"proxy_pool"}
    move = CustodyTransfer.objects.get(relationship_id=ann.id)
    assert (move.actor, move.reason_code) == (bot.actor, "creator-on-leave")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"to": "me", "reason_code": "because"}, "to"),
        ({"to": "proxy_pool"}, "reason_code"),
        ({"to": "proxy_pool", "reason_code": "因为累了"}, "reason_code"),
        ({"to": "proxy_pool", "reason_code": "a b"}, "reason_code"),
    ],
)
def test_it_refuses_a_bad_move(
    bot: Bot, ann: RelationshipRef, body: dict[str, Any], field: str
) -> None:
    response = bot.post(f"/relationships/{ann.id}/custody", body)

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == [field]
    assert not CustodyTransfer.objects.filter(relationship_id=ann.id).exists()
