"""Whatever ends a release, the very next context goes without, in every process."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from django.db import transaction
from django.utils import timezone

from consent.consents import publish_text
from consent.models import ConsentGrant, PolicyVersion, ProfileValue, ReleasePolicy
from consent.releases import revoke
from consent.texts import LOCALES
from identity.custody import move_custody
from identity.models import GlobalUser
from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.api import Bot
from tests.factories.consents import give, take_back
from tests.factories.identity import make_relationship
from tests.factories.releases import keep_value, make_release_policy
from tests.journeys.conftest import WebServer, headers_of

VALUE = "浙江杭州临安"
REGION = "release:region"
CALLS = 12  # enough to reach both processes
LATER = timedelta(days=400)
BY = "service:t"


@dataclass(frozen=True)
class Released:
    """A release that works, and the policy by which it does."""

    relationship: RelationshipRef
    policy: ReleasePolicy


def withdraw(told: Released) -> None:
    take_back(told.relationship, REGION)


def withdraw_here(told: Released) -> None:
    ann = told.relationship
    take_back(ann, REGION, target_kind="relationship", target_id=ann.id)


def refuse_of_the_creator(told: Released) -> None:
    ann = told.relationship
    target = {"target_kind": "creator", "target_id": ann.creator_id}
    take_back(ann, REGION, action="refuse", **target)


def let_the_grant_expire(told: Released) -> None:
    """Set its end to now; nothing runs that would notice."""
    with access_scope(Purpose.JOB, user=told.relationship.user_id):
        rows = ConsentGrant.objects.filter(scope=REGION)
        rows.update(expires_at=timezone.now())


def let_the_policy_expire(told: Released) -> None:
    rows = ReleasePolicy.objects.filter(pk=told.policy.pk)
    rows.update(expires_at=timezone.now())


def stop_the_policy(told: Released) -> None:
    revoke(told.policy.pk, by=4, reason="不再需要", now=timezone.now())


def publish_another_text(told: Released) -> None:
    text = {"title": "资料展示", "text": f"新的文本 {told.policy.pk}"}
    payload = {
        "document": "release",
        "is_material": True,
        "renewal_from": None,
        "texts": dict.fromkeys(LOCALES, text),
    }
    with transaction.atomic():
        publish_text(payload, by="staff:4", change=None, now=timezone.now())


def take_over(told: Released) -> None:
    move_custody(
        told.relationship.id,
        to="proxy_pool",
        by=BY,
        reason_code="window",
        now=timezone.now(),
    )


def remove_the_value(told: Released) -> None:
    with access_scope(Purpose.JOB, user=told.relationship.user_id):
        ProfileValue.objects.all().delete()


def let_the_value_age(told: Released) -> None:
    with access_scope(Purpose.JOB, user=told.relationship.user_id):
        ProfileValue.objects.update(updated_at=timezone.now() - LATER)


def turn_out_a_child(told: Released) -> None:
    """With a guardian for the relationship, but none who released anything."""
    user = told.relationship.user_id
    GlobalUser.objects.filter(pk=user).update(age_band="under_14")
    give(told.relationship, "guardian", surface="guardian")


ENDINGS: list[Callable[[Released], None]] = [
    withdraw,
    withdraw_here,
    refuse_of_the_creator,
    let_the_grant_expire,
    let_the_policy_expire,
    stop_the_policy,
    take_over,
    remove_the_value,
    let_the_value_age,
    turn_out_a_child,
    publish_another_text,
]


def current_text() -> PolicyVersion:
    rows = PolicyVersion.objects.filter(document="release", locale="zh-hans")
    return rows.order_by("-number")[0]


def release_region() -> Released:
    """Make a release by the text in force now."""
    ann = make_relationship()
    policy = make_release_policy(
        "region", recipient_kind="persona", persona_id=ann.persona_id
    )
    keep_value(ann, "region", VALUE)
    give(ann, REGION, text=current_text())
    return Released(ann, policy)


@pytest.fixture
def clean_texts(real_commits: None) -> Iterator[datetime]:
    """Other tests find the first texts in force, as they were."""
    before = timezone.now()
    yield before
    rows = PolicyVersion.objects.filter(document="release")
    rows.update(renewal_from=None)


def ask(client: httpx.Client, told: Released) -> dict[str, Any]:
    body = {"relationship": str(told.relationship.id), "query": "天气"}
    answer = client.post("/context", json=body)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


def ask_all(web: WebServer, service: Bot, told: Released) -> list[bool]:
    """Ask many times, each by a connection of its own, so by each process."""

    def once(_number: int) -> bool:
        headers = headers_of(service) | {"Connection": "close"}
        with httpx.Client(
            base_url=f"{web.url}/api/v1", headers=headers, timeout=60
        ) as client:
            shown = ask(client, told)
        is_prompted = VALUE in shown["prompt"]
        is_told = [one["value"] for one in shown["released"]] == [VALUE]
        assert is_prompted == is_told, shown
        return is_prompted

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(once, range(CALLS)))


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDINGS, ids=lambda one: str(one.__name__))
def test_the_next_context_goes_without(
    web: WebServer,
    service: Bot,
    clean_texts: datetime,
    end: Callable[[Released], None],
) -> None:
    """Design, section 6: at that instant, with packs and processes warm."""
    told = release_region()
    warm = ask_all(web, service, told)

    end(told)
    after = ask_all(web, service, told)

    assert warm == [True] * CALLS
    assert after == [False] * CALLS
