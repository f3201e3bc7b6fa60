"""What is foretold is what the night does; nothing is kept longer than its class."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from consent import retention
from consent.models import ProfileField, ProfileValue, RetentionRun
from consent.tasks import sweep_retention
from identity.models import Relationship
from identity.services import UserForm, put_user, set_age_band
from identity.types import RelationshipRef
from memsys.kernel.expiring import Keeping, Lapsed, RetentionRule
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.erasing import left
from tests.factories.identity import make_relationship, new_name
from tests.factories.requests import ask_for
from tests.factories.retention import (
    ago,
    make_aged,
    make_night,
    make_old_message,
    make_old_session,
    sleep,
)

pytestmark = pytest.mark.django_db
BY = "service:tests"
ERASURE_STEPS: tuple[Any, ...] = ()
failing: list[RelationshipRef] = []


class Broken(Exception):
    """Stands for a fault of the program."""


def _break(keeping: Keeping) -> Lapsed:
    if any(one.id == keeping.relationship_id for one in failing):
        raise Broken
    return Lapsed()


# This module is one of PERSONAL_DATA_MODULES where a test says so.
RETENTION_RULES = (RetentionRule("tests.broken", (), _break),)


@pytest.fixture(autouse=True)
def _nothing_else_is_due() -> Iterator[None]:
    Relationship.objects.update(retention_at=None)
    RetentionRun.objects.all().delete()
    yield
    failing.clear()


def make_value(ann: RelationshipRef, *, days: int, at: datetime) -> None:
    field = ProfileField.objects.create(
        key=new_name("field"), label="Field", label_zh="字段", retention_days=days
    )
    own = {"global_user_id": ann.user_id}
    with access_scope(Purpose.JOB, user=ann.user_id):
        ProfileValue.objects.create(
            **own, field=field, value="x", source=BY, updated_at=at
        )


def values_of(ann: RelationshipRef) -> int:
    with access_scope(Purpose.JOB, user=ann.user_id):
        return ProfileValue.objects.filter(global_user_id=ann.user_id).count()


def make_due(*relationships: RelationshipRef, at: datetime | None = None) -> None:
    ids = [one.id for one in relationships]
    rows = Relationship.objects.filter(pk__in=ids)
    rows.update(retention_at=at or ago(1))


def look_at_all() -> RetentionRun:
    night = make_night()
    for one in retention.list_due(night):
        retention.look(one, night, now=timezone.now())
    night.refresh_from_db()
    return night


class TestPlan:
    @pytest.mark.parametrize("is_kept", [False, True])
    def test_what_is_of_the_user_is_counted_once_over_all_relationships(
        self, is_kept: bool
    ) -> None:
        ann = make_relationship()
        user = ann.user_external_id
        others = [make_relationship(user=user, creator=new_name("c")) for _ in "ab"]
        make_value(ann, days=7, at=ago(8))
        if is_kept:
            ask_for(ann)
        make_due(ann, *others)

        now = timezone.now()
        foretold = retention.plan(now=now, until=now)
        night = look_at_all()

        found = {"profile_value": 1}
        assert foretold.looked == 3
        assert foretold.counts == night.counts == ({} if is_kept else found)
        assert foretold.kept.get("open-request", {}) == night.kept
        assert night.kept == (found if is_kept else {})
        assert values_of(ann) == int(is_kept)

    def test_it_counts_everything_where_a_look_takes_a_part(self) -> None:
        ann = make_aged(days=31)
        for number in range(3):
            session = make_old_session(ann, days=31 + number)
            make_old_message(ann, f"第{number}句", session, 31 + number)

        keeping = retention.foresee(ann.id, now=timezone.now())

        assert keeping.counts == {"raw_message": 4}
        assert [sleep(ann, limit=1).counts["raw_message"] for _ in "abcd"] == [1] * 4


def test_a_value_goes_by_its_day_though_it_came_right_after_a_look() -> None:
    ann = make_relationship()
    make_value(ann, days=3, at=ago(-0.01))
    make_due(ann)
    look_at_all()

    (due,) = Relationship.objects.filter(pk=ann.id).values_list("retention_at")

    assert due[0] <= ago(-3.02)


class TestMinors:
    def test_it_is_looked_at_tonight_when_the_user_turns_out_to_be_one(self) -> None:
        """Order 21, article 14."""
        ann = make_relationship(age_band="adult")
        make_due(ann, at=ago(-20))

        put_user(ann.id, UserForm(age_band="minor_14_17"), by=BY)

        assert retention.list_due(make_night()) == [ann.id]

    def test_told_the_same_again_it_waits_for_its_time(self) -> None:
        ann = make_relationship(age_band="adult")
        make_due(ann, at=ago(-20))

        set_age_band(ann.user_id, "adult")

        assert retention.list_due(make_night()) == []


class TestNight:
    def test_one_that_fails_holds_up_neither_the_others_nor_the_end(
        self, settings: Any
    ) -> None:
        bad, good = make_aged(days=31), make_aged(days=31)
        make_due(bad, at=ago(3))
        make_due(good, at=ago(2))
        failing.append(bad)
        settings.PERSONAL_DATA_MODULES = [
            *django_settings.PERSONAL_DATA_MODULES, __name__,
        ]  # fmt: skip

        with pytest.raises(Broken):
            sweep_retention()

        night = RetentionRun.objects.get()
        assert night.counts == {"raw_message": 1}
        assert night.finished_at is not None
        assert left(bad) == (1, 1)
