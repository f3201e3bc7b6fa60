"""POST /messages twice: by text for five minutes, by the caller's id for ever."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from django.db import connections
from django.utils import timezone

from identity.types import RelationshipRef
from tests.api.messages import outcomes, post, read_texts
from tests.factories.api import Bot, make_bot, make_message_body
from tests.factories.identity import make_relationship


def minutes_ago(minutes: float) -> datetime:
    return timezone.now() - timedelta(minutes=minutes)


def test_short_messages_within_a_minute_are_all_stored(
    bot: Bot, ann: RelationshipRef
) -> None:
    """Acceptance row 54."""
    texts = ["在吗", "今天好累", "晚安"]

    answers = [post(bot, ann, make_message_body(text)) for text in texts]

    assert [outcomes(one) for one in answers] == [["stored"]] * 3
    assert sorted(read_texts(ann)) == sorted(texts)


def test_the_same_text_in_other_relationships_is_no_duplicate(
    bot: Bot, ann: RelationshipRef, creator: str
) -> None:
    """Acceptance row 55."""
    others = [
        make_relationship(user=ann.user_external_id, creator=creator),
        make_relationship(creator=creator, persona=ann.persona_key),
    ]

    answers = [post(bot, one, make_message_body("晚安")) for one in (ann, *others)]

    assert [outcomes(one) for one in answers] == [["stored"]] * 3


def test_of_fifty_posts_at_once_one_is_stored(real_commits: None) -> None:
    """Acceptance row 56."""
    bot, ann = make_bot(), make_relationship()
    message = make_message_body("晚安")

    def send(_: int) -> tuple[str, str]:
        try:
            (item,) = post(bot, ann, message).json()["items"]
            return item["id"], item["outcome"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(send, range(50)))

    assert len({message_id for message_id, _ in answers}) == 1
    found = sorted(outcome for _, outcome in answers)
    assert found == ["duplicate"] * 49 + ["stored"]
    assert read_texts(ann) == ["晚安"]


def test_of_fifty_posts_with_one_id_one_is_stored(real_commits: None) -> None:
    bot, ann = make_bot(), make_relationship()

    def send(number: int) -> tuple[int, str, str]:
        try:
            response = post(bot, ann, make_message_body(f"第{number}次", id="m-1"))
            (item,) = response.json()["items"]
            return response.status_code, item["id"], item["outcome"]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(send, range(50)))

    assert {status for status, *_ in answers} == {202}
    assert len({message_id for _, message_id, _ in answers}) == 1
    assert [outcome for *_, outcome in answers].count("stored") == 1


@pytest.mark.parametrize(
    ("seconds", "outcome"), [(0, "duplicate"), (299, "duplicate"), (301, "stored")]
)
def test_the_same_text_is_a_duplicate_for_five_minutes(
    bot: Bot, ann: RelationshipRef, seconds: int, outcome: str
) -> None:
    """Acceptance row 57."""
    first_at = minutes_ago(20)
    first = post(bot, ann, make_message_body("晚安", sent_at=first_at))

    later = first_at + timedelta(seconds=seconds)
    second = post(bot, ann, make_message_body("晚安", sent_at=later))

    assert outcomes(second) == [outcome]
    is_same = first.json()["items"][0]["id"] == second.json()["items"][0]["id"]
    assert is_same is (outcome == "duplicate")


def test_the_callers_id_makes_a_retry_a_duplicate_for_ever(
    bot: Bot, ann: RelationshipRef
) -> None:
    post(bot, ann, make_message_body("晚安", id="m-1", sent_at=minutes_ago(600)))

    response = post(bot, ann, make_message_body("早安", id="m-1"))

    assert outcomes(response) == ["duplicate"]
    assert read_texts(ann) == ["晚安"]
