"""Statements that insert name every column that the database does not fill itself."""

import re
from pathlib import Path

import pytest
from django.apps import apps

from tests.rules.sources import ROOT

INSERT = re.compile(r"INSERT INTO (\w+)[^(]*\(([^)]+)\)")
STATEMENTS = sorted(
    path
    for path in ROOT.glob("*/sql/*.sql")
    if INSERT.search(path.read_text(encoding="utf-8"))
)


@pytest.mark.parametrize("path", STATEMENTS, ids=lambda path: str(path.stem))
def test_it_leaves_no_column_without_a_value(path: Path) -> None:
    found = INSERT.search(path.read_text(encoding="utf-8"))
    assert found is not None
    models = {model._meta.db_table: model for model in apps.get_models()}

    named = {name.strip() for name in found[2].split(",")}

    needed = {
        field.column
        for field in models[found[1]]._meta.concrete_fields
        if not (field.null or field.has_db_default())
    }
    assert needed <= named


def test_a_version_made_from_another_copies_every_column() -> None:
    text = (ROOT / "memories/sql/revise_version.sql").read_text(encoding="utf-8")
    found = INSERT.search(text)
    assert found is not None
    memory = apps.get_model("memories", "Memory")

    named = {name.strip() for name in found[2].split(",")}

    assert named == {field.column for field in memory._meta.concrete_fields}
