"""A module fits on a few screens, and a function on one."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.rules.sources import MODULES, name_of, parse

MAX_LINES_OF_FILE = 300
MAX_LINES_OF_FUNCTION = 40
MAX_ARGUMENTS = 7
Function = ast.FunctionDef | ast.AsyncFunctionDef


def list_functions() -> Iterator[tuple[str, Function]]:
    """Yield each function with the place where it is."""
    for path in MODULES:
        for node in ast.walk(parse(path)):
            if isinstance(node, Function):
                yield f"{name_of(path)}:{node.lineno} {node.name}", node


def count_lines(function: Function) -> int:
    """Return how many lines a function takes, its decorators aside."""
    assert function.end_lineno is not None
    return function.end_lineno - function.lineno + 1


def count_arguments(function: Function) -> int:
    """Return how many arguments a caller can give, self aside."""
    taken = function.args
    named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]
    return sum(one.arg not in ("self", "cls") for one in named)


def is_a_list(path: Path) -> bool:
    """Say whether a module is but a list: settings, addresses, catalogue data."""
    return path.name in ("settings.py", "urls.py") or "data" in path.parts


def test_it_has_no_module_that_is_too_long_to_read():
    lengths = {
        name_of(path): path.read_text(encoding="utf-8").count("\n")
        for path in MODULES
        if not is_a_list(path)
    }

    assert {k: v for k, v in lengths.items() if v > MAX_LINES_OF_FILE} == {}


def test_it_has_no_function_that_is_too_long_to_read():
    lengths = {place: count_lines(function) for place, function in list_functions()}

    assert {k: v for k, v in lengths.items() if v > MAX_LINES_OF_FUNCTION} == {}


def test_it_has_no_function_that_asks_for_too_much():
    counts = {place: count_arguments(function) for place, function in list_functions()}

    assert {k: v for k, v in counts.items() if v > MAX_ARGUMENTS} == {}
