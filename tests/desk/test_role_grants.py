"""Roles are given and taken by two persons, neither of whom gains."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from consent import approvals
from consent.errors import InvalidChange, SamePerson
from consent.models import ChangeRequest
from memsys.desk.permissions import Permission
from memsys.desk.roles import may
from tests.factories.identity import new_name
from tests.identity.audit import list_deeds

OFFICER, REVIEWER = 1_000_001, 1_000_002

pytestmark = pytest.mark.django_db


@pytest.fixture
def clerk() -> User:
    """Somebody at the desk without a role."""
    return User.objects.create_user(new_name("clerk"), is_staff=True)


def propose(clerk: User, **told: Any) -> ChangeRequest:
    payload = {"staff": clerk.pk, "role": "auditor", "is_given": True} | told
    return approvals.propose(
        "role_grant",
        payload,
        object_ref=f"staff:{clerk.pk}",
        reason="调岗",
        by=OFFICER,
        now=timezone.now(),
    )


def approve(request: ChangeRequest, *, by: int = REVIEWER) -> ChangeRequest:
    return approvals.approve(
        request.pk, by=by, payload_hash=request.payload_hash, now=timezone.now()
    )


def may_verify(clerk: User) -> bool:
    return may(User.objects.get(pk=clerk.pk), Permission.VERIFY_AUDIT)


def test_a_role_is_given_and_taken_with_a_second_person(clerk: User) -> None:
    request = propose(clerk)
    before = may_verify(clerk)
    given = approve(request)
    between = may_verify(clerk)
    taken = approve(propose(clerk, is_given=False))

    assert (given.state, taken.state) == ("done", "done")
    assert (before, between, may_verify(clerk)) == (False, True, False)
    assert [one.action for one in list_deeds("staff", clerk.pk)] == [
        "staff.role_given",
        "staff.role_taken",
    ]


def test_whoever_gains_the_role_is_not_the_second_person(clerk: User) -> None:
    request = propose(clerk)

    with pytest.raises(SamePerson):
        approve(request, by=clerk.pk)

    assert not may_verify(clerk)


def test_the_second_person_reads_what_the_role_allows(clerk: User) -> None:
    lines = approvals.describe(propose(clerk))

    shown = " ".join(str(value) for _label, value in lines)
    assert clerk.username in shown
    assert "verif" in shown or "核验" in shown


def test_what_was_given_meanwhile_fails(clerk: User) -> None:
    one, other = propose(clerk), propose(clerk)
    approve(one)

    done = approve(other)

    assert (done.state, done.result) == ("failed", {"error": "nothing-to-change"})


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("role", "superuser"),
        ("role", None),
        ("staff", -1),
        ("staff", "1"),
        ("staff", True),
        ("is_given", False),
        ("is_given", 1),
        ("is_superuser", True),
    ],
)
def test_what_cannot_be_is_not_asked_for(clerk: User, member: str, value: Any) -> None:
    with pytest.raises(InvalidChange):
        propose(clerk, **{member: value})


def test_an_account_that_is_closed_gets_no_role(clerk: User) -> None:
    User.objects.filter(pk=clerk.pk).update(is_active=False)

    with pytest.raises(InvalidChange):
        propose(clerk)
