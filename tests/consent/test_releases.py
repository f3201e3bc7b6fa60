"""What reaches a relationship: a policy of two persons and a grant, both at that moment."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from consent import approvals
from consent.allowances import forget_allowances, read_allowances
from consent.errors import InvalidChange, ReleaseNotFound, ReleaseOver, SamePerson
from consent.gate import Releases, list_released
from consent.models import ChangeRequest, ProfileField, ReleasePolicy
from consent.releases import count_affected, revoke
from identity.custody import move_custody
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope import Purpose, ScopeConflict, ScopeMissing, access_scope
from memsys.kernel.scope.staff import staff_role
from tests.factories.api import CountedQueries
from tests.factories.identity import make_creator, make_persona, make_relationship
from tests.factories.releases import (
    OFFICER,
    REVIEWER,
    allow,
    change_grant,
    keep_value,
    make_grant,
    make_policy_text,
    make_release_policy,
    release,
    stop_all_policies,
    withdraw,
)

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
NOBODY = "01a23002-20e2-7eec-9876-673dbe5d2c04"


@pytest.fixture(autouse=True)
def no_policies(db: None) -> None:
    """No release policy but those of the test."""
    stop_all_policies()


@pytest.fixture
def ann() -> RelationshipRef:
    return make_relationship()


def ask(relationship: RelationshipRef, now: datetime | None = None) -> Releases:
    with service_scope(relationship, is_read=True):
        return list_released(relationship, now=now or timezone.now())


def move(relationship: RelationshipRef, to: str) -> None:
    move_custody(
        relationship.id, to=to, by="service:t", reason_code="t", now=timezone.now()
    )


def values(
    relationship: RelationshipRef, now: datetime | None = None
) -> dict[str, str]:
    return {field.key: field.value for field in ask(relationship, now).fields}


class TestBothMustHold:
    def test_a_policy_and_a_grant_release(self, ann: RelationshipRef) -> None:
        keep_value(ann, "region", "浙江杭州")
        policy, grant = make_release_policy("region"), allow(ann, "region")

        (field,) = ask(ann).fields

        assert (field.key, field.value) == ("region", "浙江杭州")
        assert (field.label, field.label_zh) == ("Region", "所在地区")
        assert field.in_prompt
        assert (field.policy_id, field.grant_id) == (policy.pk, grant.pk)

    def test_a_policy_alone_does_not(self, ann: RelationshipRef) -> None:
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region")

        assert ask(ann) == Releases((), ("consent-missing",))

    def test_a_grant_alone_does_not(self, ann: RelationshipRef) -> None:
        keep_value(ann, "region", "浙江杭州")
        allow(ann, "region")

        assert ask(ann) == Releases((), ("policy-missing",))

    def test_a_grant_of_another_field_does_not(self, ann: RelationshipRef) -> None:
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region")
        allow(ann, "locale")

        assert ask(ann).fields == ()

    def test_without_a_value_there_is_nothing(self, ann: RelationshipRef) -> None:
        make_release_policy("region")
        allow(ann, "region")

        assert ask(ann) == Releases()

    def test_what_is_commercial_never_enters_a_prompt(
        self, ann: RelationshipRef
    ) -> None:
        ProfileField.objects.filter(key="spend_tier").update(in_prompt=True)
        release(ann, "spend_tier", "T-03")

        (field,) = ask(ann).fields

        assert field.value == "T-03"
        assert not field.in_prompt

    def test_a_field_that_is_sensitive_never_is_released(
        self, ann: RelationshipRef
    ) -> None:
        ProfileField.objects.create(
            key="illness",
            label="Illness",
            label_zh="病",
            data_class="sensitive",
            purpose="-",
            purpose_zh="-",
        )
        keep_value(ann, "illness", "x")
        allow(ann, "illness")
        make_grant(ann, "sensitive:diagnosis")

        assert ask(ann) == Releases()


class TestItBitesAtOnce:
    def test_a_withdrawal(self, ann: RelationshipRef) -> None:
        grant = release(ann, "region", "浙江杭州")
        assert values(ann) == {"region": "浙江杭州"}

        withdraw(grant)

        assert values(ann) == {}

    def test_the_end_of_a_grant(self, ann: RelationshipRef) -> None:
        grant = release(ann, "region", "浙江杭州")
        now = timezone.now()
        change_grant(grant, expires_at=now + DAY)

        assert values(ann, now + DAY - timedelta(microseconds=1)) != {}
        assert values(ann, now + DAY) == {}

    def test_a_text_that_needs_renewal(self, ann: RelationshipRef) -> None:
        seen = make_policy_text("release:region")
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region")
        allow(ann, "region", policy_version=seen)
        assert values(ann) != {}

        seen.renewal_from = timezone.now()
        seen.save(update_fields=["renewal_from"])

        assert values(ann) == {}

    def test_the_end_of_a_policy(self, ann: RelationshipRef) -> None:
        now = timezone.now()
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region", expires_at=now + DAY)
        allow(ann, "region")

        assert values(ann, now + DAY - timedelta(microseconds=1)) != {}
        assert values(ann, now + DAY) == {}

    def test_a_policy_that_one_person_stops(self, ann: RelationshipRef) -> None:
        keep_value(ann, "region", "浙江杭州")
        policy = make_release_policy("region")
        allow(ann, "region")
        assert values(ann) != {}

        revoke(policy.pk, by=REVIEWER, reason="供应商变更", now=timezone.now())

        assert values(ann) == {}

    def test_a_policy_that_nobody_approved_yet(self, ann: RelationshipRef) -> None:
        keep_value(ann, "region", "浙江杭州")
        make_release_policy("region", approved_by=None, approved_at=None)
        allow(ann, "region")

        assert values(ann) == {}

    def test_a_value_older_than_its_retention(self, ann: RelationshipRef) -> None:
        now = timezone.now()
        keep_value(ann, "region", "浙江杭州", at=now)
        make_release_policy("region", expires_at=now + 900 * DAY)
        allow(ann, "region")

        assert values(ann, now + 365 * DAY - timedelta(microseconds=1)) != {}
        assert values(ann, now + 365 * DAY) == {}

    def test_one_scope_asks_once_until_it_is_told_to_forget(
        self, ann: RelationshipRef
    ) -> None:
        release(ann, "region", "浙江杭州")
        make_grant(ann, "sensitive:diagnosis")
        now = timezone.now()

        with service_scope(ann), CountedQueries() as counted:
            assert list_released(ann, now=now).keys == ["region"]
            allowed = read_allowances(ann, now=now)
            assert allowed.allows("sensitive:diagnosis")
            assert not allowed.allows("sensitive:religion")
            assert len(counted.statements) == 1
            forget_allowances()
            list_released(ann, now=now)

        assert len(counted.statements) == 2


class TestWhomItReaches:
    def cast(self) -> tuple[RelationshipRef, RelationshipRef, RelationshipRef]:
        """Return three relationships of one user: two personas of a creator, another."""
        night = make_relationship()
        user, creator = night.user_external_id, night.creator_external_id
        return (
            night,
            make_relationship(user=user, creator=creator),
            make_relationship(user=user),
        )

    @pytest.mark.parametrize(
        ("kind", "reached"),
        [
            ("all", [True, True, True]),
            ("creator", [True, True, False]),
            ("persona", [True, False, False]),
            ("relationship", [True, False, False]),
        ],
    )
    def test_a_grant_reaches_its_target_only(
        self, kind: str, reached: list[bool]
    ) -> None:
        relationships = self.cast()
        night = relationships[0]
        ids = {
            "creator": night.creator_id,
            "persona": night.persona_id,
            "relationship": night.id,
        }
        keep_value(night, "region", "浙江杭州")
        make_release_policy("region")
        allow(night, "region", target_kind=kind, target_id=ids.get(kind))

        assert [bool(values(one)) for one in relationships] == reached

    @pytest.mark.parametrize(
        ("kind", "reached"),
        [
            ("all", [True, True, True]),
            ("creator", [True, True, False]),
            ("persona", [True, False, False]),
        ],
    )
    def test_a_policy_reaches_its_recipients_only(
        self, kind: str, reached: list[bool]
    ) -> None:
        relationships = self.cast()
        night = relationships[0]
        keep_value(night, "region", "浙江杭州")
        make_release_policy(
            "region",
            recipient_kind=kind,
            creator_id=night.creator_id if kind == "creator" else None,
            persona_id=night.persona_id if kind == "persona" else None,
        )
        allow(night, "region")

        assert [bool(values(one)) for one in relationships] == reached

    def test_another_user_s_grant_and_value_are_nothing(
        self, ann: RelationshipRef
    ) -> None:
        release(ann, "region", "浙江杭州")
        chloe = make_relationship(
            creator=ann.creator_external_id, persona=ann.persona_key
        )
        keep_value(chloe, "region", "四川成都")

        assert values(chloe) == {}

    def test_who_takes_a_relationship_over_does_not_inherit_it(
        self, ann: RelationshipRef
    ) -> None:
        """The profile is never passed on: it takes a grant that is given since."""
        other = make_relationship(user=ann.user_external_id)
        grant = release(ann, "region", "浙江杭州")
        seen = [values(ann)]

        move(ann, "proxy_pool")
        seen.append(values(ann))
        elsewhere = values(other)
        change_grant(grant, granted_at=timezone.now())
        seen.append(values(ann))

        shown = {"region": "浙江杭州"}
        assert seen == [shown, {}, shown]
        assert elsewhere == shown
        assert ask(ann).withheld == ()

    def test_whoever_had_it_has_it_again(self, ann: RelationshipRef) -> None:
        release(ann, "region", "浙江杭州")
        move(ann, "proxy_pool")

        move(ann, "creator_pool")

        assert values(ann) == {"region": "浙江杭州"}

    def test_it_takes_a_scope_of_the_relationship_and_its_user(
        self, ann: RelationshipRef
    ) -> None:
        now = timezone.now()

        with pytest.raises(ScopeMissing):
            list_released(ann, now=now)
        with (
            access_scope(Purpose.SERVICE, relationship=ann.id),
            pytest.raises(ScopeConflict),
        ):
            list_released(ann, now=now)


def payload(**told: Any) -> dict[str, Any]:
    return {
        "field": "region",
        "purpose": "聊天时结合当地天气",
        "recipient_kind": "all",
        "recipient": None,
        "assessment_ref": "PIA-2026-07",
        "expires_at": (timezone.now() + 90 * DAY).isoformat(),
    } | told


def propose(**told: Any) -> ChangeRequest:
    return approvals.propose(
        "field_release",
        payload(**told),
        object_ref="profile_field:region",
        reason="新功能",
        by=OFFICER,
        now=timezone.now(),
    )


def approve(request: ChangeRequest, *, by: int = REVIEWER) -> ChangeRequest:
    return approvals.approve(
        request.pk, by=by, payload_hash=request.payload_hash, now=timezone.now()
    )


@pytest.fixture
def of_releases(settings: Any) -> None:
    """The one kind of change that this is about."""
    settings.CHANGE_KINDS = ["consent.releases.FieldRelease"]


@pytest.mark.usefixtures("of_releases")
class TestTwoPersons:
    def test_a_second_person_puts_it_in_force(self, ann: RelationshipRef) -> None:
        keep_value(ann, "region", "浙江杭州")
        allow(ann, "region")
        request = propose(
            recipient_kind="persona",
            recipient=str(ann.persona_id),
            purpose=" 聊天\u200b",
        )
        assert values(ann) == {}

        done = approve(request)

        policy = ReleasePolicy.objects.get(pk=done.result["policy"])
        assert done.state == "done"
        assert (policy.proposed_by, policy.approved_by) == (OFFICER, REVIEWER)
        assert (policy.field_id, policy.data_class) == ("region", "stable")
        assert (policy.purpose, policy.persona_id) == ("聊天", ann.persona_id)
        assert policy.change_request == request.pk
        assert values(ann) == {"region": "浙江杭州"}

    def test_the_one_who_asked_cannot(self, ann: RelationshipRef) -> None:
        request = propose()

        with pytest.raises(SamePerson):
            approve(request, by=OFFICER)

        assert not ReleasePolicy.objects.filter(change_request=request.pk).exists()

    def test_the_second_person_is_shown_what_it_would_do(
        self, ann: RelationshipRef
    ) -> None:
        allow(ann, "region")
        creator = make_creator()

        told = dict(
            approvals.describe(
                propose(recipient_kind="creator", recipient=str(creator.pk))
            )
        )

        shown = {str(label): str(value) for label, value in told.items()}
        assert shown["Field"] == "Region (region)"
        assert shown["Recipients"] == f"One creator: {creator.external_id}"
        assert int(shown["Users who have granted it"]) >= 1
        assert shown["Impact assessment"] == "PIA-2026-07"

    @pytest.mark.parametrize(
        ("told", "member"),
        [
            ({"field": "salary"}, "field"),
            ({"field": 5}, "field"),
            ({"purpose": " "}, "purpose"),
            ({"purpose": "x" * 201}, "purpose"),
            ({"assessment_ref": ""}, "assessment_ref"),
            ({"expires_at": "2026-01-01"}, "expires_at"),
            ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
            ({"expires_at": None}, "expires_at"),
            ({"recipient_kind": "relationship"}, "recipient_kind"),
            ({"recipient_kind": "all", "recipient": NOBODY}, "recipient_kind"),
            ({"recipient_kind": "creator"}, "recipient"),
            ({"recipient_kind": "persona", "recipient": "x"}, "recipient"),
            ({"recipient_kind": "persona", "recipient": NOBODY}, "recipient"),
            ({"approved_by": 4}, "payload"),
        ],
    )
    def test_it_refuses_what_cannot_be_released(
        self, told: dict[str, Any], member: str
    ) -> None:
        with pytest.raises(InvalidChange) as caught:
            propose(**told)

        assert caught.value.field == member

    def test_what_is_sensitive_cannot_even_be_asked_for(self) -> None:
        ProfileField.objects.filter(key="locale").update(data_class="sensitive")

        with pytest.raises(InvalidChange):
            propose(field="locale")

    def test_an_approval_that_comes_too_late_fails_and_makes_nothing(self) -> None:
        end = timezone.now() + timedelta(hours=1)
        request = propose(expires_at=end.isoformat())

        done = approvals.approve(
            request.pk, by=REVIEWER, payload_hash=request.payload_hash, now=end
        )

        assert (done.state, done.result) == ("failed", {"error": "release-over"})
        assert not ReleasePolicy.objects.filter(change_request=request.pk).exists()


class TestStopping:
    def test_it_is_recorded_with_the_reason_out_of_the_chain(self) -> None:
        policy = make_release_policy("region")

        revoke(policy.pk, by=REVIEWER, reason="供应商变更", now=timezone.now())

        policy.refresh_from_db()
        assert policy.revoked_by == REVIEWER
        with staff_role():
            entry = AuditEntry.objects.get(object_ref=f"release_policy:{policy.pk}")
        assert (entry.chain, entry.action) == ("governance", "release.revoked")
        assert entry.actor == f"staff:{REVIEWER}"
        assert "供应商" not in str(vars(entry))

    def test_what_is_over_cannot_be_stopped_again(self) -> None:
        now = timezone.now()
        policy = make_release_policy("region")
        revoke(policy.pk, by=REVIEWER, reason="停", now=now)

        with pytest.raises(ReleaseOver):
            revoke(policy.pk, by=OFFICER, reason="停", now=now)
        with pytest.raises(ReleaseNotFound):
            revoke(uuid4(), by=OFFICER, reason="停", now=now)

    def test_it_takes_a_reason(self) -> None:
        policy = make_release_policy("region")

        with pytest.raises(InvalidChange):
            revoke(policy.pk, by=REVIEWER, reason=" ", now=timezone.now())


class TestCounting:
    @pytest.fixture(autouse=True)
    def field(self) -> None:
        """A field of its own, of which no other test has left a grant."""
        ProfileField.objects.create(
            key="mood",
            label="Mood",
            label_zh="心情",
            data_class="stable",
            purpose="-",
            purpose_zh="-",
        )

    def test_it_counts_users_whose_grant_a_policy_meets(self) -> None:
        night = make_relationship()
        creator = night.creator_external_id
        day = make_relationship(creator=creator)
        far = make_relationship()
        allow(night, "mood", target_kind="persona", target_id=night.persona_id)
        allow(night, "mood", target_kind="relationship", target_id=night.id)
        allow(day, "mood", target_kind="creator", target_id=day.creator_id)
        allow(far, "mood")
        withdraw(allow(make_relationship(), "mood"))
        allow(make_relationship(), "mood", expires_at=timezone.now())
        allow(make_relationship(), "locale")
        now = timezone.now()

        def count(**recipients: Any) -> int:
            policy = make_release_policy("mood", **recipients)
            with CountedQueries() as counted:
                number = count_affected(policy, now=now)
            assert len(counted.statements) == 1
            return number

        assert count() == 3
        assert count(recipient_kind="creator", creator_id=night.creator_id) == 3
        assert count(recipient_kind="creator", creator_id=far.creator_id) == 1
        assert count(recipient_kind="persona", persona_id=night.persona_id) == 3
        assert count(recipient_kind="persona", persona_id=day.persona_id) == 2
        other = make_persona()
        assert count(recipient_kind="persona", persona_id=other.pk) == 1

    def test_it_leaves_out_who_withdrew_for_these_recipients(self) -> None:
        ann = make_relationship()
        allow(ann, "mood")
        withdraw(allow(ann, "mood", target_kind="creator", target_id=ann.creator_id))
        now = timezone.now()
        everybody = make_release_policy("mood")
        of_creator = make_release_policy(
            "mood", recipient_kind="creator", creator_id=ann.creator_id
        )
        of_persona = make_release_policy(
            "mood", recipient_kind="persona", persona_id=ann.persona_id
        )

        assert count_affected(everybody, now=now) == 1
        assert count_affected(of_creator, now=now) == 0
        assert count_affected(of_persona, now=now) == 0

    def test_it_looks_at_so_many_grants_and_no_more(self) -> None:
        for _ in range(3):
            allow(make_relationship(), "mood")

        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT memsys_audit.count_granting('release:mood', 'all', NULL, "
                "now(), 2)"
            )
            assert cursor.fetchone() == (2,)
