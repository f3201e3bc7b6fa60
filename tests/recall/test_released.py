"""Released fields of the user's profile in the context of one relationship."""

from typing import Any

import pytest
from django.utils import timezone

from identity.resolution import get_relationship
from identity.scopes import service_scope
from identity.services import ProfileForm, put_profile
from identity.types import RelationshipRef
from memsys.kernel.text.budget import count_tokens
from recall.context_types import Form
from recall.services import Context, ContextRequest, build_context
from tests.factories.api import CountedQueries
from tests.factories.identity import make_relationship
from tests.factories.releases import (
    allow,
    keep_value,
    make_release_policy,
    release,
    stop_all_policies,
    withdraw,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_policies(db: None) -> None:
    """No release policy but those of the test."""
    stop_all_policies()


def ask(relationship: RelationshipRef, **wanted: Any) -> Context:
    fresh = get_relationship(relationship.id)
    request = ContextRequest(**{"query": "周末"} | wanted)
    with service_scope(fresh, is_read=True):
        return build_context(fresh, request, now=timezone.now())


def test_a_released_field_is_a_line_of_its_own_section() -> None:
    ann = make_relationship()
    release(ann, "region", "浙江杭州")
    keep_value(ann, "contact_hours", "晚上八点以后")
    make_release_policy("contact_hours")
    allow(ann, "contact_hours")

    context = ask(ann)

    (section,) = [
        one for one in context.assembled.sections if one.name.value == "profile"
    ]
    assert [line.text for line in section.lines] == [
        "- 方便联系的时段：晚上八点以后",
        "- 所在地区：浙江杭州",
    ]
    assert context.released.keys == ["contact_hours", "region"]


def test_without_the_grant_there_is_no_section_and_a_reason() -> None:
    ann = make_relationship()
    withdraw(release(ann, "region", "浙江杭州"))

    context = ask(ann)

    assert "浙江杭州" not in context.assembled.prompt
    assert "用户同意提供的资料" not in context.assembled.prompt
    assert context.withheld == ("consent-missing",)


@pytest.mark.parametrize("form", list(Form))
def test_what_is_commercial_is_in_no_prompt_of_any_form(form: Form) -> None:
    ann = make_relationship()
    release(ann, "spend_tier", "T-07")

    context = ask(ann, form=form)

    assert context.released.keys == ["spend_tier"]
    assert "T-07" not in str(context.assembled)


def test_a_release_stays_within_the_budget() -> None:
    ann = make_relationship()
    release(ann, "region", "杭" * 60)

    context = ask(ann, token_budget=60)

    assert count_tokens(context.assembled.prompt) <= 60
    assert context.released.keys == ["region"]


def test_the_profile_of_a_persona_is_read_once_and_never_stale() -> None:
    ann = make_relationship()
    put_profile(ann.persona_id, ProfileForm(voice="温和"), by="service:t1")
    ask(ann)

    with CountedQueries() as counted:
        first = ask(ann)
    put_profile(ann.persona_id, ProfileForm(voice="活泼"), by="service:t1")
    second = ask(ann)

    profiles = [one for one in counted.statements if "personaprofile" in one]
    assert profiles == []
    assert "温和" in first.assembled.prompt
    assert "活泼" in second.assembled.prompt
    assert "温和" not in second.assembled.prompt
