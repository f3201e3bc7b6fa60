"""What a scope does last, right before its commit."""

import pytest

from identity.types import RelationshipRef
from memories.models import ChatSession
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship
from tests.factories.memories import make_session


@pytest.fixture
def ann(db: None) -> RelationshipRef:
    """A relationship, in a transaction that is rolled back."""
    return make_relationship()


@pytest.fixture
def done() -> list[str]:
    """The deeds that were done, in their order."""
    return []


def test_it_does_the_lowest_order_first(ann: RelationshipRef, done: list[str]):
    with access_scope(Purpose.JOB, relationship=ann.id) as scope:
        scope.finish("audit", 100, lambda: done.append("audit"))
        scope.finish("version", 50, lambda: done.append("version"))
        scope.finish("first", 1, lambda: done.append("first"))
        done.append("body")

    assert done == ["body", "first", "version", "audit"]


def test_it_does_one_deed_of_each_key(ann: RelationshipRef, done: list[str]):
    with access_scope(Purpose.JOB, relationship=ann.id) as scope:
        for name in ("early", "late"):
            scope.finish("version", 50, lambda name=name: done.append(name))

    assert done == ["late"]


def test_it_does_what_a_last_deed_asks_for(ann: RelationshipRef, done: list[str]):
    with access_scope(Purpose.JOB, relationship=ann.id) as scope:

        def bump() -> None:
            done.append("version")
            scope.finish("audit", 100, lambda: done.append("audit"))

        scope.finish("version", 50, bump)

    assert done == ["version", "audit"]


def test_it_does_them_once_when_scopes_are_joined(
    ann: RelationshipRef, done: list[str]
):
    with access_scope(Purpose.JOB, relationship=ann.id) as scope:
        scope.finish("version", 50, lambda: done.append("outer"))
        with access_scope(Purpose.JOB, relationship=ann.id) as joined:
            joined.finish("audit", 100, lambda: done.append("inner"))
        assert done == []

    assert done == ["outer", "inner"]


def test_it_does_none_after_an_exception(ann: RelationshipRef, done: list[str]):
    def be_interrupted() -> None:
        with access_scope(Purpose.JOB, relationship=ann.id) as scope:
            scope.finish("version", 50, lambda: done.append("version"))
            raise KeyError

    with pytest.raises(KeyError):
        be_interrupted()

    assert done == []


def test_it_stores_nothing_when_a_last_deed_fails(
    ann: RelationshipRef, done: list[str]
):
    def fail() -> None:
        raise KeyError

    def write_and_fail() -> None:
        with access_scope(Purpose.JOB, relationship=ann.id) as scope:
            make_session(ann)
            scope.finish("first", 1, fail)
            scope.finish("audit", 100, lambda: done.append("audit"))

    with pytest.raises(KeyError):
        write_and_fail()

    assert done == []
    assert not ChatSession.objects.of(ann.id).exists()


def test_it_starts_empty_each_time(ann: RelationshipRef, done: list[str]):
    for _ in range(2):
        with access_scope(Purpose.JOB, relationship=ann.id) as scope:
            scope.finish("version", 50, lambda: done.append("version"))

    assert done == ["version", "version"]
