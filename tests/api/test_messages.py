"""POST /messages, POST /sessions/end, GET /relationships/{id}/sessions."""

from typing import Any

import pytest

from identity.models import GlobalUser
from identity.types import AgeBand, RelationshipKind, RelationshipRef
from memories.models import Message
from tests.api.messages import outcomes, post, read_texts
from tests.factories.api import Bot, CountedQueries, make_message_body
from tests.factories.identity import make_persona, make_relationship, new_name
from tests.factories.memories import content_of


def test_it_stores_messages_and_tells_their_ids(bot: Bot, ann: RelationshipRef) -> None:
    response = post(bot, ann, make_message_body("在吗"), make_message_body("晚安"))

    body = response.json()
    assert response.status_code == 202
    assert (body["stored"], body["duplicates"]) == (2, 0)
    assert body["relationship"] == str(ann.id)
    with content_of(ann):
        stored = {str(one) for one in Message.objects.values_list("id", flat=True)}
    assert {one["id"] for one in body["items"]} == stored
    assert len({one["session"] for one in body["items"]}) == 1


def test_it_takes_the_names_of_both_sides_too(bot: Bot, creator: str) -> None:
    body = {
        "user": new_name("user"),
        "creator": creator,
        "persona": make_persona(creator).key,
        "messages": [make_message_body("在吗")],
    }

    response = bot.post("/messages", body)

    assert response.status_code == 202
    assert outcomes(response) == ["stored"]


def test_it_keeps_what_kind_of_author_wrote_and_the_signal(
    bot: Bot, ann: RelationshipRef
) -> None:
    message = make_message_body(
        "谢谢支持", author_kind="operator", id="m-1", signals={"payment": True}
    )

    post(bot, ann, message)

    with content_of(ann):
        row = Message.objects.get(relationship_id=ann.id)
    assert (row.author_kind, row.external_id, row.payment_signal) == (
        "operator",
        "m-1",
        True,
    )


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("我\u0000爱你", "我爱你"),
        ("猫\ud83d", "猫"),
        ("👨‍👩‍👧‍👦🇨🇳", "👨‍👩‍👧‍👦🇨🇳"),
    ],
)
def test_it_stores_text_clean(
    bot: Bot, ann: RelationshipRef, text: str, stored: str
) -> None:
    """Acceptance row 53."""
    response = post(bot, ann, make_message_body(text))

    assert response.status_code == 202
    assert read_texts(ann) == [stored]


@pytest.mark.parametrize("text", ["\ud83d", "\u0000", "", "  \n"])
def test_it_refuses_text_of_which_nothing_is_left(
    bot: Bot, ann: RelationshipRef, text: str
) -> None:
    """Acceptance row 53, for a surrogate alone."""
    response = post(bot, ann, make_message_body("在吗"), make_message_body(text))

    assert response.status_code == 400
    assert response.json()["errors"][0]["field"] == "messages[1].text"
    assert read_texts(ann) == []


def test_a_hundred_messages_take_six_statements(bot: Bot, ann: RelationshipRef) -> None:
    messages = [make_message_body(f"第{n}句", id=f"m-{n}") for n in range(100)]
    bot.get(f"/relationships/{ann.id}")

    with CountedQueries() as counted:
        response = post(bot, ann, *messages, idempotency_key="k-1")

    assert response.json()["stored"] == 100
    assert len(counted.statements) <= 6, "\n".join(counted.statements)


def make_broken(**changes: Any) -> dict[str, Any]:
    message = make_message_body() | changes
    return {name: value for name, value in message.items() if value != "absent"}


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        (make_broken(author_kind="absent"), "author_kind"),
        (make_broken(author_kind="ghost"), "author_kind"),
        (make_broken(author_kind=None), "author_kind"),
        (make_broken(text="absent"), "text"),
        (make_broken(text=5), "text"),
        (make_broken(text=None), "text"),
        (make_broken(text="长" * 8001), "text"),
        (make_broken(text="a" * 1_000_000), "text"),
        (make_broken(sent_at="absent"), "sent_at"),
        (make_broken(sent_at="2026-03-15T20:00:00"), "sent_at"),
        (make_broken(sent_at="1999-12-31T00:00:00Z"), "sent_at"),
        (make_broken(sent_at="2999-01-01T00:00:00Z"), "sent_at"),
        (make_broken(sent_at=1773547200), "sent_at"),
        (make_broken(id=""), "id"),
        (make_broken(id=" "), "id"),
        (make_broken(id="a\u0000b"), "id"),
        (make_broken(id="\ud83d"), "id"),
        (make_broken(id="x" * 201), "id"),
        (make_broken(id=7), "id"),
        (make_broken(signals={"payment": "yes"}), "signals.payment"),
        (make_broken(signals={"amount": 520}), "signals"),
        (make_broken(signals=None), "signals"),
        (make_broken(mood="sad"), None),
        ("在吗", None),
        (None, None),
    ],
)
def test_nothing_is_stored_when_one_message_is_bad(
    bot: Bot, ann: RelationshipRef, broken: Any, field: str | None
) -> None:
    response = post(bot, ann, make_message_body(), broken, make_message_body("晚安"))

    assert response.status_code == 400
    (fault,) = response.json()["errors"]
    assert fault["field"] == ("messages[1]" + (f".{field}" if field else ""))
    assert fault["code"]
    assert fault["expected"]
    assert read_texts(ann) == []


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([], "messages"),
        ([make_message_body()] * 501, "messages"),
        ({"0": make_message_body()}, "messages"),
        (None, "messages"),
    ],
)
def test_it_takes_one_to_five_hundred_messages(
    bot: Bot, ann: RelationshipRef, messages: Any, field: str
) -> None:
    body = {"relationship": str(ann.id), "messages": messages}

    response = bot.post("/messages", body)

    assert response.status_code == 400
    assert [one["field"] for one in response.json()["errors"]] == [field]
    assert read_texts(ann) == []


def test_a_bad_message_makes_no_relationship(bot: Bot, creator: str) -> None:
    body = {
        "user": new_name("user"),
        "creator": creator,
        "persona": make_persona(creator).key,
        "messages": [make_message_body("\u0000")],
    }

    response = bot.post("/messages", body)

    assert response.status_code == 400
    assert not GlobalUser.objects.filter(external_id=body["user"]).exists()


@pytest.mark.parametrize(
    "target",
    [
        {},
        {"user": "u-1"},
        {"user": "u-1", "creator": "c-1"},
        {"facet": "default"},
        {"relationship": "not-an-id"},
        {"relationship": None},
        {"user": "u-1", "creator": "c-1", "persona": "p-1", "relationship": "{id}"},
        {"relationship": "{id}", "facet": "default"},
    ],
)
def test_it_wants_exactly_one_way_to_name_the_relationship(
    bot: Bot, ann: RelationshipRef, target: dict[str, Any]
) -> None:
    named = {
        name: str(ann.id) if value == "{id}" else value
        for name, value in target.items()
    }

    response = bot.post("/messages", named | {"messages": [make_message_body()]})

    assert response.status_code == 400
    assert len(response.json()["errors"]) == 1


def test_a_paused_relationship_takes_nothing(bot: Bot, ben: RelationshipRef) -> None:
    response = post(bot, ben, make_message_body())

    assert response.status_code == 403
    assert response.json()["type"] == "urn:memsys:problem:relationship-paused"
    assert read_texts(ben) == []


@pytest.mark.parametrize(
    ("age_band", "kind"),
    [
        (AgeBand.MINOR_14_17, RelationshipKind.INTIMATE),
        (AgeBand.UNDER_14, RelationshipKind.SERVICE),
    ],
)
def test_a_relationship_closed_for_minors_takes_nothing(
    bot: Bot, creator: str, age_band: str, kind: str
) -> None:
    minor = make_relationship(
        creator=creator, age_band=age_band, relationship_kind=kind
    )

    response = post(bot, minor, make_message_body())

    assert response.status_code == 403
    assert response.json()["type"] == "urn:memsys:problem:minor-restricted"
