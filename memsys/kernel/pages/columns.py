"""Columns of the staff's pages: what a reader sees of a field.

Owns escaping, masking and short ids. Text that outsiders wrote is shown so that it
can neither run nor rearrange the page; values of a person are not shown at all.

>>> str(visible_text("a\u202eb"))
'<bdi>a<span class="desk-control">U+202E</span>b</bdi>'
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import reduce
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from memsys.kernel.pages.codes import words_of
from memsys.kernel.pages.labels import LABELS
from memsys.kernel.pages.leading import leads

Column = Callable[[Any], Any]

# Characters that change the direction of what follows, or hide in it.
_CONTROLS = re.compile("([\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff])")

CHARACTERS = ngettext_lazy("%(count)d character", "%(count)d characters", "count")
ENTRIES = ngettext_lazy("%(count)d entry", "%(count)d entries", "count")
BYTES = ngettext_lazy("%(count)d byte", "%(count)d bytes", "count")


def column(name: str, show: Column, *, label: Any = None) -> Column:
    """Return a column that Django's admin can take: a named function of the row.

    Without a label the first part of the name gives it.

    Raises:
        KeyError: the name has no label.
    """

    def shown_of(row: Any) -> Any:
        return show(row)

    shown_of.__name__ = name
    return admin.display(description=label or LABELS[name.split("__")[0]])(shown_of)


def plain(name: str) -> Column:
    """Show a field that holds no outsider's text: a code, a number, a time."""

    def show(row: Any) -> Any:
        chosen = getattr(row, f"get_{name}_display", None)
        value = chosen() if chosen is not None else getattr(row, name)
        if isinstance(value, str):
            return words_of(name, value) or None
        return _as_words(value)

    return column(name, show)


def shown(path: str, *, label: Any = None) -> Column:
    """Show text that outsiders wrote; `path` may cross relations with `__`."""

    def show(row: Any) -> Any:
        text = _read(row, path)
        return (
            visible_text(words_of(path, str(text))) if text not in (None, "") else None
        )

    return column(path, show, label=label)


def listed(name: str) -> Column:
    """Show a JSON field line by line: the members of a list or of an object."""

    def show(row: Any) -> Any:
        lines = _lines(name, getattr(row, name))
        return in_lines(visible_text(one) for one in lines)

    return column(name, show)


def masked(name: str, *, unit: Any = None) -> Column:
    """Show that a field of a masked row is filled, and how much is in it."""

    def show(row: Any) -> Any:
        size = getattr(row, f"size_of_{name}")
        if not size:
            return None
        words = unit % {"count": size} if unit is not None else _("hidden")
        return format_html('<span class="desk-masked">•••• <i>{}</i></span>', words)

    return column(name, show)


def linked(name: str, *, text: str = "", within_relationship: bool = False) -> Column:
    """Link the page of the row that a foreign key names.

    `text` is the path of the words to show, else the short id. With
    `within_relationship` the target is content of the same relationship.
    """

    def show(row: Any) -> Any:
        key = getattr(row, f"{name}_id")
        if key is None:
            return None
        url = page_url(row._meta.get_field(name).related_model, key)
        if within_relationship:
            url = f"{url}?relationship={row.relationship_id}"
        words = visible_text(str(_read(row, text))) if text else short_id(key)
        return link(url, words)

    return column(name, show)


def related(label: Any, model: Any, *, by: Mapping[str, str]) -> Column:
    """Link a model's list, filtered by fields of this row.

    `by` maps each filter of that list to the attribute of the row that it takes.
    """

    def show(row: Any) -> Any:
        query = urlencode({key: getattr(row, attr) for key, attr in by.items()})
        return link(f"{list_url(model)}?{query}", _("Open"))

    return column(f"related_{model._meta.model_name}", show, label=label)


def hexadecimal(name: str) -> Column:
    """Show the bytes of a field as hexadecimal digits."""
    return column(
        name,
        lambda row: format_html(
            '<span class="desk-id desk-wrap">{}</span>', bytes(getattr(row, name)).hex()
        ),
    )


def told(value: Any) -> Any:
    """Return any value as harmless words: of a yes or no, a moment, a text."""
    if value is None or value == "":
        return "–"
    words = _as_words(value)
    return words if words is not value else visible_text(value)


def visible_text(text: Any) -> SafeString:
    """Return text as harmless HTML, with characters that steer direction spelled out."""
    parts = ((_visible_part(part),) for part in _CONTROLS.split(str(text)) if part)
    return format_html("<bdi>{}</bdi>", format_html_join("", "{}", parts))


def in_language(text: Any, language: str) -> SafeString:
    """Return text that is in a language of its own, marked for who reads it aloud."""
    return format_html('<span lang="{}">{}</span>', language, visible_text(text))


def spelled_out(text: str) -> str:
    """Return text without HTML, for places that take none: options, titles.

    >>> spelled_out("a\u202eb")
    'a[U+202E]b'
    """
    return _CONTROLS.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def in_lines(parts: Iterable[SafeString]) -> SafeString | None:
    """Return parts below each other, or None when there are none."""
    lines = format_html_join(
        "", '<span class="desk-line">{}</span>', ((part,) for part in parts)
    )
    return format_html("<div>{}</div>", lines) if lines else None


def short_id(value: UUID) -> SafeString:
    """Return the last part of an id, with the whole of it as the title."""
    return format_html(
        '<span class="desk-id" title="{}">…{}</span>', value, str(value)[-12:]
    )


def moment(value: datetime) -> SafeString:
    """Return a local time to the minute, the same in each language."""
    local = localtime(value)
    return format_html(
        '<time class="desk-time" datetime="{}" title="{}">{}</time>',
        local.isoformat(),
        f"{local:%Y-%m-%d %H:%M:%S %Z}",
        f"{local:%Y-%m-%d %H:%M}",
    )


def link(url: str, words: Any) -> SafeString:
    """Return a link in the desk's look; the words alone where it would be refused."""
    if not leads(url):
        return format_html("{}", words)
    return format_html('<a href="{}" class="text-link">{}</a>', url, words)


def page_url(model: Any, key: Any) -> str:
    """Return the address of one row's page."""
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[key])


def list_url(model: Any) -> str:
    """Return the address of a model's list."""
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")


def _visible_part(part: str) -> str:
    if not _CONTROLS.fullmatch(part):
        return part
    return format_html('<span class="desk-control">U+{}</span>', f"{ord(part):04X}")


def _read(row: Any, path: str) -> Any:
    return reduce(getattr, path.split("__"), row)


def _as_words(value: Any) -> Any:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return moment(value) if isinstance(value, datetime) else value


def _lines(name: str, value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [
            _("%(name)s: %(value)s")
            % {"name": words_of(name, key), "value": _as_text(one)}
            for key, one in value.items()
        ]
    if not isinstance(value, list):
        return []
    return [words_of(name, _as_text(one)) for one in value]


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


row_id = column("id", lambda row: short_id(row.pk))
full_id = column(
    "id", lambda row: format_html('<span class="desk-id">{}</span>', row.pk)
)
