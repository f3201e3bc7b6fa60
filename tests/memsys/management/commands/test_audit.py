"""`manage.py audit`: what it prints, and how it ends."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from memsys.running.programs import find_postgres
from tests import servers
from tests.memsys.kernel.audit.conftest import Tamper, write
from tests.memsys.kernel.conftest import SuperuserConnection

RESTORED = "memsys_restored"


def run(*arguments: str | Path) -> str:
    """Run the command in this process and return what it printed."""
    printed = StringIO()
    call_command("audit", *map(str, arguments), stdout=printed)
    return printed.getvalue()


def run_faulty(*arguments: str | Path) -> tuple[str, str]:
    """Run the command and return what it printed, and its complaint."""
    printed = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("audit", *map(str, arguments), stdout=printed)
    # What the process ends with.
    assert refused.value.returncode == 1
    return printed.getvalue(), str(refused.value)


FLIP = (
    "UPDATE kernel_auditentry SET actor = 'forger' WHERE chain = %(chain)s AND seq = 2"
)


def test_it_says_that_all_chains_are_intact(chain: str):
    write(chain, 2)

    printed = run("verify")

    assert f"{chain}: intact, 2 entries, 0 payloads erased\n" in printed
    assert printed.splitlines()[-1].startswith("Intact: ")


def test_it_verifies_one_chain(chain: str):
    write(chain, 2)

    printed = run("verify", "--chain", chain)

    assert printed.splitlines() == [
        f"{chain}: intact, 2 entries, 0 payloads erased",
        "Intact: 1 chains, 2 entries.",
    ]


def test_it_names_each_fault_and_fails(chain: str, tamper: Tamper):
    write(chain, 4)
    tamper(FLIP)
    tamper("DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND seq = 4")

    printed, complaint = run_faulty("verify", "--chain", chain)

    assert printed.splitlines() == [
        f"{chain}: 2 FAULTS, 3 entries, 0 payloads erased",
        "  changed-entry at 2: its digest is not that of its columns",
        "  cut-tail at 4: 4 is gone from the end",
    ]
    assert complaint == "Faults found: 2, in 1 chain(s)."


def test_it_prints_json(chain: str, tamper: Tamper):
    write(chain, 2)
    intact = json.loads(run("verify", "--chain", chain, "--json"))
    tamper(FLIP)

    faulty = json.loads(run_faulty("verify", "--chain", chain, "--json")[0])

    assert intact["is_intact"] is True
    assert faulty["is_intact"] is False
    assert faulty["chains"][0]["faults"] == [
        {
            "kind": "changed-entry",
            "seq": 2,
            "text": "its digest is not that of its columns",
        }
    ]


def test_it_prints_heads_that_it_can_compare_with_later(
    chain: str, tamper: Tamper, tmp_path: Path
):
    write(chain, 3)
    kept = tmp_path / "heads.jsonl"
    kept.write_text(run("heads"))
    write(chain, 1)
    kept.write_text(kept.read_text() + "\n" + run("heads"))
    intact = run("verify", "--chain", chain, "--heads", kept)
    tamper("DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND seq = 4")
    tamper(
        "UPDATE kernel_audithead SET seq = 3, digest = (SELECT digest FROM "
        "kernel_auditentry WHERE chain = %(chain)s AND seq = 3) "
        "WHERE chain = %(chain)s"
    )

    unaware = run("verify", "--chain", chain)
    printed, _ = run_faulty("verify", "--chain", chain, "--heads", kept)

    assert "intact" in intact
    assert "intact" in unaware
    assert "cut-tail at 4: it was published, and the chain ends at 3" in printed


@pytest.mark.parametrize(
    "text", ["no json", "[]", '{"chain": "a"}', '{"chain":"a","seq":1,"digest":"x"}']
)
def test_it_refuses_a_file_of_something_else(
    real_commits: None, tmp_path: Path, text: str
):
    kept = tmp_path / "heads.jsonl"
    kept.write_text(text)

    _, complaint = run_faulty("verify", "--heads", kept)

    assert complaint == f"{kept}, line 1: expected chain, seq and digest."


def test_it_refuses_a_file_that_is_not_there(real_commits: None, tmp_path: Path):
    _, complaint = run_faulty("verify", "--heads", tmp_path / "none")

    assert "cannot be read" in complaint


def test_it_knows_no_chain_of_another_name(real_commits: None):
    _, complaint = run_faulty("verify", "--chain", "nobody's")

    assert complaint == "There is no audit chain of this name."


@pytest.fixture
def restored(
    superuser: SuperuserConnection, chain: str, tmp_path: Path
) -> Iterator[str]:
    """A database restored from a dump of this one, in another time zone."""
    write(chain, 3)
    programs = find_postgres(None)
    dump = tmp_path / "memsys.dump"
    subprocess.run(
        [programs / "pg_dump", "--format=custom", f"--file={dump}", "--dbname"]
        + [servers.postgres.url("memsys_maintenance")],
        check=True,
    )
    superuser.execute(f"CREATE DATABASE {RESTORED} OWNER memsys_owner")
    superuser.execute(f"ALTER DATABASE {RESTORED} SET timezone = 'Pacific/Chatham'")
    try:
        subprocess.run(
            [programs / "pg_restore", "--exit-on-error", dump, "--dbname"]
            + [servers.postgres.url("postgres", database=RESTORED)],
            check=True,
        )
        yield RESTORED
    finally:
        superuser.execute(f"DROP DATABASE {RESTORED} WITH (FORCE)")


def run_apart(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run the command as a process of its own; return how it ended and what it said."""
    ended = subprocess.run(
        [sys.executable, "-m", "django", "audit", *arguments],
        cwd=settings.BASE_DIR,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_it_verifies_a_restored_dump(restored: str, chain: str):
    """Acceptance row C3."""
    url = servers.postgres.url("memsys_app", database=restored)

    code, printed, complaint = run_apart("verify", DATABASE_URL=url)

    assert (code, complaint) == (0, ""), printed
    assert f"{chain}: intact, 3 entries" in printed
