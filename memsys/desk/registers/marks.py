"""Small marks in lists: how urgent a date is, who a member of staff is.

>>> due_mark(date(2026, 12, 1), today=date(2026, 12, 2))  # doctest: +SKIP
"""

from collections.abc import Callable
from datetime import date
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consent import approvals
from memsys.kernel.pages.actors import staff_words
from memsys.kernel.pages.columns import (
    Column,
    column,
    link,
    page_url,
    short_id,
    visible_text,
)

SOON_DAYS = 3


def due_mark(due: date, *, today: date) -> SafeString:
    """Return a due date with what is left, in words and in colour."""
    left = (due - today).days
    if left < 0:
        tone, words = (
            "desk-bad",
            ngettext("late by %(days)d day", "late by %(days)d days", -left)
            % {"days": -left},
        )
    elif left <= SOON_DAYS:
        tone, words = "desk-warn", _left(left)
    else:
        tone, words = "desk-good", _left(left)
    return format_html(
        '<span class="desk-time">{}</span> <span class="desk-mark {}">{}</span>',
        f"{due:%Y-%m-%d}",
        tone,
        words,
    )


def _left(days: int) -> str:
    if not days:
        return _("today")
    words = ngettext("%(days)d day left", "%(days)d days left", days)
    return words % {"days": days}


def due_column(is_open: Callable[[Any], bool]) -> Column:
    """Return the column of a due date; it has no colour once the matter is closed."""

    def show(row: Any) -> Any:
        if not is_open(row):
            return f"{row.due_date:%Y-%m-%d}"
        return due_mark(row.due_date, today=localdate())

    return column("due_date", show)


def staff_column(name: str, *, label: Any = None) -> Column:
    """Return the column of a member of staff."""

    def show(row: Any) -> Any:
        number = getattr(row, name)
        return staff_words(number) if number is not None else None

    return column(name, show, label=label)


def kind_label(code: str) -> str:
    """Return the words for a kind of change that takes two persons."""
    known = {one.code: one.label for one in approvals.list_kinds()}
    return str(known.get(code, code))


def kind_column() -> Column:
    """Return the column of the kind of change that a row asks for."""
    return column("kind", lambda row: visible_text(kind_label(row.kind)))


def change_column() -> Column:
    """Return the link to the request by which two persons decided a row."""

    def show(row: Any) -> Any:
        from consent.models import ChangeRequest

        key = row.change_request
        return link(page_url(ChangeRequest, key), short_id(key)) if key else None

    return column("change_request", show)
