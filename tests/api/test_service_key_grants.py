"""A key that gives personal data takes two persons; its secret is shown to one."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from consent import approvals
from consent.errors import ChangeClosed, InvalidChange, NotTheRequester
from consent.models import ChangeRequest
from memsys.api.changes import make_approved_key, needs_approval
from memsys.api.models import ServiceKey
from tests.factories.api import Bot
from tests.factories.identity import make_relationship

OFFICER, REVIEWER = 41, 42

pytestmark = pytest.mark.django_db


def propose(**told: Any) -> ChangeRequest:
    payload = {
        "name": "chat",
        "scopes": ["relationship:route", "context:read"],
        "creators": [],
        "days": 30,
    }
    return approvals.propose(
        "service_key",
        payload | told,
        object_ref="service_key:new",
        reason="新的聊天服务",
        by=OFFICER,
        now=timezone.now(),
    )


def approve(request: ChangeRequest) -> ChangeRequest:
    return approvals.approve(
        request.pk, by=REVIEWER, payload_hash=request.payload_hash, now=timezone.now()
    )


def test_whoever_asked_makes_the_key_after_the_approval() -> None:
    request = propose(creators=["c-1"])
    done = approve(request)
    keys = ServiceKey.objects.count()

    key = make_approved_key(request.pk, by=OFFICER, now=timezone.now())

    row = ServiceKey.objects.get(prefix=key.prefix)
    kept = ChangeRequest.objects.get(pk=request.pk)
    assert done.state == "done"
    assert ServiceKey.objects.count() == keys + 1
    assert row.scopes == ["context:read", "relationship:route"]
    assert row.creators == ["c-1"]
    assert kept.result["prefix"] == key.prefix
    assert key.secret not in str(kept.result)


def test_the_key_works() -> None:
    ann = make_relationship()
    request = propose(creators=[ann.creator_external_id])
    approve(request)

    key = make_approved_key(request.pk, by=OFFICER, now=timezone.now())

    answer = Bot(key, Client()).get(f"/relationships/{ann.id}")
    assert answer.status_code == 200


def test_it_is_made_once() -> None:
    request = propose()
    approve(request)
    make_approved_key(request.pk, by=OFFICER, now=timezone.now())

    with pytest.raises(ChangeClosed):
        make_approved_key(request.pk, by=OFFICER, now=timezone.now())


def test_nobody_else_makes_it_and_nobody_before_the_approval() -> None:
    request = propose()

    with pytest.raises(ChangeClosed):
        make_approved_key(request.pk, by=OFFICER, now=timezone.now())
    approve(request)
    with pytest.raises(NotTheRequester):
        make_approved_key(request.pk, by=REVIEWER, now=timezone.now())
    with pytest.raises(ChangeClosed):
        make_approved_key(
            request.pk, by=OFFICER, now=timezone.now() + timedelta(hours=73)
        )

    assert "prefix" not in ChangeRequest.objects.get(pk=request.pk).result


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("scopes", []),
        ("scopes", ["session:write"]),
        ("scopes", ["context:read", "*"]),
        ("scopes", ["consent:write", "profile:read:released"]),
        ("scopes", "context:read"),
        ("scopes", [["context:read"]]),
        ("creators", None),
        ("creators", [""]),
        ("creators", ["c"] * 1 + [7]),
        ("name", ""),
        ("name", 7),
        ("name", "x" * 51),
        ("days", 0),
        ("days", 181),
        ("days", True),
        ("secret", "mine"),
    ],
)
def test_a_key_that_could_not_be_made_is_not_asked_for(member: str, value: Any) -> None:
    with pytest.raises(InvalidChange):
        propose(**{member: value})


@pytest.mark.parametrize(
    ("scope", "is_needed"),
    [
        ("context:read", True),
        ("memory:read:item", True),
        ("profile:read:released", True),
        ("portal-link:create", True),
        ("session:write", False),
        ("relationship:route", False),
    ],
)
def test_it_says_which_scopes_take_two_persons(scope: str, is_needed: bool) -> None:
    assert needs_approval(["session:write", scope]) is is_needed
