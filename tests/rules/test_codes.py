"""Every code that the pages show has its words, the same as where it is chosen."""

import ast
import re
from collections.abc import Iterator

import pytest

from consent import approvals, erasures
from consent.texts import LOCALES
from consent.types import DOCUMENTS
from identity.custody import INHERITED
from identity.types import RelationshipRef
from memories.sensitive.table import load_table
from memsys.desk.reasons import ReasonCode
from memsys.kernel.pages.actions import ACTIONS
from memsys.kernel.pages.codes import (
    CHANGES,
    CODES,
    SENSITIVE,
    STORES,
    scope_words,
)
from memsys.kernel.text.privacy import DETECTORS
from recall.changes import FUSIONS
from tests.factories.identity import make_relationship
from tests.rules.sources import MODULES, parse

ACTION = re.compile(r"[a-z_]+\.[a-z_]+")
# What writes a deed into the audit; the action is among what it is given.
WRITERS = (
    "Deed",
    "_record",
    "record_step",
    "note",
    "note_deed",
    "note_reason",
    "_note",
)


@pytest.fixture
def ann(db: None) -> RelationshipRef:
    return make_relationship()


def list_actions() -> Iterator[str]:
    """Yield the actions that are written out where a deed is recorded."""
    for path in MODULES:
        for node in ast.walk(parse(path)):
            if not isinstance(node, ast.Call):
                continue
            if getattr(node.func, "attr", getattr(node.func, "id", "")) in WRITERS:
                given = [*node.args, *(one.value for one in node.keywords)]
                yield from (
                    one.value
                    for one in given
                    if isinstance(one, ast.Constant)
                    and isinstance(one.value, str)
                    and ACTION.fullmatch(one.value)
                )


def test_it_says_every_deed_of_the_audit():
    actions = set(list_actions())

    assert len(actions) > 60
    assert actions - ACTIONS.keys() == set()


def test_it_says_every_store_that_an_erasure_empties(ann: RelationshipRef):
    counts = erasures.preview(erasures.Target(ann.user_id)).counts

    assert counts.keys() <= STORES.keys()
    assert len(counts) > 8


def test_it_says_every_kind_of_personal_data_that_is_masked():
    assert {one.kind for one in DETECTORS} == CODES["masked"].keys()


def test_it_says_every_sensitive_category_as_the_table_does():
    table = {one.code: one.label for one in load_table().categories}

    assert {code: str(words) for code, words in SENSITIVE.items()} == table


def test_it_says_every_kind_of_change_as_the_kind_does():
    kinds = {kind.code: str(kind.label) for kind in approvals.list_kinds()}

    assert {code: str(words) for code, words in CHANGES.items()} == kinds


def test_it_says_every_reason_of_the_desk_as_the_form_does():
    told = {code: str(CODES["reason_code"][code]) for code in ReasonCode.values}

    assert told == {one.value: str(one.label) for one in ReasonCode}


def test_it_says_what_texts_are_about_and_in_which_language():
    assert CODES["document"].keys() == set(DOCUMENTS)
    assert CODES["locale"].keys() == set(LOCALES)
    assert CODES["inherited"].keys() == set(INHERITED)
    assert CODES["fusion"].keys() == FUSIONS.keys()


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ("guardian", "Consent of a guardian"),
        ("release:region", "Showing a field of the profile (region)"),
        (
            "sensitive:religion",
            "Remembering sensitive information (Religion and belief)",
        ),
        ("other:thing", "other (thing)"),
    ],
)
def test_it_says_what_a_person_consents_to(scope: str, words: str):
    assert scope_words(scope) == words
