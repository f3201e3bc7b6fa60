"""Memories of one relationship: listed, noted, shown, corrected, erased."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from identity.types import RelationshipRef
from tests.factories.api import Bot, CountedQueries
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory

DAY = timedelta(days=1)


def path_of(relationship: RelationshipRef, *rest: object) -> str:
    return "/".join(
        ["/relationships", str(relationship.id), "memories", *map(str, rest)]
    )


def read_all(bot: Bot, path: str, **query: str) -> list[dict[str, Any]]:
    """Return the items of all pages."""
    items: list[dict[str, Any]] = []
    while True:
        page = bot.get(path, **query).json()
        items += page["items"]
        if page["next_cursor"] is None:
            return items
        query["cursor"] = page["next_cursor"]


def texts(items: list[dict[str, Any]]) -> list[str]:
    return [one["text"] for one in items]


def some_days_ago(days: float) -> datetime:
    return timezone.now() - days * DAY


def test_it_lists_memories_with_all_that_is_known(
    bot: Bot, ann: RelationshipRef
) -> None:
    memory = make_memory(ann, "我对芒果过敏")

    (item,) = bot.get(path_of(ann)).json()["items"]

    assert item["id"] == str(memory.lineage)
    assert item["version"] == str(memory.pk)
    assert item["text"] == "我对芒果过敏"
    assert (item["status"], item["valid_to"]) == ("active", None)
    assert not {"embedding", "tokens", "relationship", "shard"} & item.keys()


def test_it_lists_memories_in_four_statements(bot: Bot, ann: RelationshipRef) -> None:
    make_memory(ann, "我对芒果过敏")
    bot.get(path_of(ann))

    with CountedQueries() as counted:
        bot.get(path_of(ann))

    # The relationship, what its user allows, the page, and the note of the read.
    assert len(counted.statements) == 4


def test_it_lists_one_kind(bot: Bot, ann: RelationshipRef) -> None:
    make_memory(ann, "喜欢看海", kind="preference", key="看海")
    make_memory(ann, "在学吉他")

    items = read_all(bot, path_of(ann), kind="preference")

    assert texts(items) == ["喜欢看海"]


def test_it_answers_what_was_true_and_what_was_known(
    bot: Bot, ann: RelationshipRef
) -> None:
    make_memory(
        ann,
        "住在西安",
        occurred_at=some_days_ago(9),
        valid_to=some_days_ago(3),
        recorded_at=some_days_ago(2),
    )
    make_memory(ann, "住在成都", occurred_at=some_days_ago(3))

    then = read_all(bot, path_of(ann), valid_at=some_days_ago(5).isoformat())
    now = read_all(bot, path_of(ann))
    known = read_all(
        bot,
        path_of(ann),
        valid_at=some_days_ago(5).isoformat(),
        known_at=some_days_ago(2.5).isoformat(),
    )

    assert (texts(then), texts(now), texts(known)) == (["住在西安"], ["住在成都"], [])


def test_it_writes_a_note(bot: Bot, ann: RelationshipRef) -> None:
    response = bot.post(path_of(ann), {"text": " 喜欢\u0000看海 "})

    assert response.status_code == 201
    shown = bot.get(path_of(ann, response.json()["id"])).json()
    assert (shown["text"], shown["kind"], shown["author"]) == (
        "喜欢看海",
        "note",
        "service",
    )
    assert shown["version"] == response.json()["version"]


def test_a_note_is_filtered_like_a_message(bot: Bot, ann: RelationshipRef) -> None:
    response = bot.post(path_of(ann), {"text": "电话13800138000，喜欢看海"})

    shown = bot.get(path_of(ann, response.json()["id"])).json()
    assert "13800138000" not in shown["text"]
    assert "喜欢看海" in shown["text"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": ""}, "text"),
        ({"text": "\u0000"}, "text"),
        ({"text": "x" * 2001}, "text"),
        ({"text": 5}, "text"),
        ({"text": "好", "occurred_at": "yesterday"}, "occurred_at"),
        ({"text": "好", "kind": "fact"}, ""),
    ],
)
def test_it_refuses_a_bad_note(
    bot: Bot, ann: RelationshipRef, body: dict[str, Any], field: str
) -> None:
    response = bot.post(path_of(ann), body)

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == [field]
    assert read_all(bot, path_of(ann)) == []


def test_correcting_keeps_the_id_and_what_was_said_before(
    bot: Bot, ann: RelationshipRef
) -> None:
    memory = make_memory(ann, "我对芒果过敏", occurred_at=some_days_ago(2))

    response = bot.put(path_of(ann, memory.lineage), {"text": "我对虾过敏"})

    assert response.json()["id"] == str(memory.lineage)
    assert response.json()["version"] != str(memory.pk)
    assert texts(read_all(bot, path_of(ann))) == ["我对虾过敏"]
    before = read_all(bot, path_of(ann), known_at=some_days_ago(1).isoformat())
    assert texts(before) == ["我对芒果过敏"]


def test_the_timeline_shows_what_was_superseded(bot: Bot, ann: RelationshipRef) -> None:
    make_memory(
        ann, "住在西安", occurred_at=some_days_ago(9), valid_to=some_days_ago(3)
    )
    make_memory(ann, "住在成都", occurred_at=some_days_ago(3))

    items = read_all(bot, f"/relationships/{ann.id}/timeline", limit="1")

    assert texts(items) == ["住在西安", "住在成都"]


def test_a_memory_that_nobody_has_is_not_found(bot: Bot, ann: RelationshipRef) -> None:
    path = path_of(ann, uuid4())

    statuses = [
        bot.get(path).status_code,
        bot.put(path, {"text": "好"}).status_code,
        bot.delete(path).status_code,
    ]

    assert statuses == [404, 404, 404]


@pytest.mark.parametrize(
    ("custody", "visibility", "is_shown"),
    [
        ("creator_pool", "normal", True),
        ("creator_pool", "creator_private", True),
        ("creator_pool", "sensitive", False),
        ("proxy_pool", "normal", True),
        ("proxy_pool", "creator_private", False),
        ("proxy_pool", "sensitive", False),
    ],
)
def test_it_shows_only_what_custody_allows(
    bot: Bot, creator: str, custody: str, visibility: str, is_shown: bool
) -> None:
    ann = make_relationship(creator=creator, custody=custody)
    memory = make_memory(ann, "只有本人知道", visibility=visibility)

    listed = bot.get(path_of(ann)).json()["items"]
    timeline = bot.get(f"/relationships/{ann.id}/timeline").json()["items"]
    single = bot.get(path_of(ann, memory.lineage))

    assert (len(listed), len(timeline)) == ((1, 1) if is_shown else (0, 0))
    assert single.status_code == (200 if is_shown else 404)


def test_it_keeps_a_note_that_is_the_creators_own(bot: Bot, creator: str) -> None:
    ann = make_relationship(creator=creator)
    private = {"text": "她其实是我表妹", "visibility": "creator_private"}

    made = bot.post(path_of(ann), private)
    wrong = bot.post(path_of(ann), private | {"visibility": "sensitive"})

    assert (made.status_code, wrong.status_code) == (201, 400)
    (shown,) = bot.get(path_of(ann)).json()["items"]
    assert shown["visibility"] == "creator_private"


def test_memory_goes_on_when_custody_moves(bot: Bot, creator: str) -> None:
    ann = make_relationship(creator=creator)
    bot.post(path_of(ann), {"text": "养了一只猫叫团子"})
    bot.post(path_of(ann), {"text": "猫是我送的", "visibility": "creator_private"})

    def ask() -> list[str]:
        body = {"relationship": str(ann.id), "query": "猫"}
        sections = bot.post("/context", body).json()["sections"]
        (found,) = (one for one in sections if one["name"] == "memories")
        return [line["text"] for line in found["lines"]]

    before = ask()
    moves, why = f"/relationships/{ann.id}/custody", {"reason_code": "creator-on-leave"}
    bot.post(moves, why | {"to": "proxy_pool"})
    moved = ask()
    bot.post(moves, why | {"to": "creator_pool"})

    assert ["团子" in one for one in before].count(True) == 1
    assert [one for one in before if "送的" not in one] == moved
    assert len(moved) == len(before) - 1
    assert ask() == before
