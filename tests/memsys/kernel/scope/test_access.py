"""`access_scope`: what it opens, what it refuses, what it leaves behind."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import (
    DatabaseError,
    IntegrityError,
    ProgrammingError,
    connection,
    transaction,
)

from identity.types import RelationshipRef
from memories.models import ChatSession, Memory
from memsys.kernel.scope import (
    Purpose,
    ScopeBroken,
    ScopeConflict,
    ScopeMissing,
    access_scope,
    find_scope,
    require_scope,
)
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory, make_session

NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def ann(db: None) -> RelationshipRef:
    """A relationship, in a transaction that is rolled back."""
    return make_relationship()


def read_session() -> tuple[str, ...]:
    """Return the role and the three settings that the policies read."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, coalesce(current_setting('memsys.purpose', true),''),"
            " coalesce(current_setting('memsys.relationship', true), ''),"
            " coalesce(current_setting('memsys.user', true), '')"
        )
        return tuple(map(str, cursor.fetchone()))


OUTSIDE = ("memsys_app", "", "", "")


@pytest.mark.parametrize(
    ("purpose", "role"),
    [
        (Purpose.SERVICE, "memsys_app"),
        (Purpose.JOB, "memsys_app"),
        (Purpose.DESK, "memsys_staff"),
        (Purpose.PORTAL, "memsys_portal"),
    ],
)
def test_it_enters_the_role_and_names_the_relationship(
    ann: RelationshipRef, purpose: Purpose, role: str
):
    with access_scope(purpose, relationship=ann.id):
        inside = read_session()

    assert inside == (role, purpose.value, str(ann.id), NOBODY)


@pytest.mark.parametrize("purpose", list(Purpose))
def test_it_names_the_user_of_a_scope_for_a_user(
    ann: RelationshipRef, purpose: Purpose
):
    with access_scope(purpose, user=ann.user_id):
        inside = read_session()

    assert inside[1:] == (purpose.value, NOBODY, str(ann.user_id))


@pytest.mark.parametrize("purpose", list(Purpose))
def test_it_leaves_role_and_settings_at_its_end(ann: RelationshipRef, purpose: Purpose):
    with access_scope(purpose, relationship=ann.id):
        pass

    assert read_session() == OUTSIDE
    assert find_scope() is None


@pytest.mark.parametrize("purpose", list(Purpose))
def test_it_leaves_role_and_settings_after_an_exception(
    ann: RelationshipRef, purpose: Purpose
):
    with pytest.raises(KeyError), access_scope(purpose, relationship=ann.id):
        raise KeyError

    assert read_session() == OUTSIDE
    assert find_scope() is None


def test_it_leaves_role_and_settings_after_a_failed_statement(ann: RelationshipRef):
    with (
        pytest.raises(ProgrammingError),
        access_scope(Purpose.DESK, relationship=ann.id),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT no_such_column")

    assert read_session() == OUTSIDE


@pytest.mark.usefixtures("real_commits")
def test_it_leaves_role_and_settings_where_commits_are_real():
    ann = make_relationship()

    with access_scope(Purpose.PORTAL, user=ann.user_id):
        pass
    after_commit = read_session()
    with pytest.raises(KeyError), access_scope(Purpose.DESK, relationship=ann.id):
        raise KeyError

    assert after_commit == read_session() == OUTSIDE


@pytest.mark.usefixtures("real_commits")
def test_it_stores_all_or_nothing():
    ann = make_relationship()

    with access_scope(Purpose.JOB, relationship=ann.id):
        kept = make_memory(ann, "我爱猫")
    with pytest.raises(IntegrityError):
        make_memory(ann, "我怕狗", importance=2)

    with access_scope(Purpose.JOB, relationship=ann.id):
        assert list(Memory.objects.all()) == [kept]


def test_it_is_an_error_to_read_content_outside(ann: RelationshipRef):
    make_memory(ann, "我爱猫")

    with pytest.raises(DatabaseError), transaction.atomic():
        list(Memory.objects.all())


def test_it_is_an_error_to_read_content_on_a_fresh_connection(
    pool_of: Callable[[int], None],
):
    pool_of(1)

    with pytest.raises(ProgrammingError, match="unrecognized configuration"):
        list(Memory.objects.all())


def test_it_is_an_error_to_write_content_outside(ann: RelationshipRef):
    session = make_session(ann)

    with pytest.raises(DatabaseError), transaction.atomic():
        session.messages.create(
            global_user_id=ann.user_id,
            relationship_id=ann.id,
            author_kind="user",
            text="在吗",
            sent_at=session.first_message_at,
        )


def test_it_joins_an_open_scope_for_the_same(ann: RelationshipRef):
    with access_scope(Purpose.JOB, relationship=ann.id) as outer:
        with access_scope(Purpose.JOB, relationship=ann.id) as inner:
            assert inner is outer
        still = find_scope(), read_session()

    assert still == (outer, ("memsys_app", "job", str(ann.id), NOBODY))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"relationship": uuid.UUID(int=7)}, id="another relationship"),
        pytest.param({"user": uuid.UUID(int=7)}, id="a user"),
    ],
)
def test_it_refuses_a_scope_for_something_else_inside(
    ann: RelationshipRef, other: dict[str, Any]
):
    with (
        access_scope(Purpose.JOB, relationship=ann.id),
        pytest.raises(ScopeConflict),
        access_scope(Purpose.JOB, **other),
    ):
        pass


def test_it_refuses_another_purpose_inside(ann: RelationshipRef):
    with (
        access_scope(Purpose.SERVICE, relationship=ann.id),
        pytest.raises(ScopeConflict),
        access_scope(Purpose.DESK, relationship=ann.id),
    ):
        pass


@pytest.mark.usefixtures("real_commits")
def test_it_refuses_to_open_inside_another_transaction():
    ann = make_relationship()

    with (
        transaction.atomic(),
        pytest.raises(RuntimeError, match="durable"),
        access_scope(Purpose.JOB, relationship=ann.id),
    ):
        pass

    assert find_scope() is None


def test_it_requires_a_scope(db: None):
    with pytest.raises(ScopeMissing):
        require_scope()


def test_it_requires_the_scope_of_the_relationship(ann: RelationshipRef):
    with access_scope(Purpose.JOB, relationship=ann.id) as scope:
        assert require_scope() is scope
        assert require_scope(relationship=ann.id) is scope
        with pytest.raises(ScopeConflict):
            require_scope(relationship=uuid.uuid4())


def test_it_requires_the_scope_of_a_relationship_not_of_its_user(ann: RelationshipRef):
    with (
        access_scope(Purpose.JOB, user=ann.user_id),
        pytest.raises(ScopeConflict),
    ):
        require_scope(relationship=ann.id)


def test_it_says_when_a_caught_error_took_all_with_it(ann: RelationshipRef):
    def swallow_a_refusal() -> None:
        with access_scope(Purpose.JOB, relationship=ann.id):
            make_session(ann)
            try:
                make_session(ann)
            except IntegrityError:
                return

    with pytest.raises(ScopeBroken):
        swallow_a_refusal()

    assert not ChatSession.objects.of(ann.id).exists()


def test_it_keeps_what_stands_when_a_refusal_has_its_own_savepoint(
    ann: RelationshipRef,
):
    with access_scope(Purpose.JOB, relationship=ann.id):
        make_session(ann)
        with pytest.raises(IntegrityError), transaction.atomic():
            make_session(ann)

    assert ChatSession.objects.of(ann.id).count() == 1
