"""A minor's data: open to one person, for an hour, after a second one agreed."""

from datetime import timedelta

import pytest
from django.utils import timezone

from consent import approvals
from consent.errors import InvalidChange
from consent.minor_access import MinorAccess, may_open_minor, propose_access
from consent.models import ChangeRequest
from tests.factories.identity import make_user

OFFICER, REVIEWER, OTHER = 51, 52, 53

pytestmark = pytest.mark.django_db


def approve(request: ChangeRequest) -> ChangeRequest:
    return approvals.approve(
        request.pk, by=REVIEWER, payload_hash=request.payload_hash, now=timezone.now()
    )


def test_it_is_open_to_who_asked_for_an_hour() -> None:
    """Source: 未成年人网络保护条例, article 36."""
    minor, other = make_user(age_band="minor_14_17"), make_user()
    request = propose_access(
        minor.pk, reason="投诉核查", by=OFFICER, now=timezone.now()
    )
    asked = may_open_minor(minor.pk, staff=OFFICER, now=timezone.now())

    done = approve(request)

    at = done.finished_at
    assert at is not None
    hour = timedelta(minutes=60)
    assert not asked
    assert may_open_minor(minor.pk, staff=OFFICER, now=at)
    assert may_open_minor(minor.pk, staff=OFFICER, now=at + hour - timedelta.resolution)
    assert not may_open_minor(minor.pk, staff=OFFICER, now=at + hour)
    assert not may_open_minor(minor.pk, staff=REVIEWER, now=at)
    assert not may_open_minor(minor.pk, staff=OTHER, now=at)
    assert not may_open_minor(other.pk, staff=OFFICER, now=at)


def test_what_was_refused_opens_nothing() -> None:
    minor = make_user(age_band="minor_14_17")
    request = propose_access(
        minor.pk, reason="投诉核查", by=OFFICER, now=timezone.now()
    )

    approvals.refuse(request.pk, by=REVIEWER, note="不必", now=timezone.now())

    assert not may_open_minor(minor.pk, staff=OFFICER, now=timezone.now())


def test_what_was_approved_for_one_does_not_open_another() -> None:
    """The reference alone, which the second person need not look at, opens nothing."""
    shown, meant = make_user(), make_user(age_band="minor_14_17")
    request = approvals.propose(
        MinorAccess.code,
        {"user": str(shown.pk)},
        object_ref=f"user:{meant.pk}",
        reason="投诉核查",
        by=OFFICER,
        now=timezone.now(),
    )

    approve(request)

    now = timezone.now()
    assert not may_open_minor(meant.pk, staff=OFFICER, now=now)
    assert not may_open_minor(shown.pk, staff=OFFICER, now=now)


@pytest.mark.parametrize("payload", [{}, {"user": "x"}, {"user": None}, {"user": 1}])
def test_it_names_a_user(payload: dict[str, object]) -> None:
    with pytest.raises(InvalidChange):
        MinorAccess().check(payload)
