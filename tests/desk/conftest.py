"""The people at the desk, and one row of each model that it shows.

Officer may see all. Clerk is staff with no rights. Chloe is no staff at all.
"""

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from identity.types import RelationshipRef
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
    return Person(user, browser)


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
