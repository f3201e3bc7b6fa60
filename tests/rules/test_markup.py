"""Text of people is never sent as markup. Acceptance row C20."""

import ast
import re
from collections.abc import Iterator

from tests.rules.sources import MODULES, PACKAGES, ROOT, name_of, parse

TEMPLATES = sorted(
    path
    for folder in ("templates", *PACKAGES)
    for path in (ROOT / folder).rglob("*.html")
)
TRUSTING = {"mark_safe", "SafeString", "SafeText", "html_safe"}
# Name to the number of leading arguments that must be written out in the code.
FORMATTING = {"format_html": 1, "format_html_join": 2}
UNSAFE_TEMPLATE = re.compile(
    r"\|\s*(?:safe|safeseq)\b|\{%\s*autoescape\s+off|"
    r"\son(?:click|load|error|submit|change|focus|blur|input|key\w+|mouse\w+)\s*="
)


def list_calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Yield each call with its place and the name that is called."""
    for path in MODULES:
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.Call):
                called = node.func
                name = getattr(called, "attr", getattr(called, "id", ""))
                yield f"{name_of(path)}:{node.lineno}", name, node


def is_written_out(node: ast.expr) -> bool:
    """Say whether an argument is a literal, so that no data is in it."""
    return isinstance(node, ast.Constant)


def test_it_declares_no_text_safe():
    assert [place for place, name, _ in list_calls() if name in TRUSTING] == []


def test_it_formats_html_from_literals_only():
    built = [
        place
        for place, name, call in list_calls()
        if not all(map(is_written_out, call.args[: FORMATTING.get(name, 0)]))
    ]

    assert built == []


def test_it_trusts_no_text_in_templates():
    found = {
        name_of(path): UNSAFE_TEMPLATE.findall(path.read_text(encoding="utf-8"))
        for path in TEMPLATES
    }

    assert {name: hits for name, hits in found.items() if hits} == {}
