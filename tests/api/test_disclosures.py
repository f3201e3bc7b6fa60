"""Reminders that an AI talks: shown, told back, and due again after two hours."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from identity.models import Relationship
from identity.types import RelationshipRef
from tests.factories.api import Bot
from tests.factories.identity import make_relationship
from tests.factories.memories import make_session

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def tell(bot: Bot, relationship: RelationshipRef, **fields: Any) -> Any:
    shown = {
        "kind": "periodic",
        "version": "2026-07",
        "shown_at": timezone.now().isoformat(),
    }
    return bot.post(f"/relationships/{relationship.id}/disclosures", shown | fields)


def read(bot: Bot, relationship: RelationshipRef) -> dict[str, Any]:
    own = {"relationship": str(relationship.id), "query": ""}
    block: dict[str, Any] = bot.post("/context", own).json()["disclosure"]
    return block


@pytest.fixture
def told(db: None, creator: str) -> RelationshipRef:
    """A relationship whose user was told, and has chatted for three hours."""
    began = timezone.now() - 3 * HOUR
    told = make_relationship(creator=creator, disclosed_at=began)
    make_session(told, at=began)
    return told


def test_a_new_user_must_be_told(bot: Bot, ann: RelationshipRef) -> None:
    block = read(bot, ann)

    assert (block["must_remind"], block["reason"]) == (True, "never-told")


def test_once_told_nothing_is_due(bot: Bot, ann: RelationshipRef) -> None:
    response = tell(bot, ann, kind="first")

    block = read(bot, ann)
    assert response.status_code == 201
    assert (block["must_remind"], block["reason"]) == (False, "none")
    assert block["disclosed_at"] is not None
    row = Relationship.objects.get(pk=ann.id)
    assert row.disclosure_version == "2026-07"
    assert row.reminded_at == row.disclosed_at


def test_after_two_hours_it_is_due_again(bot: Bot, told: RelationshipRef) -> None:
    """Order 21, article 18: every two hours of continuous use."""
    block = read(bot, told)

    assert (block["must_remind"], block["reason"]) == (True, "two-hours")


def test_a_reminder_that_was_shown_lets_them_begin_anew(
    bot: Bot, told: RelationshipRef
) -> None:
    tell(bot, told)

    block = read(bot, told)

    assert (block["must_remind"], block["reason"]) == (False, "none")
    assert block["continuous_seconds"] < 60


def test_one_from_two_hours_ago_does_not_help(bot: Bot, told: RelationshipRef) -> None:
    shown_at = timezone.now() - 2 * HOUR - MINUTE

    tell(bot, told, shown_at=shown_at.isoformat())

    assert read(bot, told)["reason"] == "two-hours"


def test_one_that_is_told_late_sets_nothing_back(
    bot: Bot, told: RelationshipRef
) -> None:
    tell(bot, told)

    tell(bot, told, shown_at=(timezone.now() - 2 * HOUR).isoformat())

    assert read(bot, told)["reason"] == "none"


def test_a_reminder_alone_is_no_first_telling(bot: Bot, ann: RelationshipRef) -> None:
    tell(bot, ann, kind="periodic")

    assert read(bot, ann)["reason"] == "never-told"


def test_the_first_telling_keeps_its_date_until_the_words_change(
    bot: Bot, ann: RelationshipRef
) -> None:
    dates = []
    for version in ("1", "1", "2"):
        tell(bot, ann, kind="first", version=version)
        row = Relationship.objects.get(pk=ann.id)
        dates.append((row.disclosed_at, row.disclosure_version))

    assert dates[0] == dates[1]
    assert dates[2][1] == "2"
    assert dates[2][0] > dates[1][0]


def test_all_are_listed_newest_first(bot: Bot, ann: RelationshipRef) -> None:
    now = timezone.now()
    for minutes in (3, 1, 2):
        tell(bot, ann, shown_at=(now - minutes * MINUTE).isoformat())
    path = f"/relationships/{ann.id}/disclosures"

    first = bot.get(path, limit="2").json()
    rest = bot.get(path, limit="2", cursor=first["next_cursor"]).json()

    shown = [one["shown_at"] for one in first["items"] + rest["items"]]
    assert shown == sorted(shown, reverse=True)
    assert (len(shown), rest["next_cursor"]) == (3, None)


def test_a_paused_user_is_reminded_too(bot: Bot, ben: RelationshipRef) -> None:
    assert tell(bot, ben).status_code == 201


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "second"},
        {"version": ""},
        {"version": "x" * 41},
        {"shown_at": "2099-01-01T00:00:00Z"},
        {"shown_at": None},
        {"text": "你在和人工智能聊天"},
    ],
)
def test_what_cannot_be_is_refused(
    bot: Bot, ann: RelationshipRef, fault: dict[str, Any]
) -> None:
    assert tell(bot, ann, **fault).status_code == 400


def test_another_tenants_relationship_does_not_exist(
    bot: Bot, chloe: RelationshipRef
) -> None:
    assert tell(bot, chloe).status_code == 404
