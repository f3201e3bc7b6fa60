"""Values of rows in the form of each kind of file. Pure.

>>> to_plain((UUID(int=1), True, None))
['00000000-0000-0000-0000-000000000001', True, None]
>>> to_cell("=1+1"), to_cell(-1), to_cell(None)
("'=1+1", '-1', '')
"""

import json
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.utils.html import format_html, format_html_join
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from memsys.kernel.csv_cells import guard
from memsys.kernel.exporting import Column
from memsys.kernel.pages.codes import scope_words, words_of

SCOPE = "scope"


def to_plain(value: Any) -> Any:
    """Return a value as JSON has it; moments are in UTC."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, dict):
        return {str(name): to_plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(one) for one in value]
    return value


def to_cell(value: Any) -> str:
    """Return a value as a cell of a CSV file; lists and objects are JSON in a cell."""
    plain = to_plain(value)
    if plain is None:
        return ""
    if isinstance(plain, bool | int | float):
        return json.dumps(plain)
    if isinstance(plain, list | dict):
        return guard(json.dumps(plain, ensure_ascii=False))
    return guard(str(plain))


def to_words(column: Column, value: Any) -> Any:
    """Return a value as people read it, as HTML that is safe; empty for none."""
    if value is None or value == "":
        return ""
    if isinstance(value, list | tuple):
        between = pgettext("between members of a list", ", ")
        return format_html_join(
            "",
            "{}{}",
            (
                (between if place else "", to_words(column, one))
                for place, one in enumerate(value)
            ),
        )
    if column.choices is not None:
        known = {str(code): label for code, label in column.choices.choices}
        return known.get(str(value), str(value))
    if column.codes == SCOPE:
        return scope_words(str(value))
    if column.codes:
        return words_of(column.codes, str(value))
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, datetime):
        return f"{localtime(value):%Y-%m-%d %H:%M}"
    return format_html('<bdi dir="auto">{}</bdi>', str(value))
