"""Patterns that every supported Python reads the same way.

Possessive quantifiers and atomic groups match wrongly before Python 3.11.5, where what
failed within one is not taken back.
"""

import ast
import re

import pytest

from tests.rules.sources import MODULES, name_of, parse

POSSESSIVE = re.compile(r"(?<!\\)[)\]}][*+?]\+|\(\?>")


def list_patterns(path: object) -> list[str]:
    """Return the texts of a module that hold such a quantifier or group."""
    return [
        node.value
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and POSSESSIVE.search(node.value)
    ]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_it_has_no_possessive_pattern(path: object) -> None:
    assert list_patterns(path) == []


@pytest.mark.parametrize("pattern", ["(?:ab)*+", "[ab]++", "(?>ab)", "a{2}?+"])
def test_it_would_find_one(pattern: str) -> None:
    assert POSSESSIVE.search(pattern)
