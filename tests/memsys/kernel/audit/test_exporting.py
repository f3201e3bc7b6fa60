"""A chain outside of the database proves itself, with Python's own library alone."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from memsys.kernel.audit.errors import ChainNotFound
from memsys.kernel.audit.exporting import VERIFIER, export_chain
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.audit.verification import BATCH_ROWS, list_heads
from tests.memsys.kernel.audit.conftest import Tamper, write

NASTY = [
    "".join(map(chr, range(1, 32))),
    "\x7f\x80\x85\x9f\xa0\u2028\u2029\ufeff",
    "\\ \" / ' %s {} \\u0041 </script>",
    "月影🌙👨‍👩‍👧‍👦",
]


def prove(*files: Path) -> tuple[int, str]:
    """Run the verifier apart from us: no packages, no environment, no folder of ours."""
    ended = subprocess.run(
        [sys.executable, "-I", str(VERIFIER), *map(str, files)],
        cwd="/",
        env={},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert ended.stderr == ""
    return ended.returncode, ended.stdout.strip()


@pytest.fixture
def export(tmp_path: Path) -> Callable[[str], Path]:
    def to_file(chain: str) -> Path:
        path = tmp_path / f"{chain}.jsonl"
        path.write_text("".join(export_chain(chain)), encoding="utf-8", newline="\n")
        return path

    return to_file


def test_it_proves_a_chain_without_its_payloads(chain: str, export):
    write(chain, BATCH_ROWS + 3)

    path = export(chain)

    assert prove(path) == (0, "intact")
    assert "quote" not in path.read_text()
    assert path.read_text().count("\n") == BATCH_ROWS + 4


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_it_proves_any_text_as_the_database_digested_it(chain: str, text: str, export):
    with transaction.atomic():
        AuditEntry.objects.create(
            chain=chain,
            actor=text,
            action=text,
            object_ref=text,
            reason_code=text,
            field_names=[text, {"b": 1.50, "a": [text]}, 1e30, None],
        )

    assert prove(export(chain)) == (0, "intact")


def _swap(lines: list[str]) -> list[str]:
    return [*lines[:2], lines[3], lines[2], *lines[4:]]


def _edit(lines: list[str]) -> list[str]:
    return [*lines[:3], lines[3].replace("test.done", "test.dond"), *lines[4:]]


def _flip_digest(lines: list[str]) -> list[str]:
    row = json.loads(lines[3])
    row["digest"] = f"{int(row['digest'], 16) ^ 1:064x}"
    return [*lines[:3], json.dumps(row) + "\n", *lines[4:]]


FORGERIES: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "an edited entry": (_edit, "entry 3 was changed"),
    "a flipped bit": (_flip_digest, "entry 3 was changed"),
    "a deleted entry": (lambda x: x[:3] + x[4:], "after entry 2 comes 4"),
    "swapped entries": (_swap, "after entry 1 comes 3"),
    "a cut tail": (lambda x: x[:-1], "the chain ends at 4"),
    "nothing left": (lambda x: x[:1], "the chain ends at 0"),
    "an entry twice": (lambda x: [*x[:4], x[3], *x[4:]], "after entry 3 comes 3"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_it_names_a_forgery(chain: str, name: str, export):
    write(chain, 5)
    path = export(chain)
    forge, told = FORGERIES[name]

    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(forge(lines)))

    code, said = prove(path)
    assert code == 1
    assert told in said.splitlines()[0]


def test_it_finds_a_cut_tail_with_its_head_by_published_heads(
    chain: str, tamper: Tamper, tmp_path: Path, export
):
    write(chain, 5)
    heads = tmp_path / "heads.jsonl"
    heads.write_text(
        "".join(
            json.dumps({"chain": one.chain, "seq": one.seq, "digest": one.digest.hex()})
            + "\n"
            for one in list_heads()
        )
    )
    whole = prove(export(chain), heads)
    tamper("DELETE FROM kernel_auditentry WHERE chain = %(chain)s AND seq > 3")
    tamper(
        "UPDATE kernel_audithead SET seq = 3, digest = (SELECT digest FROM "
        "kernel_auditentry WHERE chain = %(chain)s AND seq = 3) "
        "WHERE chain = %(chain)s"
    )

    path = export(chain)

    assert whole == (0, "intact")
    assert prove(path) == (0, "intact")
    assert prove(path, heads) == (1, "entry 5 is not here as it was published")


def test_it_proves_a_chain_whose_payloads_were_erased(
    chain: str, tamper: Tamper, export
):
    write(chain, 3)
    tamper(
        "DELETE FROM kernel_auditpayload WHERE entry_id IN "
        "(SELECT id FROM kernel_auditentry WHERE chain = %(chain)s)"
    )

    assert prove(export(chain)) == (0, "intact")


def test_it_ends_at_the_head_that_the_chain_had(chain: str, tmp_path: Path):
    write(chain, 2)

    lines: Any = export_chain(chain)
    write(chain, 2)

    path = tmp_path / "early.jsonl"
    path.write_text("".join(lines))
    assert prove(path) == (0, "intact")
    assert path.read_text().count("\n") == 3


def test_it_knows_no_chain_of_another_name(real_commits: None):
    with pytest.raises(ChainNotFound):
        export_chain("nobody-s")


def test_the_verifier_is_short_enough_to_be_read():
    assert len(VERIFIER.read_text().splitlines()) <= 60
