"""The kinds of files in an export: how one section is written as each of them.

Each writer yields text as the rows come, and keeps none of them. Words of people are
escaped in HTML, and can be no formula in CSV.

>>> "".join(write_csv(section, rows, about))  # doctest: +SKIP
'\ufeff"id","text"\r\n"0192…","喜欢看海"\r\n'
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from uuid import UUID

from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join

from consent.exports.about import SCHEMA_VERSION, About
from consent.exports.values import to_cell, to_plain, to_words
from consent.exports.wishes import CSV, HTML, JSON, JSONL
from memsys.kernel.exporting import (
    AI_GENERATED,
    FLAG,
    ID,
    LIST,
    NUMBER,
    TIME,
    WORDS,
    Column,
    Row,
    Section,
)

Writer = Callable[[Section, Iterable[Row], About], Iterator[str]]

BYTE_ORDER_MARK = "\ufeff"  # without it spreadsheets take UTF-8 for something else
ROWS_MARK = "<!--rows-->"
_TYPES: dict[str, Any] = {
    TIME: {"type": ["string", "null"]},
    NUMBER: {"type": ["number", "null"]},
    FLAG: {"type": ["boolean", "null"]},
    LIST: {"type": ["array", "object", "null"]},
}


def write_json(section: Section, rows: Iterable[Row], about: About) -> Iterator[str]:
    """Yield one JSON object whose `rows` are objects with the columns' names."""
    head = {
        "section": section.name,
        "label": str(section.label),
        "schema_version": SCHEMA_VERSION,
        "export": str(about.export),
        "until": to_plain(about.requested_at),
        **({"AIGC": about.label_metadata()} if has_label(section) else {}),
    }
    yield json.dumps(head, ensure_ascii=False, indent=1)[:-2] + ',\n "rows": ['
    before = "\n"
    for row in rows:
        yield before + json.dumps(_to_object(section, row), ensure_ascii=False)
        before = ",\n"
    yield "\n]}\n"


def write_jsonl(section: Section, rows: Iterable[Row], about: About) -> Iterator[str]:
    """Yield one JSON object a line."""
    for row in rows:
        yield json.dumps(_to_object(section, row), ensure_ascii=False) + "\n"


def write_csv(section: Section, rows: Iterable[Row], about: About) -> Iterator[str]:
    """Yield a CSV file with a byte order mark; every cell is quoted."""
    line = io.StringIO(newline="")
    writer = csv.writer(line, quoting=csv.QUOTE_ALL)
    yield BYTE_ORDER_MARK
    writer.writerow([column.name for column in section.columns])
    for row in rows:
        yield _drain(line)
        writer.writerow([to_cell(value) for value in row])
    yield _drain(line)


def write_html(section: Section, rows: Iterable[Row], about: About) -> Iterator[str]:
    """Yield a page that needs no script; ids are left to the other files."""
    page = render_to_string(
        "exports/section.html",
        {
            "about": about,
            "section": section,
            "has_label": has_label(section),
            "metadata": json.dumps(about.label_metadata()),
        },
    )
    head, _mark, tail = page.partition(ROWS_MARK)
    yield head
    for row in rows:
        yield _article(section, row, about)
    yield tail


WRITERS: dict[str, tuple[str, Writer]] = {
    HTML: ("html/{}.html", write_html),
    JSON: ("json/{}.json", write_json),
    CSV: ("csv/{}.csv", write_csv),
    JSONL: ("jsonl/{}.jsonl", write_jsonl),
}


def has_label(section: Section) -> bool:
    """Say whether rows of a section can be made by an AI."""
    return any(column.name == AI_GENERATED for column in section.columns)


def make_schema(section: Section) -> dict[str, Any]:
    """Return the JSON Schema of a section's file."""
    columns = {
        column.name: {**_type_of(column), "title": str(column.label)}
        for column in section.columns
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": str(section.label),
        "type": "object",
        "required": ["section", "schema_version", "export", "until", "rows"],
        "properties": {
            "section": {"const": section.name},
            "schema_version": {"const": SCHEMA_VERSION},
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": list(columns),
                    "properties": columns,
                    "additionalProperties": False,
                },
            },
        },
    }


def _type_of(column: Column) -> dict[str, Any]:
    kind: dict[str, Any] = _TYPES.get(column.kind, {"type": ["string", "null"]})
    if column.choices is None:
        return kind
    labels = {str(code): str(label) for code, label in column.choices.choices}
    return {**kind, "enum": [*labels, "", None], "x-labels": labels}


def _to_object(section: Section, row: Row) -> dict[str, Any]:
    pairs = zip(section.columns, row, strict=True)
    return {column.name: to_plain(value) for column, value in pairs}


def _drain(line: io.StringIO) -> str:
    text = line.getvalue()
    line.seek(0)
    line.truncate()
    return text


def _article(section: Section, row: Row, about: About) -> str:
    """Return a row for people: the label of the AI, its words, then the rest."""
    facts, words, badge = [], [], ""
    for column, value in zip(section.columns, row, strict=True):
        told = to_words(column, value)
        if column.name == AI_GENERATED:
            badge = format_html('<p class="ai">{}</p>', about.ai_label) if value else ""
        elif column.kind == WORDS:
            words.append((told,))
        elif column.kind != ID and _says_something(value) and told != "":
            facts.append((column.label, told))
    return format_html(
        "<article>{}{}<dl>{}</dl></article>\n",
        badge,
        format_html_join("", '<p class="words">{}</p>', words),
        format_html_join("", "<dt>{}</dt><dd>{}</dd>", facts),
    )


def _says_something(value: Any) -> bool:
    """Say whether people learn from a value: not from a plain no, nor from ids."""
    if isinstance(value, list):
        return not any(isinstance(one, UUID) for one in value)
    return value is not False
