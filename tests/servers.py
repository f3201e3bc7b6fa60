"""Pytest plugin: the private PostgreSQL and Valkey of one test run.

Loaded before the settings, so that they find their URLs; the servers start with the
first test that needs them and end with the run.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from memsys.embedded import EmbeddedPostgres, EmbeddedValkey

FOLDER = Path(tempfile.mkdtemp(prefix="memsys-tests-"))
postgres = EmbeddedPostgres(FOLDER / "postgres")
valkey = EmbeddedValkey(FOLDER / "valkey")


def stop() -> None:
    """Stop both servers and remove their folder."""
    valkey.stop()
    postgres.stop()
    shutil.rmtree(FOLDER, ignore_errors=True)


atexit.register(stop)
(FOLDER / "static").mkdir()

os.environ |= {
    "SECRET_KEY": "only-for-tests",
    "DATABASE_URL": postgres.url("memsys_app"),
    "DATABASE_OWNER_URL": postgres.url("memsys_owner"),
    "DATABASE_ADMIN_URL": postgres.url("postgres", database="postgres"),
    "DATABASE_MAINTENANCE_URL": postgres.url("memsys_maintenance"),
    "VALKEY_URL": valkey.url,
    "EMBEDDING_BACKEND": "hash",
    "MEMSYS_DIR": str(FOLDER),
    "DJANGO_SETTINGS_MODULE": "memsys.settings",
}
