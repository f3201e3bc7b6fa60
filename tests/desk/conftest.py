"""The people at the desk, and one row of each model that it shows.

Officer may see all. Clerk is staff with no rights. Chloe is no staff at all. Those who
have a role are made by `make_colleague`. All of them gave both factors just now.
"""

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.plugins.otp_totp.models import TOTPDevice

from identity.types import RelationshipRef
from memsys.desk.sign_in import PROVED, SEEN, STARTED
from tests.desk.rows import Shown, make_shown_rows
from tests.factories.identity import make_relationship, new_name


@dataclass(frozen=True)
class Person:
    """Somebody with a browser."""

    user: User
    browser: Client

    @property
    def actor(self) -> str:
        return f"staff:{self.user.pk}"


def make_person(**rights: bool) -> Person:
    """Make an account without a password, signed in."""
    user = User.objects.create(username=new_name("person"), **rights)
    browser = Client(headers={"accept-language": "en"})
    browser.force_login(user)
    if user.is_staff:
        give_second_factor(user, browser)
    return Person(user, browser)


def make_colleague(*roles: str) -> Person:
    """Make a member of staff who has these roles."""
    person = make_person(is_staff=True)
    person.user.groups.set(Group.objects.filter(name__in=roles))
    return person


def give_second_factor(user: User, browser: Client) -> None:
    """Make the session of a browser one in which the second step was done just now."""
    device, _made = TOTPDevice.objects.get_or_create(user=user, confirmed=True)
    session = browser.session
    session[DEVICE_ID_SESSION_KEY] = device.persistent_id
    for name in (STARTED, SEEN, PROVED):
        session[name] = timezone.now().isoformat()
    session.save()


@pytest.fixture
def officer(db: None) -> Person:
    return make_person(is_staff=True, is_superuser=True)


@pytest.fixture
def clerk(db: None) -> Person:
    return make_person(is_staff=True)


@pytest.fixture
def chloe(db: None) -> Person:
    return make_person()


@pytest.fixture
def ann(db: None) -> RelationshipRef:
    return make_relationship()


@pytest.fixture
def ben(db: None) -> RelationshipRef:
    return make_relationship()


@pytest.fixture
def shown_rows(officer: Person, ann: RelationshipRef) -> dict[Any, Shown]:
    """One row of each model of the desk, by model."""
    return make_shown_rows(ann)
