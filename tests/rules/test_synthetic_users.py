"""Only the demo and the evaluation make users who hold every grant."""

import ast

from tests.rules.sources import MODULES, list_imports, name_of, parse

MAKERS = {"memsys/demo/loading.py", "memsys/evaluation/relationships.py"}


def test_nobody_else_makes_one():
    importing = {
        name_of(path)
        for path in MODULES
        if "identity.services.mark_synthetic" in set(list_imports(path))
    }

    assert importing == MAKERS


def test_only_the_service_writes_the_mark():
    writing = {
        name_of(path)
        for path in MODULES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.Constant) and node.value == "is_synthetic"
    }

    # The others name it as a field: its class, its label, its column in a list.
    assert writing == {
        "identity/models/users.py",
        "identity/services.py",
        "memsys/kernel/pages/labels.py",
    }
