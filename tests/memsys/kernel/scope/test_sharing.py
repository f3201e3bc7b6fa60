"""Scopes on shared connections: pools, threads, generators."""

import contextvars
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, connections

from consent.models import ProfileValue
from identity.types import RelationshipRef
from memories.models import Memory
from memsys.kernel.scope import (
    Purpose,
    ScopeConflict,
    ScopeMissing,
    access_scope,
    find_scope,
)
from tests.factories.content import make_row
from tests.factories.identity import make_relationship
from tests.factories.memories import make_memory
from tests.memsys.kernel.cast import name_neighbour
from tests.parallel import run_parallel

ROUNDS = 500


def read_texts() -> set[str]:
    """Return every memory that the connection sees, by unfiltered SQL."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT text FROM memories_memory")
        return {text for (text,) in cursor.fetchall()}


def read_backend() -> int:
    """Return which server process answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


class Interruption(Exception):
    """Thrown in the middle of a scope."""


def leaves_open(relationship: RelationshipRef, number: int) -> set[str]:
    """Read in a scope; every third time is interrupted, every seventh fails."""
    seen: set[str] = set()
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        seen = read_texts()
        if number % 7 == 0:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1 / 0")
        if number % 3 == 0:
            raise Interruption
    return seen


def test_it_keeps_two_tenants_apart_on_one_pooled_connection(
    pool_of: Callable[[int], None],
):
    """Acceptance row C13."""
    pool_of(1)
    tenants = [make_relationship(), make_relationship()]
    for number, tenant in enumerate(tenants):
        make_memory(tenant, f"canary-{number}")
    backends, foreign, unguarded = set(), 0, 0

    for number in range(ROUNDS):
        backends.add(read_backend())
        try:
            seen = leaves_open(tenants[number % 2], number)
            foreign += seen != {f"canary-{number % 2}"}
        except (Interruption, DatabaseError):
            pass
        connection.close()
        try:
            unguarded += len(read_texts()) or 1
        except DatabaseError:
            connection.close()

    assert len(backends) == 1
    assert (foreign, unguarded) == (0, 0)


def read_owned() -> set[str]:
    """Return every profile value that the connection sees, by unfiltered SQL."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT value FROM consent_profilevalue")
        return {value for (value,) in cursor.fetchall()}


def count_unguarded() -> int:
    """Return how many reads outside of a scope did not end with an error."""
    answered = 0
    for read in (read_texts, read_owned):
        connection.close()
        with suppress(DatabaseError):
            answered += len(read()) or 1
    connection.close()
    return answered


def test_it_keeps_two_users_apart_in_scopes_of_both_targets(
    pool_of: Callable[[int], None],
):
    """Acceptance row C13. Ann has two relationships, Chloe is in the same bucket."""
    pool_of(1)
    ann = make_relationship()
    tenants = [
        ann,
        make_relationship(user=name_neighbour(ann)),
        make_relationship(user=ann.user_external_id),
    ]
    owned = ["canary of ann", "canary of chloe", "canary of ann"]
    for number, tenant in enumerate(tenants):
        make_memory(tenant, f"canary-{number}")
        if number < 2:
            make_row(ProfileValue, tenant, value=owned[number])
    backends, seen, foreign, unguarded = set(), 0, 0, 0

    for number in range(ROUNDS):
        backends.add(read_backend())
        at = number % 3
        both = {"relationship": tenants[at].id, "user": tenants[at].user_id}
        try:
            with access_scope(Purpose.SERVICE, **both):
                foreign += read_texts() != {f"canary-{at}"}
                foreign += read_owned() != {owned[at]}
                seen += 1
                if number % 7 == 0:
                    with connection.cursor() as cursor:
                        cursor.execute("SELECT 1 / 0")
                if number % 4 == 0:
                    raise Interruption
        except (Interruption, DatabaseError):
            pass
        unguarded += count_unguarded()

    assert (len(backends), seen) == (1, ROUNDS)
    assert (foreign, unguarded) == (0, 0)


def test_it_keeps_purposes_apart_on_one_pooled_connection(
    pool_of: Callable[[int], None],
):
    pool_of(1)
    ann = make_relationship()
    make_memory(ann, "我爱猫")
    roles = []

    for purpose in (Purpose.DESK, Purpose.PORTAL, Purpose.SERVICE) * 5:
        with access_scope(purpose, user=ann.user_id), connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
            roles.append(cursor.fetchone()[0])
        connection.close()

    assert roles == ["memsys_staff", "memsys_portal", "memsys_app"] * 5


def test_it_keeps_two_hundred_threads_apart(real_commits: None):
    """Acceptance row 1."""
    first = make_relationship()
    second = make_relationship(
        creator=first.creator_external_id, persona=first.persona_key
    )
    tenants = [(first, "我叫阿澈"), (second, "我叫小满")]

    def write_and_read(number: int) -> set[str]:
        relationship, text = tenants[number % 2]
        with access_scope(Purpose.SERVICE, relationship=relationship.id):
            make_memory(relationship, text)
            return read_texts()

    seen = run_parallel(200, write_and_read)

    assert all(texts == {tenants[number % 2][1]} for number, texts in enumerate(seen))
    for relationship, text in tenants:
        with access_scope(Purpose.SERVICE, relationship=relationship.id):
            assert Memory.objects.count() == 100
            assert read_texts() == {text}


def test_it_is_not_open_in_another_thread(db: None):
    ann = make_relationship()
    seen: list[object] = []

    with access_scope(Purpose.SERVICE, relationship=ann.id):
        thread = threading.Thread(target=lambda: seen.append(find_scope()))
        thread.start()
        thread.join()

    assert seen == [None]


def test_it_cannot_be_joined_by_a_thread_that_copied_the_context(db: None):
    ann = make_relationship()
    caught: list[type[Exception]] = []

    def join() -> None:
        try:
            with access_scope(Purpose.SERVICE, relationship=ann.id):
                pass
        except ScopeMissing as error:
            caught.append(type(error))
        finally:
            connections.close_all()

    with access_scope(Purpose.SERVICE, relationship=ann.id):
        copied = contextvars.copy_context()
        thread = threading.Thread(target=lambda: copied.run(join))
        thread.start()
        thread.join()

    assert caught == [ScopeMissing]


def stream(relationship: RelationshipRef) -> Iterator[UUID]:
    """Yield memories one by one, the scope opened inside, as a stream must."""
    with access_scope(Purpose.SERVICE, relationship=relationship.id):
        yield from Memory.objects.values_list("id", flat=True).iterator(chunk_size=1)


def test_it_ends_with_a_generator_that_is_closed_early(db: None):
    ann = make_relationship()
    make_memory(ann, "我爱猫")
    make_memory(ann, "我怕狗")
    rows = stream(ann)
    next(rows)

    rows.close()  # type: ignore[attr-defined]

    assert find_scope() is None
    with pytest.raises(DatabaseError):
        read_texts()


def test_it_ends_with_a_generator_that_is_forgotten(real_commits: None):
    ann = make_relationship()
    make_memory(ann, "我爱猫")
    make_memory(ann, "我怕狗")

    next(stream(ann))

    assert find_scope() is None
    with pytest.raises(DatabaseError):
        read_texts()


def test_it_lets_no_other_scope_open_while_a_generator_waits(db: None):
    ann, chloe = make_relationship(), make_relationship()
    make_memory(ann, "我爱猫")
    rows = stream(ann)
    next(rows)

    with (
        pytest.raises(ScopeConflict),
        access_scope(Purpose.SERVICE, relationship=chloe.id),
    ):
        pass

    rows.close()  # type: ignore[attr-defined]


def test_it_reads_nothing_late_by_a_lazy_queryset(db: None):
    ann = make_relationship()
    make_memory(ann, "我爱猫")
    with access_scope(Purpose.SERVICE, relationship=ann.id):
        lazy = Memory.objects.all()

    with pytest.raises(DatabaseError):
        list(lazy)
