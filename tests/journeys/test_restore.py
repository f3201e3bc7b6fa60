"""A dump from before an erasure, restored: refused until the erasure is done again."""

import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from consent import erasures
from identity.types import RelationshipRef
from memsys.running.programs import find_postgres
from tests import servers
from tests.factories.erasing import ask, later, left, make_filled, of, run

COUNTS = (
    "SELECT (SELECT count(*) FROM memories_memory WHERE relationship_id = %(id)s), "
    "(SELECT count(*) FROM memories_message WHERE relationship_id = %(id)s)"
)

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("real_commits")]


class Restored:
    """A second database in the same server, made from a dump of the first."""

    def __init__(self, folder: Path) -> None:
        self.name = f"restored_{uuid4().hex[:8]}"
        self.folder = folder

    def url(self, login: str) -> str:
        return servers.postgres.url(login, database=self.name)

    def dump(self) -> None:
        """Dump the database as it is now, as the role that sees all rows."""
        self._run(
            "pg_dump", "--format=custom", "--no-comments",
            f"--file={self.folder / 'dump'}",
            f"--dbname={servers.postgres.url('memsys_maintenance')}",
        )  # fmt: skip

    def restore(self) -> None:
        """Make a database of what was dumped."""
        admin = servers.postgres.url("postgres", database="postgres")
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {self.name}")
        self._run(
            "pg_restore", "--exit-on-error",
            f"--dbname={self.url('postgres')}", str(self.folder / "dump"),
        )  # fmt: skip

    def serve(self) -> "subprocess.CompletedProcess[str]":
        """Start what serves, and end it once it would."""
        return self.python("-c", "import memsys.wsgi")

    def python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        changed = {
            f"DATABASE_{name}URL": self.url(login)
            for name, login in {
                "": "memsys_app",
                "OWNER_": "memsys_owner",
                "MAINTENANCE_": "memsys_maintenance",
            }.items()
        }
        return subprocess.run(
            [sys.executable, *arguments],
            env=os.environ | changed,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def count(self, relationship: RelationshipRef) -> tuple[int, int]:
        with psycopg.connect(self.url("memsys_maintenance")) as connection:
            row = connection.execute(COUNTS, {"id": relationship.id}).fetchone()
        assert row is not None
        return row

    def _run(self, name: str, *arguments: str) -> None:
        command = [str(find_postgres(None) / name), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr


def test_a_restore_brings_nobody_back(tmp_path: Path) -> None:
    """Acceptance row C10: replayed before anything serves."""
    ann, ben, chloe = make_filled(), make_filled(), make_filled()
    restored = Restored(tmp_path)
    restored.dump()
    run(ask(of(ann), at=later()), later())
    run(ask(erasures.Target(chloe.user_id), at=later()), later())

    restored.restore()
    back = restored.count(ann)
    refused = restored.serve()
    replayed = restored.python("-m", "django", "erasures", "replay")
    served = restored.serve()

    assert (left(ann), back) == ((0, 0), (1, 1))
    assert refused.returncode != 0
    assert "erasures replay" in refused.stderr
    assert replayed.returncode == 0, replayed.stderr
    assert "Replayed: 2" in replayed.stdout
    assert served.returncode == 0, served.stderr
    assert restored.count(ann) == restored.count(chloe) == (0, 0)
    assert restored.count(ben) == (1, 1)
