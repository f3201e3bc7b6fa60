"""What `access_scope` takes: a purpose, and the id of one relationship or user."""

import uuid
from typing import Any

import pytest
from django.db import connection

from identity.types import RelationshipRef
from memsys.kernel.scope import Purpose, access_scope, find_scope
from tests.factories.identity import make_relationship

NOBODY = "00000000-0000-0000-0000-000000000000"
INJECTION = "00000000-0000-0000-0000-000000000001'; SET LOCAL ROLE memsys_owner; --"


@pytest.fixture
def ann(db: None) -> RelationshipRef:
    """A relationship, in a transaction that is rolled back."""
    return make_relationship()


def read_relationship() -> str:
    """Return the relationship that the policies compare with."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('memsys.relationship', true)")
        return str(cursor.fetchone()[0] or "")


def test_it_is_for_somebody(db: None):
    with pytest.raises(ValueError, match="or for a user"), access_scope(Purpose.JOB):
        pass


@pytest.mark.parametrize("purpose", [Purpose.DESK, Purpose.PORTAL])
def test_it_takes_one_target_where_a_role_sees_all_of_a_user(
    ann: RelationshipRef, purpose: Purpose
):
    with (
        pytest.raises(ValueError, match="all relationships"),
        access_scope(purpose, relationship=ann.id, user=ann.user_id),
    ):
        pass


@pytest.mark.parametrize("purpose", [Purpose.SERVICE, Purpose.JOB])
def test_it_takes_a_relationship_with_its_user(ann: RelationshipRef, purpose: Purpose):
    with access_scope(purpose, relationship=ann.id, user=ann.user_id) as scope:
        seen = read_relationship()

    assert seen == str(ann.id)
    assert scope.user == ann.user_id


@pytest.mark.parametrize(
    "target", ["*", "", INJECTION, NOBODY, 7, b"\0" * 16, 1.5, True, ["x"]]
)
@pytest.mark.parametrize("name", ["relationship", "user"])
def test_it_takes_nothing_but_a_uuid(db: None, name: str, target: Any):
    with (
        pytest.raises(TypeError),
        access_scope(Purpose.JOB, **{name: target}),
    ):
        pass

    assert find_scope() is None


@pytest.mark.parametrize("name", ["relationship", "user"])
def test_it_refuses_the_id_of_nobody(db: None, name: str):
    with (
        pytest.raises(ValueError, match="nobody"),
        access_scope(Purpose.JOB, **{name: uuid.UUID(int=0)}),
    ):
        pass


def test_it_writes_no_text_that_an_id_claims_to_be(ann: RelationshipRef):
    class Deceiver(uuid.UUID):
        def __str__(self) -> str:
            return INJECTION

    with access_scope(Purpose.JOB, relationship=Deceiver(int=ann.id.int)):
        inside = read_relationship()

    assert inside == str(ann.id)


@pytest.mark.parametrize("purpose", ["service", "desk'; SET LOCAL ROLE x; --", None])
def test_it_takes_nothing_but_a_purpose(ann: RelationshipRef, purpose: Any):
    with (
        pytest.raises(TypeError),
        access_scope(purpose, relationship=ann.id),
    ):
        pass

    assert read_relationship() == ""
