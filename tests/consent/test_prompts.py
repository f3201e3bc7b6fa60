"""What a user may be asked for: nothing again soon, nothing that is given, no nonsense."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from consent.models import PolicyVersion
from consent.prompts import list_prompts
from identity.models import GlobalUser
from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.types import RelationshipRef
from memsys.settings import bounded
from tests.factories.consents import give, make_ending, make_form, take_back, tell
from tests.factories.identity import make_relationship

pytestmark = pytest.mark.django_db

HEALTH, REGION = "sensitive:mental_health", "release:region"
DAY = timedelta(days=1)


@pytest.fixture
def ann() -> RelationshipRef:
    return make_relationship(age_band="adult")


def ask(
    relationship: RelationshipRef, now: datetime | None = None, *, here: bool = False
) -> dict[str, str]:
    """Return the reason by scope."""
    with service_scope(relationship, is_read=True):
        prompts = list_prompts(
            relationship.user_id,
            now=now or timezone.now(),
            relationship=relationship if here else None,
        )
    return {one.scope.code: one.reason for one in prompts}


def test_a_new_user_may_be_asked_for_each_once(ann: RelationshipRef) -> None:
    asked = ask(ann)

    assert asked[HEALTH] == asked[REGION] == asked["model_training"] == "never-asked"
    assert "guardian" not in asked


def test_nobody_is_asked_for_what_they_gave(ann: RelationshipRef) -> None:
    give(ann, HEALTH)

    assert HEALTH not in ask(ann)
    assert HEALTH not in ask(ann, here=True)


def test_what_was_given_elsewhere_may_be_asked_for_here(ann: RelationshipRef) -> None:
    other = make_relationship(user=ann.user_external_id)
    give(ann, HEALTH, target_kind="relationship", target_id=other.id)

    assert HEALTH not in ask(ann)
    assert ask(ann, here=True)[HEALTH] == "never-asked"


@pytest.mark.parametrize("action", ["refuse", "withdraw"])
@pytest.mark.parametrize(("days", "is_asked"), [(0, False), (89, False), (91, True)])
def test_after_a_no_nobody_is_asked_for_90_days(
    ann: RelationshipRef, action: str, days: int, is_asked: bool
) -> None:
    """网络数据安全管理条例, article 22: no frequent asking after a refusal."""
    now = timezone.now()
    tell(make_ending(ann, HEALTH, action=action, acted_at=now), now=now)

    asked = ask(ann, now + days * DAY)

    assert (HEALTH in asked) is is_asked
    assert REGION in asked


def test_a_no_to_one_persona_is_quiet_for_all(ann: RelationshipRef) -> None:
    target = {"target_kind": "persona", "target_id": ann.persona_id}
    tell(make_ending(ann, HEALTH, action="refuse", **target))

    assert HEALTH not in ask(ann)


def test_no_is_no_for_longer_when_it_is_set_so(
    ann: RelationshipRef, settings: Any
) -> None:
    settings.CONSENT_COOLDOWN_DAYS = 180
    now = timezone.now()
    tell(make_ending(ann, HEALTH, action="refuse", acted_at=now), now=now)

    assert HEALTH not in ask(ann, now + 91 * DAY)


def test_it_cannot_be_set_to_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONSENT_COOLDOWN_DAYS", "89")

    with pytest.raises(ImproperlyConfigured):
        bounded("CONSENT_COOLDOWN_DAYS", 90, low=90, high=3650)


def test_what_needs_renewal_is_listed(ann: RelationshipRef) -> None:
    give(ann, HEALTH)
    PolicyVersion.objects.filter(document="sensitive").update(
        renewal_from=timezone.now()
    )

    assert ask(ann)[HEALTH] == "needs-renewal"


def test_what_needs_renewal_and_was_refused_is_not(ann: RelationshipRef) -> None:
    give(ann, HEALTH)
    PolicyVersion.objects.filter(document="sensitive").update(
        renewal_from=timezone.now()
    )

    take_back(ann, HEALTH, action="refuse")

    assert HEALTH not in ask(ann)


def test_what_has_expired_is_listed(ann: RelationshipRef) -> None:
    now = timezone.now()
    tell(make_form(ann, HEALTH, expires_at=now + DAY), now=now)

    assert ask(ann, now + DAY)[HEALTH] == "expired"


def test_minors_are_not_asked_for_what_they_cannot_give() -> None:
    mia = make_relationship(age_band="minor_14_17")

    asked = ask(mia)

    assert HEALTH in asked
    assert {"model_training", "release:spend_tier", "guardian"}.isdisjoint(asked)


def test_for_a_child_a_guardian_is_asked() -> None:
    kim = make_relationship(age_band="under_14")

    with service_scope(kim, is_read=True):
        prompts = list_prompts(kim.user_id, now=timezone.now())

    assert "guardian" in [one.scope.code for one in prompts]
    assert all(one.needs_guardian for one in prompts)


def test_what_a_child_gave_alone_a_guardian_is_asked_for() -> None:
    kim = make_relationship(age_band="unknown")
    give(kim, HEALTH)
    GlobalUser.objects.filter(pk=kim.user_id).update(age_band="under_14")
    kim = get_relationship(kim.id)

    assert HEALTH in ask(kim)
    assert HEALTH in ask(kim, here=True)

    give(kim, HEALTH, surface="guardian")
    assert HEALTH not in ask(kim)


@pytest.mark.parametrize(
    ("locale", "shown"), [("zh-hans", "zh-hans"), ("en-GB", "en"), ("fr", "zh-hans")]
)
def test_the_text_is_in_the_users_language(
    ann: RelationshipRef, locale: str, shown: str
) -> None:
    GlobalUser.objects.filter(pk=ann.user_id).update(locale=locale)

    with service_scope(ann, is_read=True):
        prompts = list_prompts(ann.user_id, now=timezone.now())

    assert {one.text.locale for one in prompts} == {shown}
