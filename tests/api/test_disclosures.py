"""Reminders that an AI talks: shown, told back, and due again after two hours."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from identity.models import Relationship
from identity.types import RelationshipRef
from memories.models import ChatSession
from memsys.settings import bounded
from tests.factories.api import Bot, make_message_body
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


def chat(
    bot: Bot, relationship: RelationshipRef, first: int, last: int, now: datetime
) -> None:
    """Say something every 20 minutes, from and to so many minutes ago."""
    minutes = [*range(first, last, -20), last]
    messages = [
        make_message_body(f"第{one}句", sent_at=now - one * MINUTE) for one in minutes
    ]
    own = {"relationship": str(relationship.id)}
    assert bot.post("/messages", own | {"messages": messages}).status_code == 202


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


@pytest.mark.parametrize(
    ("sessions", "reason"),
    [
        # Each from and to so many minutes ago.
        ([(180, 100), (95, 50), (45, 1)], "two-hours"),
        ([(180, 100), (95, 20)], "two-hours"),
        ([(180, 130), (95, 50), (45, 1)], "none"),
        ([(180, 1)], "two-hours"),
        ([(100, 1)], "none"),
        ([(1500, 1450), (10, 1)], "none"),
    ],
)
def test_a_session_that_is_ended_and_followed_at_once_is_no_pause(
    bot: Bot,
    creator: str,
    sessions: list[tuple[int, int]],
    reason: str,
) -> None:
    """Whoever ends sessions on the hour puts no reminder off."""
    now = timezone.now()
    told = make_relationship(creator=creator, disclosed_at=now - 300 * MINUTE)
    reasons = []

    for first, last in sessions:
        chat(bot, told, first, last, now)
        reasons.append(read(bot, told)["reason"])
        bot.post("/sessions/end", {"relationship": str(told.id)})
    reasons.append(read(bot, told)["reason"])

    assert reasons[-2:] == [reason, reason]


def test_who_left_half_an_hour_ago_begins_anew(bot: Bot, creator: str) -> None:
    now = timezone.now()
    told = make_relationship(creator=creator, disclosed_at=now - 300 * MINUTE)
    chat(bot, told, 180, 31, now)

    bot.post("/sessions/end", {"relationship": str(told.id)})

    assert read(bot, told)["reason"] == "none"


def test_what_is_ended_and_begun_again_by_calls_is_no_pause(
    bot: Bot, told: RelationshipRef
) -> None:
    ChatSession.objects.filter(relationship_id=told.id).update(
        last_message_at=timezone.now() - MINUTE
    )
    own = {"relationship": str(told.id)}

    bot.post("/sessions/end", own)
    between = read(bot, told)["reason"]
    bot.post("/messages", own | {"messages": [make_message_body("在吗")]})

    assert between == "two-hours"
    assert read(bot, told)["reason"] == "two-hours"


def test_it_may_be_due_sooner(bot: Bot, creator: str, settings: Any) -> None:
    settings.DISCLOSURE_REMINDER_MINUTES = 60
    began = timezone.now() - 61 * MINUTE
    told = make_relationship(creator=creator, disclosed_at=began)
    make_session(told, at=began)

    assert read(bot, told)["must_remind"]


def test_it_is_never_due_later_than_the_law_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DISCLOSURE_REMINDER_MINUTES", "121")

    with pytest.raises(ImproperlyConfigured):
        bounded("DISCLOSURE_REMINDER_MINUTES", 120, low=10, high=120)


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
        {"kind": "missed"},
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
