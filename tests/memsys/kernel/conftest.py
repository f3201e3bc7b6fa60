"""What the tests of the kernel need of the server: other logins, other pools."""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connections

from tests.memsys.kernel.cast import Cast, make_cast

SuperuserConnection = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture(scope="module")
def cast(own_database: None, django_db_blocker: Any) -> Cast:
    """The standing cast of isolation, committed."""
    with django_db_blocker.unblock():
        made = make_cast()
        connections.close_all()
    return made


@pytest.fixture
def superuser(real_commits: None) -> Iterator[SuperuserConnection]:
    """A connection that nothing in the database binds, autocommitting."""
    parameters = connections["admin"].get_connection_params()
    name = settings.DATABASES["default"]["NAME"]
    with psycopg.connect(**parameters | {"dbname": name}) as connection:
        connection.autocommit = True
        yield connection


@pytest.fixture
def pool_of(real_commits: None) -> Iterator[Callable[[int], None]]:
    """Set how many connections the pool of the app login holds, for one test."""
    options = connections.settings["default"]["OPTIONS"]
    before = options["pool"]

    def resize(size: int) -> None:
        _leave_pool()
        options["pool"] = before | {"max_size": size}

    yield resize
    _leave_pool()
    options["pool"] = before


@pytest.fixture
def serve_as(real_commits: None) -> Iterator[Callable[[str], None]]:
    """Sign in to the database as another role, for one test."""
    config = connections.settings["default"]
    before = config["USER"]

    def sign_in(role: str) -> None:
        _leave_pool()
        config["USER"] = role

    yield sign_in
    _leave_pool()
    config["USER"] = before


def _leave_pool() -> None:
    connections["default"].close()
    connections["default"].close_pool()
