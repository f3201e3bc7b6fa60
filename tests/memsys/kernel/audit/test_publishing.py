"""Heads outside the database: added to every night, and whole or named as not."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import ProgrammingError

from memsys.kernel.audit.checking import check_chains, find_last_check
from memsys.kernel.audit.models import AuditCheck
from memsys.kernel.audit.publishing import (
    find_last_mark,
    publish_heads,
    read_published,
)
from memsys.kernel.tasks import publish_audit_heads, verify_chains
from tests.memsys.kernel.audit.conftest import Tamper, write
from tests.memsys.kernel.conftest import SuperuserConnection

NOVEMBER = datetime(2026, 11, 30, 15, 59, tzinfo=UTC)
DECEMBER = datetime(2026, 11, 30, 16, 1, tzinfo=UTC)


@pytest.fixture
def folder(
    settings: Any, tmp_path: Path, superuser: SuperuserConnection
) -> Iterator[Path]:
    """A folder of heads of its own; what the chains say of it is removed afterwards."""
    settings.AUDIT_HEADS_DIR = str(tmp_path / "heads")
    yield tmp_path / "heads"
    superuser.execute("SET session_replication_role = replica")
    for table in ("kernel_auditentry", "kernel_audithead"):
        superuser.execute(f"DELETE FROM {table} WHERE chain = 'heads'")  # noqa: S608


def publish(now: datetime = DECEMBER) -> str:
    return publish_heads(by="system:audit", now=now).file


def list_kinds(chain: str | None = None) -> list[str]:
    """Verify; return the kind of each fault."""
    checked = check_chains(by="command:audit", chain=chain)
    return [fault.kind.value for one in checked.reports for fault in one.faults]


def list_texts() -> list[str]:
    return [one.text for one in read_published().faults]


def test_it_adds_all_heads_to_the_file_of_the_month_in_shanghai(
    chain: str, folder: Path
):
    write(chain, 2)
    files = [publish(NOVEMBER), publish(DECEMBER)]
    first = (folder / files[1]).read_text()
    write(chain, 1)
    publish(DECEMBER)

    lines = (folder / files[1]).read_text()

    assert files == ["heads-2026-11.jsonl", "heads-2026-12.jsonl"]
    assert lines.startswith(first)
    told = [json.loads(line) for line in lines.splitlines()]
    assert [one["seq"] for one in told if one["chain"] == chain] == [2, 3]
    assert {one["chain"] for one in told} >= {"heads"}
    assert (folder / files[1]).stat().st_mode & 0o777 == 0o600


def test_it_passes_what_is_whole(chain: str, folder: Path):
    write(chain, 2)
    publish(NOVEMBER)
    publish()

    assert list_kinds() == []


def test_it_finds_a_cut_tail_though_the_head_was_reset(
    chain: str, tamper: Tamper, folder: Path
):
    write(chain, 5)
    publish()

    tamper("DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND seq > 3")
    tamper(
        "UPDATE kernel_audithead SET seq = 3, digest = (SELECT digest FROM "
        "kernel_auditentry WHERE chain = %(chain)s AND seq = 3) "
        "WHERE chain = %(chain)s"
    )

    assert list_kinds(chain) == ["cut-tail"]


def test_it_names_a_file_that_is_gone(chain: str, folder: Path):
    write(chain, 1)
    name = publish()

    (folder / name).unlink()

    assert list_kinds() == ["missing-file"]
    assert list_texts() == [f"{name} is gone"]


@pytest.mark.parametrize("kept", ["all but a line", "nothing"])
def test_it_names_a_file_that_was_cut(chain: str, folder: Path, kept: str):
    write(chain, 1)
    name = publish()
    text = (folder / name).read_bytes()

    lines = text.splitlines(keepends=True)
    (folder / name).write_bytes(b"".join(lines[:-1]) if kept != "nothing" else b"")

    assert list_kinds() == ["cut-file"]
    (told,) = list_texts()
    assert told.startswith(f"{name} ends after ")
    assert told.endswith(f" of {len(text)} bytes")


def test_it_names_a_file_that_was_edited_and_where(chain: str, folder: Path):
    write(chain, 1)
    name = publish()
    before = (folder / name).read_bytes().count(b"\n")
    publish()
    text = bytearray((folder / name).read_bytes())

    # One bit in the last line.
    text[-20] ^= 1
    (folder / name).write_bytes(text)

    (told,) = list_texts()
    after = text.count(b"\n")
    assert told == f"{name} was edited, in the lines {before + 1} to {after}"
    assert "edited-file" in list_kinds()


def test_it_names_lines_that_are_no_heads(chain: str, folder: Path):
    write(chain, 1)
    name = publish()
    count = (folder / name).read_bytes().count(b"\n")

    with (folder / name).open("ab") as file:
        file.write("月\xff\n".encode("latin-1", "replace"))

    assert list_texts() == [f"{name}, line {count + 1} is no head"]


def test_lines_whose_record_was_lost_are_covered_by_the_next_one(
    chain: str, folder: Path, superuser: SuperuserConnection
):
    write(chain, 1)
    publish()
    write(chain, 1)
    # What is left when the process dies between the disk and the commit.
    line = {"chain": chain, "seq": 1, "digest": _digest(superuser, chain, 1)}
    with (folder / "heads-2026-12.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    assert list_kinds() == []

    publish()

    assert list_kinds() == []


def test_a_line_that_a_crash_tore_off_is_no_fault(chain: str, folder: Path):
    write(chain, 1)
    name = publish()
    with (folder / name).open("a") as file:
        file.write('{"chain": "deeds-0')
    before = list_kinds()

    publish()

    assert (before, list_kinds()) == ([], [])
    assert all(json.loads(line) for line in (folder / name).read_text().splitlines())


def _digest(superuser: SuperuserConnection, chain: str, seq: int) -> str:
    ((digest,),) = superuser.execute(
        "SELECT digest FROM kernel_auditentry WHERE chain = %s AND seq = %s",
        [chain, seq],
    ).fetchall()
    return bytes(digest).hex()


def test_a_forged_line_convicts_nobody_but_is_found(chain: str, folder: Path):
    write(chain, 1)
    name = publish()

    with (folder / name).open("a") as file:
        file.write(json.dumps({"chain": chain, "seq": 1, "digest": "00"}) + "\n")

    assert list_kinds(chain) == ["rewritten"]


def test_it_is_published_by_the_nightly_job(chain: str, folder: Path):
    write(chain, 1)

    name = publish_audit_heads()

    mark = find_last_mark()
    assert mark is not None
    assert (mark.file, mark.size) == (name, (folder / name).stat().st_size)


def test_a_job_verifies_for_somebody_at_the_desk(chain: str, folder: Path):
    write(chain, 2)
    publish()

    faults = verify_chains(by="staff:8")

    last = find_last_check()
    assert last is not None
    assert (faults, last.by, last.fault_count) == (0, "staff:8", 0)


def test_what_was_verified_is_not_told_otherwise_later(chain: str, folder: Path):
    write(chain, 1)
    check_chains(by="staff:7", chain=chain)

    for change in (
        lambda: AuditCheck.objects.update(fault_count=0),
        lambda: AuditCheck.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(ProgrammingError, match="permission denied"):
            change()


def test_it_notes_each_verification(chain: str, tamper: Tamper, folder: Path):
    write(chain, 3)
    tamper(
        "UPDATE kernel_auditentry SET actor = 'job:x' "
        "WHERE chain = %(chain)s AND seq = 2"
    )

    check_chains(by="staff:7")

    last = find_last_check()
    assert last is not None
    assert (last.by, last.fault_count) == ("staff:7", 1)
    assert last.findings == [
        {
            "chain": chain,
            "kind": "changed-entry",
            "seq": 2,
            "text": "its digest is not that of its columns",
        }
    ]
