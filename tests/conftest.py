"""The servers, the database and the standing cast of every test."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.utils import translation
from hypothesis import settings as hypothesis_settings

from tests import pristine, servers

# A busy machine takes its time; none is asserted.
hypothesis_settings.register_profile("untimed", deadline=None)
hypothesis_settings.load_profile("untimed")


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
        pristine.keep()


@pytest.fixture(scope="module")
def own_database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A database of one file's tests: what they commit is gone after the last."""
    yield
    with django_db_blocker.unblock():
        pristine.give_back()


@pytest.fixture
def real_commits(own_database: None, django_db_blocker: Any) -> Iterator[None]:
    """A database in which commits are real and stay for the tests of the file."""
    with django_db_blocker.unblock():
        yield
        connections.close_all()


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """What is said outside of any request is said in English."""
    with translation.override("en"):
        yield


@pytest.fixture(autouse=True)
def erasure_ledger(request: pytest.FixtureRequest) -> Iterator[None]:
    """Take back the ledger's lines of a test whose transaction is taken back."""
    path = Path(settings.ERASURE_LEDGER_DIR) / "erasures.jsonl"
    size = path.stat().st_size if path.exists() else 0
    yield
    marked = request.node.get_closest_marker("django_db") is not None
    if (marked or "db" in request.fixturenames) and path.exists():
        os.truncate(path, size)
