"""The catalogue of translations, and the sentences of the code that belong into it.

Neither takes the programs of gettext, which only collecting and compiling need.

>>> Message("Open", context="request") == Message("Open", context="session")
False
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation.template import templatize

from tests.rules.sources import MODULES, PACKAGES, ROOT, name_of, parse

SOURCE = ROOT / "memsys" / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
TEMPLATES = sorted(
    path
    for folder in ("templates", *PACKAGES)
    for path in (ROOT / folder).rglob("*.html")
)
# By the function that is called: which argument is the context, the text, the plural.
PLACES: dict[str, tuple[int | None, int, int | None]] = {
    "_": (None, 0, None),
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
    "npgettext_lazy": (0, 1, 2),
}
LINE = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[0\])?)? ?(".*")')
CALL = re.compile(r"\b(n?p?gettext|_)\(")
TEXT = re.compile(r"""\s*,?\s*u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)


@dataclass(frozen=True)
class Message:
    """What the code says: a sentence, and what tells it from others of its wording."""

    text: str
    plural: str | None = None
    context: str | None = None


@dataclass(frozen=True)
class Entry:
    """A sentence of the catalogue, with its translation and its comments."""

    message: Message
    translation: str
    comments: tuple[str, ...]


def read_entries() -> list[Entry]:
    """Return the entries of the catalogue, without its head."""
    blocks = SOURCE.read_text(encoding="utf-8").split("\n\n")
    entries = [_read_entry(block) for block in blocks if block.strip()]
    return [one for one in entries if one.message.text]


def read_head() -> str:
    """Return the comment that the catalogue begins with."""
    return SOURCE.read_text(encoding="utf-8").partition("\n\n")[0]


def _read_entry(block: str) -> Entry:
    told: dict[str, str] = {}
    name = ""
    lines = block.strip().split("\n")
    for line in lines:
        found = LINE.fullmatch(line)
        if found is None:
            continue
        name = (found[1] or name).removesuffix("[0]")
        told[name] = told.get(name, "") + ast.literal_eval(found[2])
    message = Message(
        told.get("msgid", ""), told.get("msgid_plural"), told.get("msgctxt")
    )
    comments = tuple(line for line in lines if line.startswith("#"))
    return Entry(message, told.get("msgstr", ""), comments)


def list_said() -> dict[Message, str]:
    """Return each sentence that the code shows, with the place where it is first."""
    found: dict[Message, str] = {}
    for path in MODULES:
        for message in _said_in_module(path):
            found.setdefault(message, name_of(path))
    for path in TEMPLATES:
        for message in _said_in_template(path):
            found.setdefault(message, name_of(path))
    return found


def list_built() -> list[str]:
    """Return the places where what is to be translated is not written out."""
    return [
        f"{name_of(path)}:{call.lineno}"
        for path in MODULES
        for call, argument in _arguments(path)
        if not (isinstance(argument, ast.Constant) and isinstance(argument.value, str))
    ]


def _calls(path: Path) -> Iterator[tuple[ast.Call, tuple[int | None, int, int | None]]]:
    for node in ast.walk(parse(path)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in PLACES and node.args:
            yield node, PLACES[name]


def _arguments(path: Path) -> Iterator[tuple[ast.Call, ast.expr]]:
    for call, places in _calls(path):
        yield from ((call, call.args[one]) for one in places if one is not None)


def _said_in_module(path: Path) -> Iterator[Message]:
    for call, (context, text, plural) in _calls(path):
        values = [getattr(one, "value", "") for one in call.args]
        yield Message(
            values[text],
            None if plural is None else values[plural],
            None if context is None else values[context],
        )


def _said_in_template(path: Path) -> Iterator[Message]:
    source = templatize(path.read_text(encoding="utf-8"), origin=str(path))
    for call in CALL.finditer(source):
        context, text, plural = PLACES[call[1]]
        values: list[str] = []
        end = call.end()
        while (found := TEXT.match(source, end)) is not None:
            values.append(ast.literal_eval(found[1]))
            end = found.end()
        yield Message(
            values[text],
            None if plural is None else values[plural],
            None if context is None else values[context],
        )
