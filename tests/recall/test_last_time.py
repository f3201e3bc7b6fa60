"""上次: the latest session on the topic, told apart from the one before."""

from datetime import UTC, datetime, timedelta

import pytest

from identity.resolution import get_relationship
from identity.scopes import job_scope, service_scope
from identity.types import RelationshipRef
from recall.queries import make_question
from recall.services import ContextRequest, search
from recall.types import Hit
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory, make_session

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def remember(relationship: RelationshipRef, days_ago: int, *texts: str) -> None:
    at = NOW - timedelta(days=days_ago)
    with job_scope(relationship):
        session = make_session(relationship, at=at, status="done", ended_at=at)
        for text in texts:
            make_memory(relationship, text, occurred_at=at, source_session=session)


def find(relationship: RelationshipRef, query: str) -> list[Hit]:
    fresh = get_relationship(relationship.id)
    with service_scope(fresh):
        return search(fresh, ContextRequest(query=query), now=NOW, limit=10)


@pytest.fixture
def ann(db: None) -> RelationshipRef:
    ann = make_relationship()
    remember(ann, 20, "去青城山爬山，看了日出", "爬山时崴了脚")
    remember(ann, 9, "去峨眉山爬山，遇到了猴子")
    remember(ann, 2, "去吃了火锅")
    return ann


def test_it_prefers_the_last_session_on_the_topic(ann: RelationshipRef) -> None:
    hits = find(ann, "上次爬山去了哪里")

    assert hits[0].text == "去峨眉山爬山，遇到了猴子"
    assert hits[0].reason == "last_time"


def test_it_means_the_last_session_when_no_topic_is_named(
    ann: RelationshipRef,
) -> None:
    hits = find(ann, "上次我们聊到哪了？")

    assert hits[0].text == "去吃了火锅"


def test_it_still_ranks_by_topic_without_the_word(ann: RelationshipRef) -> None:
    hits = find(ann, "爬山崴脚")

    assert hits[0].text == "爬山时崴了脚"


@pytest.mark.parametrize(
    ("text", "is_last_time"),
    [
        ("上次数学考试", True),
        ("上回咱们说的店", True),
        ("上一次见面", True),
        ("晚上次日达的外卖", False),
        ("马上回家", False),
        ("早上回消息", False),
    ],
)
def test_it_is_not_misled_by_words_that_look_like_it(
    text: str, is_last_time: bool
) -> None:
    question = make_question(text, None, names=(), now=NOW)

    assert question.is_last_time == is_last_time
