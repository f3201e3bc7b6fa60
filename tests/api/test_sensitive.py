"""Sensitive memories through the API: kept with a grant, else dropped or refused.

Vera is a user made for the demo: she holds every grant. Ann is a user like others.
"""

from typing import Any

import pytest

from identity.models import GlobalUser
from identity.resolution import get_relationship
from identity.services import mark_synthetic
from identity.types import RelationshipRef
from memories.models import ChatSession, Memory
from memories.processing import process_session
from tests.api.messages import post
from tests.factories.api import Bot, make_message_body
from tests.factories.identity import make_relationship, new_name
from tests.factories.memories import content_of, make_memory

SECRET = "我确诊了抑郁症"


@pytest.fixture
def vera(db: None, creator: str) -> RelationshipRef:
    return make_synthetic(creator)


def make_synthetic(creator: str, **fields: Any) -> RelationshipRef:
    name = new_name("user")
    mark_synthetic(name, by="command:tests")
    return make_relationship(user=name, creator=creator, **fields)


def withdraw(relationship: RelationshipRef) -> None:
    """Take from a user what stands for the grants until they are recorded."""
    GlobalUser.objects.filter(pk=relationship.user_id).update(is_synthetic=False)


def path_of(relationship: RelationshipRef, *rest: object) -> str:
    return "/".join(
        ["/relationships", str(relationship.id), "memories", *map(str, rest)]
    )


def read_rows(relationship: RelationshipRef) -> list[tuple[str, str, str]]:
    with content_of(relationship):
        rows = Memory.objects.of(relationship.id).current().order_by("text")
        return list(rows.values_list("text", "visibility", "sensitive_category"))


def run_session(bot: Bot, relationship: RelationshipRef, *texts: str) -> ChatSession:
    """Post messages of the user, end the session and do its work; return its row."""
    post(bot, relationship, *map(make_message_body, texts))
    body = {"relationship": str(relationship.id)}
    (session,) = bot.post("/sessions/end", body).json()["ended"]
    row = ChatSession.objects.get(pk=session)
    process_session(row.pk, now=row.ended_at)
    return ChatSession.objects.get(pk=session)


def list_shown(bot: Bot, relationship: RelationshipRef, query: str) -> dict[str, bool]:
    """Return on which route a memory of the query is shown."""
    own = {"relationship": str(relationship.id), "query": query}
    search = bot.post(f"/relationships/{relationship.id}/search", {"query": query})
    timeline = bot.get(f"/relationships/{relationship.id}/timeline")
    return {
        "list": query in bot.get(path_of(relationship)).content.decode(),
        "timeline": query in timeline.content.decode(),
        "search": query in search.content.decode(),
        "context": query in bot.post("/context", own).json()["prompt"],
    }


class TestASession:
    def test_it_drops_what_nobody_allowed_and_counts_it(
        self, bot: Bot, ann: RelationshipRef
    ) -> None:
        session = run_session(bot, ann, SECRET, "我对花生过敏")

        assert session.sensitive_dropped == {"mental_health": 1}
        assert session.memories_made == len(read_rows(ann)) >= 1
        assert all("抑郁" not in text for text, _, _ in read_rows(ann))
        assert "花生" in str(read_rows(ann))

    def test_it_keeps_it_with_a_grant_and_marks_it(
        self, bot: Bot, vera: RelationshipRef
    ) -> None:
        session = run_session(bot, vera, SECRET, "我对花生过敏")

        assert session.sensitive_dropped == {}
        marks = {text: (seen, code) for text, seen, code in read_rows(vera)}
        assert marks[SECRET] == ("sensitive", "mental_health")
        assert marks["我对花生过敏"] == ("normal", "")


class TestANote:
    def test_it_is_refused_without_a_grant(
        self, bot: Bot, ann: RelationshipRef
    ) -> None:
        response = bot.post(path_of(ann), {"text": SECRET})

        assert response.status_code == 422
        assert response.json()["type"].endswith(":sensitive-without-grant")
        assert "抑郁" not in response.content.decode()
        assert read_rows(ann) == []

    def test_it_is_written_with_a_grant(self, bot: Bot, vera: RelationshipRef) -> None:
        response = bot.post(path_of(vera), {"text": SECRET})

        assert response.status_code == 201
        assert read_rows(vera) == [(SECRET, "sensitive", "mental_health")]

    def test_what_one_does_not_eat_needs_none(
        self, bot: Bot, ann: RelationshipRef
    ) -> None:
        response = bot.post(path_of(ann), {"text": "我对花生过敏"})

        assert response.status_code == 201
        assert read_rows(ann) == [("我对花生过敏", "normal", "")]

    def test_a_refusal_uses_up_no_idempotency_key(
        self, bot: Bot, ann: RelationshipRef
    ) -> None:
        once = {"idempotency_key": new_name("key")}
        refused = bot.post(path_of(ann), {"text": SECRET}, **once)

        again = bot.post(path_of(ann), {"text": SECRET}, **once)

        assert [refused.status_code, again.status_code] == [422, 422]
        assert again.json()["type"] == refused.json()["type"]


class TestACorrection:
    def test_it_is_refused_without_a_grant(
        self, bot: Bot, ann: RelationshipRef
    ) -> None:
        memory = make_memory(ann, "我最近挺好")

        response = bot.put(path_of(ann, memory.lineage), {"text": SECRET})

        assert response.status_code == 422
        assert response.json()["type"].endswith(":sensitive-without-grant")
        assert "抑郁" not in response.content.decode()
        assert read_rows(ann) == [("我最近挺好", "normal", "")]

    def test_it_is_marked_with_a_grant(self, bot: Bot, vera: RelationshipRef) -> None:
        memory = make_memory(vera, "我最近挺好")

        response = bot.put(path_of(vera, memory.lineage), {"text": SECRET})

        assert response.status_code == 200
        assert read_rows(vera) == [(SECRET, "sensitive", "mental_health")]

    def test_it_opens_no_sensitive_memory(
        self, bot: Bot, vera: RelationshipRef
    ) -> None:
        memory = bot.post(path_of(vera), {"text": SECRET}).json()["id"]

        bot.put(path_of(vera, memory), {"text": "我没有抑郁症"})

        assert read_rows(vera) == [("我没有抑郁症", "sensitive", "mental_health")]

    def test_a_private_note_stays_private_and_needs_a_grant_too(
        self, bot: Bot, ann: RelationshipRef, vera: RelationshipRef
    ) -> None:
        hers = make_memory(ann, "老样子", visibility="creator_private")
        theirs = make_memory(vera, "老样子", visibility="creator_private")

        refused = bot.put(path_of(ann, hers.lineage), {"text": SECRET})
        kept = bot.put(path_of(vera, theirs.lineage), {"text": SECRET})

        assert [refused.status_code, kept.status_code] == [422, 200]
        assert read_rows(ann) == [("老样子", "creator_private", "")]
        assert read_rows(vera) == [(SECRET, "creator_private", "mental_health")]


class TestReading:
    @pytest.mark.parametrize("custody", ["creator_pool", "proxy_pool"])
    def test_it_shows_while_the_grant_holds_whoever_has_custody(
        self, bot: Bot, creator: str, custody: str
    ) -> None:
        vera = make_synthetic(creator, custody=custody)
        memory = bot.post(path_of(vera), {"text": SECRET}).json()["id"]

        shown = list_shown(bot, vera, "抑郁症")

        assert all(shown.values()), shown
        assert bot.get(path_of(vera, memory)).status_code == 200

    @pytest.mark.parametrize("custody", ["creator_pool", "proxy_pool"])
    def test_a_withdrawal_bites_at_once(
        self, bot: Bot, creator: str, custody: str
    ) -> None:
        vera = make_synthetic(creator, custody=custody)
        memory = bot.post(path_of(vera), {"text": SECRET}).json()["id"]
        list_shown(bot, vera, "抑郁症")

        withdraw(vera)

        shown = list_shown(bot, vera, "抑郁症")
        assert not any(shown.values()), shown
        assert bot.get(path_of(vera, memory)).status_code == 404

    def test_a_sensitive_private_note_needs_both_rights(
        self, bot: Bot, creator: str
    ) -> None:
        mark = {"visibility": "creator_private", "sensitive_category": "mental_health"}
        both = make_synthetic(creator)
        make_memory(both, SECRET, **mark)
        without_pool = make_synthetic(creator, custody="proxy_pool")
        make_memory(without_pool, SECRET, **mark)
        without_grant = make_relationship(creator=creator)
        make_memory(without_grant, SECRET, **mark)

        shown = [
            set(list_shown(bot, one, "抑郁症").values())
            for one in (both, without_pool, without_grant)
        ]

        assert shown == [{True}, {False}, {False}]


class TestSyntheticUsers:
    def test_the_api_makes_none(self, bot: Bot, ann: RelationshipRef) -> None:
        by_profile = bot.put(
            f"/relationships/{ann.id}/user", {"is_synthetic": True, "nickname": "小满"}
        )
        by_message = post(bot, ann, make_message_body(is_synthetic=True))

        assert by_profile.status_code == by_message.status_code == 400
        assert not get_relationship(ann.id).is_synthetic
