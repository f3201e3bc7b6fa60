"""Every module says what it owns."""

import ast

from tests.rules.sources import MODULES, ROOT, name_of, parse

TESTS = sorted((ROOT / "tests").rglob("*.py"))


def test_it_has_no_module_without_a_docstring():
    modules = {name_of(path): parse(path) for path in [*MODULES, *TESTS]}

    silent = [
        name
        for name, module in modules.items()
        if module.body and not ast.get_docstring(module)
    ]

    assert silent == []


def test_it_opens_each_docstring_with_a_sentence():
    first_lines = {
        name_of(path): (ast.get_docstring(parse(path)) or ".").splitlines()[0]
        for path in MODULES
    }

    assert {k: v for k, v in first_lines.items() if not v.endswith((".", "?"))} == {}
