"""Parameters of tests are the same in each process that collects them.

Workers collect apart, and run nothing if they do not find the same tests by the same
names. So no parameter is drawn, read from the clock, or listed in the order of a set.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.rules.sources import ROOT, name_of, parse

TESTS = sorted((ROOT / "tests").rglob("*.py"))
DRAWN = {
    *("uuid1", "uuid4", "uuid7", "new_id", "new_name", "urandom"),
    *("now", "utcnow", "today", "time", "time_ns", "monotonic", "perf_counter"),
    *("getpid", "id", "hash"),
}
SOURCES_OF_CHANCE = {"random", "secrets"}


def list_constants(module: ast.Module) -> dict[str, ast.expr]:
    """Return what is assigned to names at the top of a module."""
    return {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def walk(node: ast.AST, constants: dict[str, ast.expr]) -> Iterator[ast.AST]:
    """Yield all parts of an expression, and of the constants that it names.

    Left out is the body of a lambda, which runs with the test.
    """
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, ast.Name) and part.id in constants.keys() - seen:
            seen.add(part.id)
            waiting.append(constants[part.id])
        elif not isinstance(part, ast.Lambda):
            waiting += ast.iter_child_nodes(part)


def is_drawn(node: ast.AST) -> bool:
    """Say whether an expression may be another in another process."""
    if not isinstance(node, ast.Call):
        return False
    parts = [one for one in ast.walk(node.func) if isinstance(one, ast.Name)]
    name = node.func.attr if isinstance(node.func, ast.Attribute) else parts[0].id
    return name in DRAWN or any(one.id in SOURCES_OF_CHANCE for one in parts)


def is_unordered(node: ast.expr, constants: dict[str, ast.expr]) -> bool:
    """Say whether the values come in the order of a set, which differs by process."""
    if isinstance(node, ast.Name) and node.id in constants:
        return is_unordered(constants[node.id], constants)
    if isinstance(node, ast.Starred | ast.BinOp):
        parts = (
            [node.value] if isinstance(node, ast.Starred) else [node.left, node.right]
        )
        return any(is_unordered(part, constants) for part in parts)
    if isinstance(node, ast.List | ast.Tuple):
        stars = [one for one in node.elts if isinstance(one, ast.Starred)]
        return any(is_unordered(one, constants) for one in stars)
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return any(is_unordered(one.iter, constants) for one in node.generators)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("list", "tuple", "zip", "map", "enumerate"):
            return any(is_unordered(one, constants) for one in node.args)
        return node.func.id in ("set", "frozenset")
    return isinstance(node, ast.Set | ast.SetComp)


def list_faults(module: ast.Module) -> list[int]:
    """Return the lines of parameters that differ between two processes."""
    constants = list_constants(module)
    calls = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "parametrize"
    ]
    return [
        call.lineno
        for call in calls
        for value in [*call.args[1:], *(one.value for one in call.keywords)]
        if is_unordered(value, constants)
        or any(is_drawn(part) for part in walk(value, constants))
    ]


def test_it_gives_tests_the_same_parameters_in_each_process():
    faults = {name_of(path): list_faults(parse(path)) for path in TESTS}

    assert {name: lines for name, lines in faults.items() if lines} == {}


@pytest.mark.parametrize(
    "values",
    [
        "[uuid.uuid4()]",
        "[uuid4().hex]",
        "[datetime.now(UTC)]",
        "[timezone.now() - DAY]",
        "[random.Random().random()]",
        "[secrets.token_hex(4)]",
        "{'a', 'b'}",
        "list({'a', 'b'})",
        "[one for one in {'a', 'b'}]",
        "[*{'a', 'b'}]",
        "NAMES",
        "LATER",
    ],
)
def test_it_notices_parameters_that_differ(values: str):
    top = "NAMES = {'a', 'b'}\nLATER = [START]\nSTART = time.time()\n"

    assert list_faults(ast.parse(f"{top}mark.parametrize('one', {values})")) == [4]


@pytest.mark.parametrize(
    "values",
    [
        "[datetime(2026, 1, 1)]",
        "sorted(NAMES)",
        "['now', 'random']",
        "[lambda: uuid4()]",
    ],
)
def test_it_takes_parameters_that_stay(values: str):
    module = ast.parse(f"NAMES = {{'a'}}\nmark.parametrize('one', {values})")

    assert list_faults(module) == []
