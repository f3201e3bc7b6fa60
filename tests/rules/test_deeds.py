"""What the code puts into chained columns: ids, codes and names of fields alone.

A deed's `details` can be erased and hold what they must; the other columns stay for
ever, so only expressions whose names end like an id or a code may make them.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rules.sources import MODULES, name_of, parse

COLUMNS = ("chain", "action", "actor", "object_ref", "field_names", "reason_code")
# The last word of a name says what it holds.
IDS = (
    "id", "ids", "pk", "prefix", "uuid", "key", "number", "size", "digest", "lineage",
    "seq",
)  # fmt: skip
CODES = (
    "by", "actor", "code", "codes", "kind", "action", "deed", "chain", "ref", "row",
    "fields", "names", "name", "told", "event", "state", "staff", "scope", "reason",
    "person", "to", "version", "target", "verb", "item", "prefix", "document", "role",
)  # fmt: skip
# Words of people; a name of these is refused, whatever it ends with.
WORDS = re.compile(
    r"(^|_)(text|statement|nickname|display_name|external_id|title|note|body|query|"
    r"username|first_name|last_name|email|message|answer|prompt)s?$"
)
# Calls whose result is an id or a code, whatever they are given.
MAKERS = (
    "deed_chain", "actor_of", "reference_of", "len", "_changed_fields", "_checked_key",
    "ConsentAction",
)  # fmt: skip
# Looked at one by one: ids, and mappings of which the names of fields alone are taken.
REVIEWED = ("batch", "int", "chosen", "payload", "checked", "rows", "hex", "run")
# Calls whose result is made of what they are given.
CONVERTERS = ("tuple", "sorted", "str", "list", "join", "set")
CALLS = [
    (path, node)
    for path in MODULES
    for node in ast.walk(parse(path))
    if isinstance(node, ast.Call)
    and isinstance(node.func, ast.Name)
    and node.func.id == "Deed"
]


def place_of(call: tuple[Path, ast.Call]) -> str:
    return f"{name_of(call[0])}:{call[1].lineno}"


def list_columns(call: ast.Call) -> Iterator[ast.expr]:
    """Yield the expressions that make the chained columns."""
    yield from call.args[: len(COLUMNS)]
    yield from (one.value for one in call.keywords if one.arg in COLUMNS)


def list_names(value: ast.expr) -> Iterator[str]:
    """Yield the name of each thing whose value ends up in a column."""
    if isinstance(value, ast.Name):
        yield value.id
    elif isinstance(value, ast.Attribute):
        yield value.attr
    elif isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        yield str(value.slice.value)
    elif isinstance(value, ast.Call):
        yield from _list_names_of_call(value)
    elif isinstance(value, ast.IfExp):
        yield from list_names(value.body)
        yield from list_names(value.orelse)
    elif isinstance(value, ast.GeneratorExp | ast.ListComp | ast.SetComp):
        yield from list_names(value.elt)
    elif not isinstance(value, ast.Constant):
        for one in ast.iter_child_nodes(value):
            if isinstance(one, ast.expr):
                yield from list_names(one)


def _list_names_of_call(call: ast.Call) -> Iterator[str]:
    function = call.func
    name = (
        function.id
        if isinstance(function, ast.Name)
        else str(getattr(function, "attr", ""))
    )
    if name in ("get", "pop") and isinstance(call.args[0], ast.Constant):
        yield str(call.args[0].value)
    elif name not in CONVERTERS:
        yield name
    if name not in MAKERS:
        for one in call.args:
            yield from list_names(one)


def is_allowed(name: str) -> bool:
    if name in MAKERS or name in REVIEWED or name.isupper():
        return True
    if WORDS.search(name):
        return False
    return name.rsplit("_", 1)[-1].lower() in IDS + CODES


def test_it_finds_the_deeds() -> None:
    assert len(CALLS) > 15


@pytest.mark.parametrize("call", CALLS, ids=place_of)
def test_its_chained_columns_are_made_of_ids_and_codes(
    call: tuple[Path, ast.Call],
) -> None:
    names = {
        name
        for value in list_columns(call[1])
        for name in list_names(value)
        if not is_allowed(name)
    }

    assert names == set()


@pytest.mark.parametrize("call", CALLS, ids=place_of)
def test_it_passes_its_columns_one_by_one(call: tuple[Path, ast.Call]) -> None:
    # What is unpacked from elsewhere could not be read here.
    assert all(one.arg is not None for one in call[1].keywords)
    assert not any(isinstance(one, ast.Starred) for one in call[1].args)


@pytest.mark.parametrize(
    "source",
    [
        'Deed("a", "b", by, f"user:{user.external_id}")',
        'Deed("a", "b", by, reason_code=form.note)',
        'Deed("a", "b", by, object_ref=memory.text)',
        'Deed("a", "b", f"staff:{user.username}")',
        'Deed("a", "b", by, field_names=tuple(statement))',
    ],
)
def test_it_would_find_words(source: str) -> None:
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)

    names = [one for value in list_columns(call) for one in list_names(value)]

    assert not all(is_allowed(one) for one in names)
