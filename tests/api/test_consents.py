"""Consents through the API: given, withdrawn, seen; and what follows at once."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from consent.models import PolicyVersion
from consent.settling import settle
from identity.types import RelationshipRef
from tests.api.test_sensitive import SECRET, list_shown, path_of, read_rows, run_session
from tests.factories.api import Bot, CountedQueries, make_bot
from tests.factories.consents import text_of
from tests.factories.identity import make_persona, make_relationship, new_name
from tests.factories.releases import keep_value, make_release_policy

HEALTH, REGION = "sensitive:mental_health", "release:region"
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def clerk(db: None) -> Bot:
    """The service that records consents, for all creators."""
    return make_bot(["consent:write", "consent:read"])


@pytest.fixture
def tenant(db: None, creator: str) -> Bot:
    """The same, for one creator alone."""
    return make_bot(["consent:write", "consent:read"], creators=[creator])


def make_grant(of: RelationshipRef, scope: str, **fields: Any) -> dict[str, Any]:
    """Return a grant as it is posted."""
    text, now = text_of(scope), timezone.now()
    told = {
        "user": of.user_external_id,
        "scope": scope,
        "action": "grant",
        "text_number": text.number,
        "text_sha256": text.sha256,
        "locale": text.locale,
        "surface": "chat",
        "shown_at": (now - MINUTE).isoformat(),
        "acted_at": now.isoformat(),
        "evidence_id": new_name("click"),
    } | fields
    return {name: value for name, value in told.items() if value is not None}


def make_withdrawal(of: RelationshipRef, scope: str, **fields: Any) -> dict[str, Any]:
    user = of.user_external_id
    return {"user": user, "scope": scope, "action": "withdraw"} | fields


def read_states(bot: Bot, relationship: RelationshipRef) -> dict[str, str]:
    answer = bot.get("/consents", user=relationship.user_external_id).json()
    return {one["scope"]: one["state"] for one in answer["items"]}


def fault_of(response: Any) -> tuple[int, str, str]:
    (one,) = response.json()["errors"]
    return response.status_code, one["field"], one["code"]


class TestRecording:
    def test_a_grant_is_kept_and_shown(self, clerk: Bot, ann: RelationshipRef) -> None:
        response = clerk.post("/consents", make_grant(ann, REGION))

        assert response.status_code == 201
        assert response.json()["state"] == "granted"
        (grant,) = clerk.get("/consents", user=ann.user_external_id).json()["items"]
        assert (grant["scope"], grant["target"], grant["state"]) == (
            REGION,
            "all",
            "granted",
        )
        assert grant["text"]["sha256"] == text_of(REGION).sha256

    @pytest.mark.parametrize("target", ["creator", "persona", "relationship"])
    def test_it_is_for_whom_it_names(
        self, clerk: Bot, ann: RelationshipRef, target: str
    ) -> None:
        named = {
            "creator": ann.creator_external_id,
            "persona": str(ann.persona_id),
            "relationship": str(ann.id),
        }

        clerk.post("/consents", make_grant(ann, REGION, **{target: named[target]}))

        (grant,) = clerk.get("/consents", user=ann.user_external_id).json()["items"]
        assert grant["target"] == target
        assert {name: grant[name] for name in named} == dict.fromkeys(named) | {
            target: named[target]
        }

    def test_a_withdrawal_takes_three_fields(
        self, clerk: Bot, ann: RelationshipRef
    ) -> None:
        """No more than the grant took: PIPL, article 15."""
        clerk.post("/consents", make_grant(ann, REGION))

        response = clerk.post("/consents", make_withdrawal(ann, REGION))

        assert response.status_code == 201
        assert read_states(clerk, ann) == {REGION: "withdrawn"}

    def test_a_refusal_is_kept(self, clerk: Bot, ann: RelationshipRef) -> None:
        clerk.post("/consents", make_withdrawal(ann, REGION, action="refuse"))

        assert read_states(clerk, ann) == {REGION: "refused"}

    def test_sent_twice_it_is_one(self, clerk: Bot, ann: RelationshipRef) -> None:
        body, once = make_grant(ann, REGION), {"idempotency_key": new_name("key")}

        first, second = (clerk.post("/consents", body, **once) for _ in range(2))

        assert first.json() == second.json()
        assert second.headers["Idempotency-Replayed"] == "true"
        events = clerk.get("/consents/events", user=ann.user_external_id).json()
        assert len(events["items"]) == 1

    def test_it_expires_when_it_says(self, clerk: Bot, ann: RelationshipRef) -> None:
        until = timezone.now() + DAY

        clerk.post("/consents", make_grant(ann, REGION, expires_at=until.isoformat()))

        (grant,) = clerk.get("/consents", user=ann.user_external_id).json()["items"]
        assert grant["expires_at"][:19] == until.isoformat()[:19]

    @pytest.mark.parametrize(
        ("fields", "fault"),
        [
            ({"text_sha256": None}, ("text_sha256", "missing")),
            ({"shown_at": None}, ("shown_at", "missing")),
            ({"evidence_id": None}, ("evidence_id", "missing")),
            ({"surface": "portal"}, ("surface", "not-allowed")),
            ({"surface": None}, ("surface", "missing")),
            ({"locale": "fr"}, ("locale", "not-allowed")),
            ({"text_number": None}, ("policy_version", "missing")),
            ({"scope": "release:nothing"}, ("scope", "not-allowed")),
            ({"scope": "release:*"}, ("scope", "not-allowed")),
            ({"action": "expire"}, ("action", "not-allowed")),
            ({"expires_at": "2020-01-01T00:00:00Z"}, ("expires_at", "out-of-range")),
            ({"expires_at": "2099-01-01"}, ("expires_at", "wrong-type")),
            ({"expires_at": 7}, ("expires_at", "wrong-type")),
            ({"acted_at": "2099-01-01T00:00:00Z"}, ("acted_at", "out-of-range")),
            ({"acted_at": "2020-01-01T00:00:00Z"}, ("shown_at", "out-of-range")),
            ({"creator": "c", "persona": "0" * 8}, ("persona", "wrong-type")),
            ({"evidence": "x"}, ("", "unknown-field")),
        ],
    )
    def test_what_cannot_be_is_refused_with_its_field(
        self,
        clerk: Bot,
        ann: RelationshipRef,
        fields: dict[str, Any],
        fault: tuple[str, str],
    ) -> None:
        body = make_grant(ann, REGION) | fields
        body = {name: value for name, value in body.items() if value is not None}

        response = clerk.post("/consents", body)

        assert fault_of(response) == (400, *fault)

    def test_two_targets_are_one_too_many(
        self, clerk: Bot, ann: RelationshipRef
    ) -> None:
        body = make_grant(
            ann, REGION, persona=str(ann.persona_id), relationship=str(ann.id)
        )

        assert fault_of(clerk.post("/consents", body)) == (
            400,
            "relationship",
            "ambiguous",
        )

    @pytest.mark.parametrize(
        ("fields", "code"),
        [
            ({"text_sha256": "0" * 64}, "policy-text-mismatch"),
            ({"text_number": 99}, "policy-text-mismatch"),
        ],
    )
    def test_another_text_than_ours_is_refused(
        self, clerk: Bot, ann: RelationshipRef, fields: dict[str, Any], code: str
    ) -> None:
        response = clerk.post("/consents", make_grant(ann, REGION, **fields))

        assert response.status_code == 422
        assert response.json()["type"] == f"urn:memsys:problem:{code}"

    def test_an_old_text_is_refused(self, clerk: Bot, ann: RelationshipRef) -> None:
        body = make_grant(ann, REGION)
        PolicyVersion.objects.filter(document="release").update(
            renewal_from=timezone.now()
        )

        response = clerk.post("/consents", body)

        assert response.status_code == 409
        assert response.json()["type"].endswith(":policy-text-outdated")

    @pytest.mark.parametrize(
        ("band", "scope", "code"),
        [
            ("minor_14_17", "model_training", "minor-cannot-consent"),
            ("minor_14_17", "release:spend_tier", "minor-cannot-consent"),
            ("under_14", REGION, "guardian-needed"),
        ],
    )
    def test_age_bars_some(self, clerk: Bot, band: str, scope: str, code: str) -> None:
        mia = make_relationship(age_band=band)

        response = clerk.post("/consents", make_grant(mia, scope))

        assert response.status_code == 403
        assert response.json()["type"] == f"urn:memsys:problem:{code}"

    def test_nobody_unknown_consents(self, clerk: Bot, ann: RelationshipRef) -> None:
        body = make_grant(ann, REGION) | {"user": new_name("user")}

        assert clerk.post("/consents", body).status_code == 404


class TestAKeyForOneCreator:
    def test_it_records_what_is_for_its_creator(
        self, tenant: Bot, ann: RelationshipRef
    ) -> None:
        for target in (
            {"relationship": str(ann.id)},
            {"persona": str(ann.persona_id)},
            {"creator": ann.creator_external_id},
        ):
            response = tenant.post("/consents", make_grant(ann, REGION, **target))
            assert response.status_code == 201

    def test_nothing_for_all_or_for_others(
        self, tenant: Bot, ann: RelationshipRef, chloe: RelationshipRef
    ) -> None:
        theirs = make_relationship(user=ann.user_external_id)

        for target in (
            {},
            {"relationship": str(theirs.id)},
            {"persona": str(theirs.persona_id)},
            {"persona": str(make_persona().pk)},
            {"creator": theirs.creator_external_id},
            {"creator": new_name("creator")},
        ):
            response = tenant.post("/consents", make_grant(ann, REGION, **target))
            assert response.status_code == 404
        own = {"creator": ann.creator_external_id}
        foreign = tenant.post("/consents", make_grant(chloe, REGION, **own))
        assert foreign.status_code == 404

    def test_it_sees_what_is_for_its_creator_alone(
        self, clerk: Bot, tenant: Bot, ann: RelationshipRef
    ) -> None:
        other = make_relationship(user=ann.user_external_id)
        clerk.post("/consents", make_grant(ann, REGION))
        clerk.post("/consents", make_grant(ann, REGION, relationship=str(other.id)))
        clerk.post("/consents", make_grant(ann, HEALTH, relationship=str(ann.id)))
        user = ann.user_external_id

        grants = tenant.get("/consents", user=user).json()["items"]
        events = tenant.get("/consents/events", user=user).json()["items"]

        assert [one["scope"] for one in grants] == [HEALTH]
        assert [one["scope"] for one in events] == [HEALTH]

    def test_another_tenants_user_is_nobody(
        self, tenant: Bot, chloe: RelationshipRef
    ) -> None:
        for path in ("/consents", "/consents/events", "/consent-prompts"):
            foreign = tenant.get(path, user=chloe.user_external_id)
            unknown = tenant.get(path, user=new_name("user"))
            assert foreign.status_code == unknown.status_code == 404
            assert foreign.json()["type"] == unknown.json()["type"]


class TestWhatFollows:
    def test_a_grant_lets_sensitive_things_be_kept_and_a_withdrawal_ends_it_at_once(
        self, clerk: Bot, bot: Bot, ann: RelationshipRef
    ) -> None:
        clerk.post("/consents", make_grant(ann, HEALTH))
        run_session(bot, ann, SECRET)
        memory = read_rows(ann)
        shown = list_shown(bot, ann, "抑郁症")

        clerk.post("/consents", make_withdrawal(ann, HEALTH))

        assert all(shown.values()), shown
        assert memory == [(SECRET, "sensitive", "mental_health")]
        assert not any(list_shown(bot, ann, "抑郁症").values())
        assert bot.post(path_of(ann), {"text": SECRET}).status_code == 422
        settle(ann.user_id, now=timezone.now())
        assert read_rows(ann) == []

    def test_the_same_for_a_field_of_the_profile(
        self, clerk: Bot, bot: Bot, ann: RelationshipRef
    ) -> None:
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region")
        shown = []

        for body in (
            None,
            make_grant(ann, REGION),
            make_withdrawal(ann, REGION),
        ):
            if body is not None:
                clerk.post("/consents", body)
            own = {"relationship": str(ann.id), "query": "天气"}
            answer = bot.post("/context", own).json()
            shown.append("浙江杭州" in answer["prompt"])

        assert shown == [False, True, False]

    def test_a_context_asks_no_more_than_once_for_all_grants(
        self, clerk: Bot, bot: Bot, ann: RelationshipRef
    ) -> None:
        clerk.post("/consents", make_grant(ann, HEALTH))
        own = {"relationship": str(ann.id), "query": "天气"}
        bot.post("/context", own)

        with CountedQueries() as queries:
            bot.post("/context", own)

        asking = [one for one in queries.statements if "consent_consentgrant" in one]
        assert len(asking) == 1

    def test_a_childs_relationship_opens_with_a_guardian_and_closes_without(
        self, clerk: Bot, bot: Bot, creator: str
    ) -> None:
        kim = make_relationship(creator=creator, age_band="under_14")
        own = {"relationship": str(kim.id), "query": "你好"}
        statuses = [bot.post("/context", own).status_code]

        grant = make_grant(kim, "guardian", surface="guardian")
        clerk.post("/consents", grant)
        statuses.append(bot.post("/context", own).status_code)
        clerk.post("/consents", make_withdrawal(kim, "guardian"))
        statuses.append(bot.post("/context", own).status_code)

        assert statuses == [403, 200, 403]


class TestTheLedger:
    def test_it_is_paged_newest_first(self, clerk: Bot, ann: RelationshipRef) -> None:
        for number in range(5):
            clerk.post(
                "/consents", make_grant(ann, REGION, evidence_id=f"click-{number}")
            )
        user, seen, cursor = ann.user_external_id, [], None

        while True:
            extra = {"cursor": cursor} if cursor else {}
            page = clerk.get("/consents/events", user=user, limit="2", **extra).json()
            seen += [one["evidence_id"] for one in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break

        assert sorted(seen) == [f"click-{number}" for number in range(5)]
        assert len(seen) == len(set(seen))

    def test_a_cursor_is_of_one_user_alone(
        self, clerk: Bot, ann: RelationshipRef, ben: RelationshipRef
    ) -> None:
        for _ in range(2):
            clerk.post("/consents", make_grant(ann, REGION))
        user = ann.user_external_id
        cursor = clerk.get("/consents/events", user=user, limit="1").json()[
            "next_cursor"
        ]

        response = clerk.get(
            "/consents/events", user=ben.user_external_id, cursor=cursor
        )

        assert response.status_code == 404

    def test_it_shows_what_was_seen_and_who_told_it(
        self, clerk: Bot, ann: RelationshipRef
    ) -> None:
        clerk.post("/consents", make_grant(ann, REGION))

        user = ann.user_external_id
        (event,) = clerk.get("/consents/events", user=user).json()["items"]

        assert event["text_sha256"] == text_of(REGION).sha256
        assert event["recorded_by"] == clerk.actor
        assert (event["action"], event["surface"]) == ("grant", "chat")


class TestTextsAndPrompts:
    def test_the_texts_are_there_word_for_word(self, clerk: Bot) -> None:
        items = clerk.get("/consent-texts").json()["items"]

        found = {(one["document"], one["locale"]): one for one in items}
        assert len(found) == len(items) >= 8
        assert found["sensitive", "en"]["text"] == text_of(HEALTH, "en").text

    def test_a_refusal_is_not_asked_again(
        self, clerk: Bot, ann: RelationshipRef
    ) -> None:
        user = ann.user_external_id
        clerk.post("/consents", make_withdrawal(ann, REGION, action="refuse"))

        items = clerk.get("/consent-prompts", user=user).json()["items"]

        scopes = [one["scope"] for one in items]
        assert REGION not in scopes
        assert HEALTH in scopes
        assert {one["reason"] for one in items} == {"never-asked"}

    def test_it_may_be_asked_for_one_relationship(
        self, tenant: Bot, ann: RelationshipRef
    ) -> None:
        tenant.post("/consents", make_grant(ann, REGION, relationship=str(ann.id)))
        user = ann.user_external_id

        answer = tenant.get("/consent-prompts", user=user, relationship=str(ann.id))

        assert REGION not in [one["scope"] for one in answer.json()["items"]]

    @pytest.mark.parametrize("is_for_one", [True, False])
    def test_a_key_for_one_creator_learns_nothing_of_what_others_were_granted(
        self, clerk: Bot, tenant: Bot, ann: RelationshipRef, is_for_one: bool
    ) -> None:
        other = make_relationship(user=ann.user_external_id)
        told = {"user": ann.user_external_id}
        told |= {"relationship": str(ann.id)} if is_for_one else {}
        before = tenant.get("/consent-prompts", **told).json()

        own = {"relationship": str(other.id)}
        clerk.post("/consents", make_grant(ann, REGION, **own))
        until = (timezone.now() + MINUTE).isoformat()
        clerk.post("/consents", make_grant(ann, HEALTH, expires_at=until, **own))

        assert tenant.get("/consent-prompts", **told).json() == before

    def test_a_refusal_to_others_is_one_for_all_who_ask(
        self, clerk: Bot, tenant: Bot, ann: RelationshipRef
    ) -> None:
        """网络数据安全管理条例, article 22: no frequent asking after a refusal."""
        other = make_relationship(user=ann.user_external_id)
        refusal = {"action": "refuse", "relationship": str(other.id)}

        clerk.post("/consents", make_withdrawal(ann, REGION, **refusal))

        answer = tenant.get("/consent-prompts", user=ann.user_external_id)
        assert REGION not in [one["scope"] for one in answer.json()["items"]]

    def test_not_for_anothers(
        self, clerk: Bot, ann: RelationshipRef, ben: RelationshipRef
    ) -> None:
        user = ann.user_external_id

        response = clerk.get("/consent-prompts", user=user, relationship=str(ben.id))

        assert response.status_code == 404
