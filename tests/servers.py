"""Pytest plugin: the private PostgreSQL and Valkey of one process that runs tests.

Loaded before the settings, so that they find their URLs; the servers start with the
first test that needs them and end with the process. When pytest spreads the tests over
workers, each worker has its own, and the process that leads them starts none. The
folders of workers lie in the leader's, which in the end stops what a killed worker
left running.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from memsys.embedded import EmbeddedPostgres, EmbeddedValkey

LEADER = "MEMSYS_TESTS_FOLDER"


def make_folder() -> Path:
    """Make this process's folder, in the one of the process that started it."""
    leader = os.environ.get(LEADER, "")
    place = leader if leader and Path(leader).is_dir() else None
    return Path(tempfile.mkdtemp(prefix="memsys-tests-", dir=place))


class FleetingPostgres(EmbeddedPostgres):
    """One that does not wait for the disk: a crash of the machine ends the tests too."""

    settings = {**EmbeddedPostgres.settings, "fsync": "off", "full_page_writes": "off"}


FOLDER = make_folder()
postgres = FleetingPostgres(FOLDER / "postgres")
valkey = EmbeddedValkey(FOLDER / "valkey")


def stop() -> None:
    """Stop the servers, those of workers that are gone too, and remove the folder."""
    for folder in FOLDER.glob("memsys-tests-*"):
        EmbeddedValkey(folder / "valkey").stop()
        FleetingPostgres(folder / "postgres").stop()
    valkey.stop()
    postgres.stop()
    shutil.rmtree(FOLDER, ignore_errors=True)


atexit.register(stop)
(FOLDER / "static").mkdir()

os.environ |= {
    LEADER: str(FOLDER),
    "SECRET_KEY": "only-for-tests",
    "DATABASE_URL": postgres.url("memsys_app"),
    "DATABASE_OWNER_URL": postgres.url("memsys_owner"),
    "DATABASE_ADMIN_URL": postgres.url("postgres", database="postgres"),
    "DATABASE_MAINTENANCE_URL": postgres.url("memsys_maintenance"),
    "VALKEY_URL": valkey.url,
    "EMBEDDING_BACKEND": "hash",
    "WEBHOOK_ALLOWED_HOSTS": "hooks.test",
    "MEMSYS_DIR": str(FOLDER),
    "DJANGO_SETTINGS_MODULE": "memsys.settings",
}
