"""POST /context and POST /relationships/{id}/search."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from identity.types import RelationshipRef
from memsys.api.serializers.recall import asked_in
from tests.factories.api import Bot, CountedQueries, make_message_body
from tests.factories.identity import make_persona, new_name
from tests.factories.memories import make_memory
from tests.round_trips import CountedTrips


def note(bot: Bot, relationship: RelationshipRef, text: str) -> str:
    path = f"/relationships/{relationship.id}/memories"
    memory: str = bot.post(path, {"text": text}).json()["id"]
    return memory


def say(bot: Bot, relationship: RelationshipRef, text: str) -> None:
    messages = [make_message_body(text)]
    body = {"relationship": str(relationship.id), "messages": messages}
    assert bot.post("/messages", body).status_code == 202


def ask(bot: Bot, relationship: RelationshipRef, **body: Any) -> Any:
    return bot.post("/context", {"relationship": str(relationship.id)} | body)


def test_it_recalls_with_reasons(bot: Bot, ann: RelationshipRef) -> None:
    memory = note(bot, ann, "我养了一只猫叫团子")
    note(bot, ann, "在学吉他")

    response = ask(bot, ann, query="猫")

    body = response.json()
    assert response.status_code == 200
    assert "团子" in body["prompt"]
    (used,) = [one for one in body["used"] if one["id"] == memory]
    assert "猫" in used["matched_words"]
    assert used["reason"] in ("words", "meaning")
    assert used["parts"].keys() >= {"bm25", "recency", "importance"}


def test_nothing_known_is_an_empty_answer(bot: Bot, creator: str) -> None:
    body = {
        "user": new_name("user"),
        "creator": creator,
        "persona": make_persona(creator).key,
        "query": "周末有什么安排",
    }

    response = bot.post("/context", body)

    assert response.status_code == 200
    assert response.json()["used"] == []
    assert response.json()["disclosure"]["ai"] is True


def test_it_stays_within_the_budget(bot: Bot, ann: RelationshipRef) -> None:
    for number in range(30):
        note(bot, ann, f"第{number}次一起看海，" + "风很大" * 20)

    body = ask(bot, ann, query="看海", token_budget=400).json()

    assert 0 < body["tokens"] <= 400


def test_it_answers_a_message_list_on_request(bot: Bot, ann: RelationshipRef) -> None:
    note(bot, ann, "我养了一只猫叫团子")

    body = ask(bot, ann, query="猫", format="openai").json()

    assert body["messages"][0]["role"] == "system"
    assert body["messages"][0]["content"] == body["prompt"]


def test_the_question_may_be_the_last_messages(bot: Bot, ann: RelationshipRef) -> None:
    memory = note(bot, ann, "我养了一只猫叫团子")
    messages = [
        {"author_kind": "user", "text": "在吗"},
        {"author_kind": "ai", "text": "在呢"},
        {"author_kind": "user", "text": "还记得我的猫吗"},
    ]

    body = ask(bot, ann, messages=messages).json()

    assert memory in [one["id"] for one in body["used"]]


@pytest.mark.parametrize(
    ("turns", "asked"),
    [
        (["user:在吗"], "在吗"),
        (["user:在吗", "ai:在", "user:猫呢"], "猫呢"),
        (["user:在吗", "user:猫呢", "ai:哪只"], "在吗\n猫呢"),
        (["user:一", "user:二", "user:三", "user:四"], "二\n三\n四"),
        (["ai:在吗", "creator:晚安"], ""),
    ],
)
def test_what_the_user_said_last_is_the_question(turns: list[str], asked: str) -> None:
    pairs = [one.split(":") for one in turns]
    messages = [{"author_kind": kind, "text": text} for kind, text in pairs]

    assert asked_in(messages) == asked


def test_it_answers_as_of_a_day(bot: Bot, ann: RelationshipRef) -> None:
    now = timezone.now()
    moved = now - timedelta(days=3)
    make_memory(
        ann,
        "住在西安",
        tokens=["住", "在", "西安"],
        occurred_at=now - timedelta(days=9),
        valid_to=moved,
    )
    make_memory(ann, "住在成都", tokens=["住", "在", "成都"], occurred_at=moved)

    then = (now - timedelta(days=5)).isoformat()
    body = ask(bot, ann, query="住在哪", valid_at=then).json()

    assert "西安" in body["prompt"]
    assert "成都" not in body["prompt"]


def test_a_hot_context_takes_four_statements_and_one_pipeline(
    bot: Bot,
    ann: RelationshipRef,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    note(bot, ann, "我养了一只猫叫团子")
    ask(bot, ann, query="猫")
    with django_capture_on_commit_callbacks(execute=True):
        say(bot, ann, "在吗")

    with CountedQueries() as counted, CountedTrips(monkeypatch) as trips:
        body = ask(bot, ann, query="猫").json()

    assert "在吗" in body["prompt"]
    assert len(counted.statements) <= 4, "\n".join(counted.statements)
    assert trips.count == 2  # the pipeline, and the key's rate limit


def test_a_paused_relationship_recalls_nothing(bot: Bot, ben: RelationshipRef) -> None:
    make_memory(ben, "我养了一只猫叫团子")

    context = ask(bot, ben, query="猫")
    found = bot.post(f"/relationships/{ben.id}/search", {"query": "猫"})

    assert (context.status_code, found.status_code) == (403, 403)
    assert context.json()["type"] == "urn:memsys:problem:relationship-paused"
    assert "团子" not in context.content.decode() + found.content.decode()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": "猫", "messages": [{"author_kind": "user", "text": "猫"}]}, "query"),
        ({"query": 5}, "query"),
        ({"query": "x" * 8001}, "query"),
        ({"messages": []}, "messages"),
        ({"messages": [{"author_kind": "user"}]}, "messages[0].text"),
        ({"messages": [{"role": "user", "text": "猫"}]}, "messages[0]"),
        ({"query": "猫", "token_budget": 0}, "token_budget"),
        ({"query": "猫", "token_budget": "2000"}, "token_budget"),
        ({"query": "猫", "token_budget": 2000.0}, "token_budget"),
        ({"query": "猫", "format": "xml"}, "format"),
        ({"query": "猫", "scenario": ""}, "scenario"),
        ({"query": "猫", "valid_at": "2026-03-15"}, "valid_at"),
        ({"query": "猫", "as_of": "2026-03-15T00:00:00Z"}, ""),
    ],
)
def test_it_refuses_a_bad_question(
    bot: Bot, ann: RelationshipRef, body: dict[str, Any], field: str
) -> None:
    response = ask(bot, ann, **body)

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == [field]


@pytest.mark.parametrize("query", ["\ud83d猫", "猫\u0000", " 猫 "])
def test_it_cleans_the_question(bot: Bot, ann: RelationshipRef, query: str) -> None:
    memory = note(bot, ann, "我养了一只猫叫团子")

    found = bot.post(f"/relationships/{ann.id}/search", {"query": query}).json()

    assert [one["id"] for one in found["items"]] == [memory]


def test_search_returns_what_matches_best_first(bot: Bot, ann: RelationshipRef) -> None:
    memory = note(bot, ann, "我养了一只猫叫团子")
    note(bot, ann, "在学吉他")

    found = bot.post(f"/relationships/{ann.id}/search", {"query": "猫", "limit": 1})

    (hit,) = found.json()["items"]
    assert hit["id"] == memory
    assert hit["text"] == "我养了一只猫叫团子"
    assert hit["score"] > 0
