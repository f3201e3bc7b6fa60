"""What the platform tells of a user: which fields there are, and what they take."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from consent.errors import GateClosed, InvalidProfileValue
from consent.gate import find_closing, list_released
from consent.models import ProfileField, ProfileValue
from consent.profiles import ValueView, list_values, put_values, seed_fields
from identity.errors import UserNotFound
from identity.models import GlobalUser
from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.services import UserForm, put_user
from identity.types import RelationshipRef
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.scope import Purpose, ScopeMissing, access_scope
from memsys.kernel.scope.staff import staff_role
from tests.factories.identity import make_relationship, new_name
from tests.factories.releases import make_grant, make_release_policy, withdraw

pytestmark = pytest.mark.django_db

NOW = timezone.now()
BY = "service:ab12cd34"


@pytest.fixture
def ann() -> RelationshipRef:
    return make_relationship()


def put(relationship: RelationshipRef, **values: str | None) -> tuple[str, ...]:
    return put_values(relationship.user_external_id, values, by=BY, now=NOW)


def kept(relationship: RelationshipRef) -> dict[str, ValueView]:
    with access_scope(Purpose.JOB, user=relationship.user_id):
        return {one.key: one for one in list_values(relationship.user_id)}


def test_the_registry_is_there_after_a_migration() -> None:
    fields = ProfileField.objects.in_bulk()

    shipped = {"age_band", "region", "locale", "contact_hours", "spend_tier"}
    assert fields.keys() >= shipped
    tier = fields["spend_tier"]
    assert tier.allowed == [f"T-{number:02d}" for number in range(1, 11)]
    assert (tier.data_class, tier.in_prompt) == ("commercial", False)
    for key in shipped:
        field = fields[key]
        texts = (field.label, field.label_zh, field.purpose, field.purpose_zh)
        assert all(texts)
        assert field.retention_days > 0


def test_seeding_again_changes_nothing_that_is_there() -> None:
    ProfileField.objects.filter(key="region").update(retention_days=7)

    seed_fields("default")

    assert ProfileField.objects.get(key="region").retention_days == 7


def test_it_keeps_what_it_is_told(ann: RelationshipRef) -> None:
    keys = put(ann, region="浙江杭州", spend_tier="T-03")

    found = kept(ann)
    assert keys == ("region", "spend_tier")
    assert {key: one.value for key, one in found.items()} == {
        "region": "浙江杭州",
        "spend_tier": "T-03",
    }
    assert (found["region"].source, found["region"].updated_at) == (BY, NOW)


def test_what_is_told_again_replaces_it(ann: RelationshipRef) -> None:
    put(ann, region="浙江杭州", locale="zh-CN")

    later = NOW + timedelta(days=1)
    put_values(ann.user_external_id, {"region": "四川成都"}, by=BY, now=later)

    found = kept(ann)
    assert found["region"].value == "四川成都"
    assert found["region"].updated_at == later
    assert found["locale"].value == "zh-CN"


def test_a_null_removes_a_value(ann: RelationshipRef) -> None:
    put(ann, region="浙江杭州", locale="zh-CN")

    put(ann, region=None, contact_hours=None)

    assert list(kept(ann)) == ["locale"]


@pytest.mark.parametrize(
    ("told", "stays"),
    [
        ("\u200b 浙江杭州\u0000 ", "浙江杭州"),
        ("20:00-23:00", "20:00-23:00"),
        ("周末 10:00-12:00", "周末 10:00-12:00"),
        ("晚上打13812345678", "晚上打[手机号]"),
    ],
)
def test_it_cleans_texts_and_masks_personal_data(
    ann: RelationshipRef, told: str, stays: str
) -> None:
    put(ann, contact_hours=told)

    assert kept(ann)["contact_hours"].value == stays


@pytest.mark.parametrize(
    ("values", "field", "code"),
    [
        ({}, "", "unknown-field"),
        ({"salary": "1"}, "", "unknown-field"),
        ({"region": "杭州", "salary": "1"}, "", "unknown-field"),
        ({"spend_tier": "T-11"}, "spend_tier", "not-allowed"),
        ({"spend_tier": "t-01"}, "spend_tier", "not-allowed"),
        ({"age_band": "old"}, "age_band", "not-allowed"),
        ({"region": "杭" * 61}, "region", "too-long"),
        ({"region": " \u200b"}, "region", "blank"),
        ({"region": 5}, "region", "wrong-type"),
    ],
)
def test_it_refuses_what_no_field_takes_and_keeps_nothing(
    ann: RelationshipRef, values: dict[str, Any], field: str, code: str
) -> None:
    with pytest.raises(InvalidProfileValue) as caught:
        put(ann, **values)

    assert (caught.value.field, caught.value.code) == (field, code)
    assert kept(ann) == {}


def test_of_a_child_it_keeps_nothing_without_a_guardian() -> None:
    child = make_relationship(age_band="under_14")

    with pytest.raises(GateClosed) as caught:
        put(child, region="浙江杭州")

    assert caught.value.code == "minor-restricted"
    assert kept(child) == {}
    assert put(child, region=None) == ("region",)


def test_with_a_guardian_s_consent_it_keeps_values_until_that_ends() -> None:
    child = make_relationship(age_band="under_14")
    grant = make_grant(child, "guardian")
    put(child, region="浙江杭州")

    withdraw(grant)

    assert list(kept(child)) == ["region"]
    with pytest.raises(GateClosed):
        put(child, locale="zh-CN")


@pytest.mark.parametrize("band", ["minor_14_17", "under_14", "adult", "unknown"])
def test_an_age_band_counts_for_the_rules_of_minors_at_once(
    ann: RelationshipRef, band: str
) -> None:
    intimate = make_relationship(
        user=ann.user_external_id, relationship_kind="intimate"
    )
    was_closed = find_closing(intimate)

    keys = put(ann, age_band=band)

    is_minor = band in ("minor_14_17", "under_14")
    now_closed = find_closing(get_relationship(intimate.id))
    assert (was_closed, now_closed) == (None, "minor-restricted" if is_minor else None)
    assert keys == ("age_band",)


def test_of_a_child_without_a_guardian_no_more_is_kept_than_that_it_is_one(
    ann: RelationshipRef,
) -> None:
    put(ann, age_band="under_14")
    with pytest.raises(GateClosed):
        put(ann, age_band="under_14", region="浙江杭州")

    assert GlobalUser.objects.get(pk=ann.user_id).age_band == "under_14"
    assert kept(ann) == {}


def test_what_is_released_is_the_age_band_of_now(ann: RelationshipRef) -> None:
    put(ann, age_band="adult")
    make_release_policy("age_band")
    make_grant(ann, "release:age_band")

    put_user(ann.id, UserForm(age_band="minor_14_17"), by=BY)

    now_known = get_relationship(ann.id)
    with service_scope(now_known, is_read=True):
        (field,) = list_released(now_known, now=timezone.now()).fields
    assert (field.key, field.value) == ("age_band", "minor_14_17")


def test_it_makes_no_user() -> None:
    with pytest.raises(UserNotFound):
        put_values(new_name("user"), {"region": "杭州"}, by=BY, now=NOW)


def test_the_deed_names_fields_and_no_value(ann: RelationshipRef) -> None:
    put(ann, region="浙江杭州", locale=None)

    with staff_role():
        entry = AuditEntry.objects.get(object_ref=f"user:{ann.user_id}")
    assert (entry.action, entry.actor) == ("profile.put", BY)
    assert entry.field_names == ["locale", "region"]


def test_values_are_seen_in_the_user_s_own_scope_only(ann: RelationshipRef) -> None:
    put(ann, region="浙江杭州")
    chloe = make_relationship()

    with access_scope(Purpose.JOB, user=chloe.user_id):
        assert not ProfileValue.objects.filter(global_user_id=ann.user_id).exists()
    with pytest.raises(ScopeMissing):
        list_values(ann.user_id)


def test_the_database_takes_no_policy_of_another_class_than_the_field_s() -> None:
    statement = (
        "INSERT INTO consent_releasepolicy (id, field_id, data_class, purpose, "
        "recipient_kind, assessment_ref, proposed_by, proposed_at, expires_at) "
        "VALUES (gen_random_uuid(), 'region', %s, '', 'all', '', 1, now(), now())"
    )

    for data_class in ("sensitive", "commercial"):
        with (
            pytest.raises(IntegrityError),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement, [data_class])
