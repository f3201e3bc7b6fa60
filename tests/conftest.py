"""The servers, the database and the standing cast of every test."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections

from tests import servers


@pytest.fixture(scope="session")
def valkey_server() -> Any:
    """A running Valkey."""
    servers.valkey.start()
    return servers.valkey


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker: Any, valkey_server: Any) -> None:
    """Boot as superuser, migrate as owner, then serve as the app login."""
    servers.postgres.start()
    with django_db_blocker.unblock():
        call_command("prepare_database", verbosity=0)
        call_command("migrate", database="owner", verbosity=0)
        connections["owner"].close()


@pytest.fixture
def real_commits(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A database in which commits are real and stay; use users of your own."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()
