"""PUT /users/profile and GET /relationships/{id}/profile."""

from typing import Any

import pytest

from consent.models import AccessRecord
from consent.profiles import list_values
from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.api import Bot, CountedQueries, make_bot
from tests.factories.identity import make_relationship, new_name
from tests.factories.releases import (
    allow,
    keep_value,
    make_release_policy,
    stop_all_policies,
    withdraw,
)


@pytest.fixture(autouse=True)
def no_policies(db: None) -> None:
    """No release policy but those of the test."""
    stop_all_policies()


@pytest.fixture
def platform(db: None) -> Bot:
    """The platform's own service, whose key is for all creators."""
    return make_bot()


def put(bot: Bot, relationship: RelationshipRef, fields: Any, **headers: str) -> Any:
    body = {"user": relationship.user_external_id, "fields": fields}
    return bot.put("/users/profile", body, **headers)


def kept(relationship: RelationshipRef) -> dict[str, str]:
    with access_scope(Purpose.JOB, user=relationship.user_id):
        return {one.key: one.value for one in list_values(relationship.user_id)}


def show(bot: Bot, relationship: RelationshipRef) -> Any:
    return bot.get(f"/relationships/{relationship.id}/profile")


class TestPutting:
    def test_it_keeps_values_and_answers_with_keys_only(
        self, platform: Bot, ann: RelationshipRef
    ) -> None:
        response = put(platform, ann, {"region": "浙江杭州", "spend_tier": "T-03"})

        assert response.status_code == 200
        assert response.json() == {
            "user": str(ann.user_id),
            "keys": ["region", "spend_tier"],
        }
        assert "杭州" not in response.content.decode()
        assert kept(ann) == {"region": "浙江杭州", "spend_tier": "T-03"}

    def test_a_null_removes(self, platform: Bot, ann: RelationshipRef) -> None:
        put(platform, ann, {"region": "浙江杭州", "locale": "zh-CN"})

        put(platform, ann, {"region": None})

        assert kept(ann) == {"locale": "zh-CN"}

    def test_it_may_be_sent_twice(self, platform: Bot, ann: RelationshipRef) -> None:
        first = put(platform, ann, {"region": "浙江杭州"}, idempotency_key="p-1")
        put(platform, ann, {"region": "四川成都"})

        again = put(platform, ann, {"region": "浙江杭州"}, idempotency_key="p-1")

        assert again.json() == first.json()
        assert again.headers["Idempotency-Replayed"] == "true"
        assert kept(ann) == {"region": "四川成都"}

    def test_a_key_for_some_creators_cannot(
        self, bot: Bot, ann: RelationshipRef
    ) -> None:
        known = put(bot, ann, {"region": "浙江杭州"})
        unknown = bot.put(
            "/users/profile", {"user": new_name("user"), "fields": {"region": "x"}}
        )

        assert (known.status_code, unknown.status_code) == (404, 404)
        assert kept(ann) == {}

    def test_it_makes_no_user(self, platform: Bot) -> None:
        body = {"user": new_name("user"), "fields": {"region": "浙江杭州"}}

        assert platform.put("/users/profile", body).status_code == 404

    @pytest.mark.parametrize(
        ("fields", "field", "code"),
        [
            ({}, "fields", "wrong-length"),
            ([], "fields", "wrong-type"),
            ({"region": 5}, "fields", "wrong-type"),
            ({"region": "杭" * 501}, "fields", "too-long"),
            ({"salary": "canary"}, "fields", "unknown-field"),
            ({"spend_tier": "canary"}, "fields.spend_tier", "not-allowed"),
            ({"region": "杭" * 61}, "fields.region", "too-long"),
            ({"region": "\u200b"}, "fields.region", "blank"),
        ],
    )
    def test_it_refuses_what_no_field_takes(
        self, platform: Bot, ann: RelationshipRef, fields: Any, field: str, code: str
    ) -> None:
        response = put(platform, ann, fields)

        assert response.status_code == 400
        (fault,) = response.json()["errors"]
        assert (fault["field"], fault["code"]) == (field, code)
        assert "canary" not in response.content.decode()
        assert kept(ann) == {}

    def test_it_refuses_other_members(self, platform: Bot) -> None:
        body = {"user": "u", "fields": {"region": "x"}, "age": 3}

        assert platform.put("/users/profile", body).status_code == 400


class TestShowing:
    def test_it_shows_what_is_released_and_by_which_right(
        self, platform: Bot, bot: Bot, ann: RelationshipRef
    ) -> None:
        put(platform, ann, {"region": "浙江杭州", "locale": "zh-CN"})
        policy, grant = make_release_policy("region"), allow(ann, "region")

        response = show(bot, ann)

        assert response.status_code == 200
        assert response.json() == {
            "relationship": str(ann.id),
            "items": [
                {
                    "key": "region",
                    "label": "Region",
                    "label_zh": "所在地区",
                    "value": "浙江杭州",
                    "in_prompt": True,
                    "policy": str(policy.pk),
                    "grant": str(grant.pk),
                }
            ],
            "withheld": ["policy-missing"],
        }

    def test_it_is_noted_and_leaves_a_receipt(
        self, bot: Bot, ann: RelationshipRef
    ) -> None:
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region")
        allow(ann, "region")
        bot.get(f"/relationships/{ann.id}/releases")  # the key is remembered

        with CountedQueries() as counted:
            show(bot, ann)
            shown = len(counted.statements)

        receipts = bot.get(f"/relationships/{ann.id}/releases").json()["items"]
        with access_scope(Purpose.JOB, user=ann.user_id):
            (row,) = AccessRecord.objects.filter(global_user_id=ann.user_id)
        assert (row.action, row.actor, row.field_keys) == (
            "profile",
            bot.actor,
            ["region"],
        )
        assert [one["field_keys"] for one in receipts] == [["region"]]
        assert shown <= 4

    def test_a_withdrawal_bites_at_once(self, bot: Bot, ann: RelationshipRef) -> None:
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region")
        grant = allow(ann, "region")
        assert len(show(bot, ann).json()["items"]) == 1

        withdraw(grant)

        body = show(bot, ann).json()
        assert (body["items"], body["withheld"]) == ([], ["consent-missing"])

    def test_it_shows_nothing_of_another_persona_s(
        self, bot: Bot, ann: RelationshipRef
    ) -> None:
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region")
        allow(ann, "region", target_kind="persona", target_id=ann.persona_id)
        other = make_relationship(
            user=ann.user_external_id, creator=ann.creator_external_id
        )

        body = show(bot, other).json()

        assert body["items"] == []

    def test_strangers_and_closed_ones_are_shown_nothing(
        self, bot: Bot, ben: RelationshipRef, chloe: RelationshipRef
    ) -> None:
        assert show(bot, ben).status_code == 403
        assert show(bot, chloe).status_code == 404
