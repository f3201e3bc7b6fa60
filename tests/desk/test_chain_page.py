"""The page of the audit chains: its standing, a verification, proofs to take away."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memsys.desk.chains import KINDS
from memsys.kernel.audit import checking
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.audit.models import AuditCheck
from memsys.kernel.audit.publishing import publish_heads
from memsys.kernel.audit.replay import FaultKind
from tests.desk.conftest import Person, make_colleague
from tests.desk.rows import list_audit

PAGE = "/desk/chains/"


@pytest.fixture(autouse=True)
def heads(settings: Any, tmp_path: Path) -> Path:
    """A folder for published heads of its own."""
    settings.AUDIT_HEADS_DIR = str(tmp_path / "heads")
    return tmp_path / "heads"


@pytest.fixture
def auditor(db: None) -> Person:
    return make_colleague("auditor")


@pytest.fixture
def chain(db: None) -> str:
    """A chain with three entries."""
    for number in range(3):
        with transaction.atomic():
            record(Deed("page-test", "tested", "job:x", f"memory:{number}"))
    return "page-test"


def test_it_says_that_nothing_was_verified_or_published_yet(auditor: Person):
    text = auditor.browser.get(PAGE).text

    assert "The chains have never been verified." in text
    assert "No heads have been published outside of the database yet." in text
    assert "Look at this" in text


def test_one_click_verifies_and_the_page_says_by_whom(auditor: Person, chain: str):
    response = auditor.browser.post(f"{PAGE}verify/", follow=True)

    last = AuditCheck.objects.latest("at")
    assert (last.by, last.fault_count) == (auditor.actor, 0)
    assert "All chains are intact." in response.text
    assert f"by {auditor.user.username} ({auditor.actor}): all " in response.text
    assert "Look at this" not in response.text


def test_it_tells_when_and_where_the_heads_were_published(
    auditor: Person, chain: str, heads: Path
):
    publish_heads(by="system:audit", now=timezone.now())

    text = auditor.browser.get(PAGE).text

    (file,) = heads.iterdir()
    assert f"into the file {file.name}." in text


def test_it_names_what_the_verification_found(auditor: Person, chain: str, heads: Path):
    publish_heads(by="system:audit", now=timezone.now())
    (file,) = heads.iterdir()
    file.unlink()

    text = auditor.browser.post(f"{PAGE}verify/", follow=True).text

    assert "The verification found 1 fault. It is named below." in text
    assert "A file of published heads is gone" in text
    assert f"{file.name} is gone" in text


def test_long_chains_are_verified_by_a_job(
    auditor: Person, chain: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(checking, "INLINE_ENTRIES", 0)

    text = auditor.browser.post(f"{PAGE}verify/", follow=True).text

    assert "The chains are verified now" in text
    assert not AuditCheck.objects.exists()


def test_it_lists_the_entries_of_each_chain(auditor: Person, chain: str):
    text = auditor.browser.get(PAGE).text

    assert f'href="/desk/kernel/auditentry/?chain={chain}"' in text
    assert f'href="{PAGE}{chain}/proof/"' in text


def test_its_queries_do_not_grow_with_the_chains(auditor: Person, chain: str):
    with CaptureQueriesContext(connection) as few:
        auditor.browser.get(PAGE)
    for number in range(40):
        with transaction.atomic():
            record(Deed(f"page-{number}", "tested", "job:x"))

    with CaptureQueriesContext(connection) as many:
        auditor.browser.get(PAGE)

    assert len(many) == len(few)


def test_what_is_taken_away_proves_itself_and_is_recorded(
    auditor: Person, chain: str, tmp_path: Path
):
    proof = auditor.browser.get(f"{PAGE}{chain}/proof/")
    verifier = auditor.browser.get(f"{PAGE}verifier/")
    (tmp_path / "chain.jsonl").write_bytes(proof.getvalue())
    (tmp_path / "verify.py").write_bytes(verifier.content)

    ended = subprocess.run(
        [sys.executable, "-I", "verify.py", "chain.jsonl"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip

    assert (ended.returncode, ended.stdout) == (0, "intact\n")
    assert (
        proof.headers["Content-Disposition"] == f'attachment; filename="{chain}.jsonl"'
    )
    first = json.loads((tmp_path / "chain.jsonl").read_text().splitlines()[0])
    assert (first["chain"], first["seq"]) == (chain, 3)
    (entry,) = list_audit(action="audit.chain_exported", actor=auditor.actor)
    assert entry.object_ref == f"audit_chain:{chain}"


@pytest.mark.parametrize("name", ["nobody-s", "a'b", "月"])
def test_it_hands_out_no_chain_that_there_is_not(auditor: Person, name: str):
    assert auditor.browser.get(f"{PAGE}{name}/proof/").status_code == 404


@pytest.mark.parametrize(
    ("role", "statuses"),
    [
        ("auditor", (200, 302, 200, 200)),
        ("compliance_officer", (200, 403, 403, 200)),
        ("legal_reviewer", (200, 403, 403, 200)),
        ("support", (403, 403, 403, 403)),
        ("operator_lead", (403, 403, 403, 403)),
    ],
)
def test_it_opens_by_role(role: str, statuses: tuple[int, ...], chain: str):
    browser = make_colleague(role).browser

    found = (
        browser.get(PAGE).status_code,
        browser.post(f"{PAGE}verify/").status_code,
        browser.get(f"{PAGE}{chain}/proof/").status_code,
        browser.get(f"{PAGE}verifier/").status_code,
    )

    assert found == statuses


def test_it_offers_no_button_that_would_be_refused(db: None, chain: str):
    text = make_colleague("compliance_officer").browser.get(PAGE).text

    assert "Verify all chains now" not in text
    assert "/proof/" not in text


def test_it_verifies_by_no_mere_look(auditor: Person):
    assert auditor.browser.get(f"{PAGE}verify/").status_code == 405


def test_it_has_words_for_every_fault():
    assert set(KINDS) == set(FaultKind)
