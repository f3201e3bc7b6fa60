"""`manage.py audit`: what it prints, and how it ends."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from memsys.kernel.audit.exporting import VERIFIER
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


MOVE = "UPDATE kernel_auditentry SET seq = {} WHERE chain = %(chain)s AND seq = {}"
CUT = "DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND seq = 5"
TAMPERINGS = {
    "one flipped byte": (
        [
            "UPDATE kernel_auditentry SET digest = set_byte(digest, 7, "
            "get_byte(digest, 7) # 1) WHERE chain = %(chain)s AND seq = 3"
        ],
        "  changed-entry at 3: its digest is not that of its columns",
    ),
    "a deleted middle row": (
        ["DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND seq = 3"],
        "  missing-entries at 3: it is gone",
    ),
    "a cut tail": ([CUT], "  cut-tail at 5: 5 is gone from the end"),
    "a cut tail and its head reset": (
        [
            CUT,
            "UPDATE kernel_audithead SET seq = 4, digest = (SELECT digest FROM "
            "kernel_auditentry WHERE chain = %(chain)s AND seq = 4) "
            "WHERE chain = %(chain)s",
        ],
        "  cut-tail at 5: it was published, and the chain ends at 4",
    ),
    "swapped rows": (
        [MOVE.format(-1, 2), MOVE.format(2, 4), MOVE.format(4, -1)],
        "  swapped-entries at 2: it and 4 stand in each other's place",
    ),
    "an edited payload": (
        [
            "UPDATE kernel_auditpayload SET body = body || '{\"z\": [1.51, null]}' "
            "WHERE entry_id = (SELECT id FROM kernel_auditentry "
            "WHERE chain = %(chain)s AND seq = 3)"
        ],
        "  changed-payload at 3: its payload is not the one it commits to",
    ),
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_it_finds_and_names_each_tampering(
    chain: str, tamper: Tamper, tmp_path: Path, name: str
):
    write(chain, 5)
    kept = tmp_path / "heads.jsonl"
    kept.write_text(run("heads"))
    statements, told = TAMPERINGS[name]

    for one in statements:
        tamper(one)

    printed, _ = run_faulty("verify", "--chain", chain, "--heads", kept)
    assert told in printed.splitlines()


def test_it_passes_an_erased_payload(chain: str, tamper: Tamper):
    write(chain, 5)

    tamper(
        "DELETE FROM kernel_auditpayload WHERE entry_id = (SELECT id FROM "
        "kernel_auditentry WHERE chain = %(chain)s AND seq = 3)"
    )

    assert f"{chain}: intact, 5 entries, 1 payloads erased" in run(
        "verify", "--chain", chain
    )


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


def test_it_publishes_heads_that_it_compares_with_by_itself(
    chain: str,
    tamper: Tamper,
    superuser: SuperuserConnection,
    settings: Any,
    tmp_path: Path,
):
    settings.AUDIT_HEADS_DIR = str(tmp_path / "heads")
    write(chain, 3)
    printed = run("publish")
    intact = run("verify", "--chain", chain)
    tamper("DELETE FROM kernel_auditentry WHERE chain = %(chain)s")
    tamper("DELETE FROM kernel_audithead WHERE chain = %(chain)s")

    faults, _ = run_faulty("verify", "--chain", chain)
    (kept,) = (tmp_path / "heads").iterdir()
    kept.unlink()
    gone, _ = run_faulty("verify")

    assert f"heads into {kept.name}." in printed
    assert "intact" in intact
    assert "cut-tail at 3: it was published, and the chain ends at 0" in faults
    assert f"  missing-file: {kept.name} is gone" in gone
    superuser.execute("SET session_replication_role = replica")
    for table in ("kernel_auditentry", "kernel_audithead"):
        superuser.execute(f"DELETE FROM {table} WHERE chain = 'heads'")  # noqa: S608


def test_it_exports_a_chain_once(chain: str, tmp_path: Path):
    write(chain, 2)
    file = tmp_path / "chain.jsonl"

    printed = run("export", chain, file)
    _, complaint = run_faulty("export", chain, file)

    assert printed == f"Exported {chain} into {file}.\n"
    assert "cannot be written" in complaint
    ended = subprocess.run(
        [sys.executable, "-I", str(VERIFIER), str(file)], capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (0, "intact\n")


def test_it_exports_no_chain_of_another_name(real_commits: None, tmp_path: Path):
    _, complaint = run_faulty("export", "nobody-s", tmp_path / "chain.jsonl")

    assert complaint == "There is no audit chain of this name."
    assert not (tmp_path / "chain.jsonl").exists()


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
