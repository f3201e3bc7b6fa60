"""What the tests of sharded models stand on: two users, and the SQL that is sent."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from identity.models import Relationship
from identity.types import RelationshipRef
from tests.factories.identity import make_relationship

Recorder = Callable[[Callable[[], Any]], list[str]]


@pytest.fixture
def ann(db: None) -> Relationship:
    """A relationship of the user Ann."""
    return _stored(make_relationship())


@pytest.fixture
def chloe(db: None) -> Relationship:
    """A relationship of another user, in another bucket than Ann's."""
    ref = make_relationship(user="user-of-another-bucket")
    return _stored(ref)


def _stored(ref: RelationshipRef) -> Relationship:
    return Relationship.objects.get(pk=ref.id)


@pytest.fixture
def sql_of() -> Recorder:
    """Run something and return the statements that it sent."""

    def record(deed: Callable[[], Any]) -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            deed()
        return [one["sql"] for one in captured.captured_queries]

    return record
