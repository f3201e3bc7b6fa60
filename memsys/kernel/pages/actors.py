"""How the pages name whoever did something: a colleague by name, the rest by code.

Owns the names of the staff while one page is made: they take one query a page. Outside
of `naming_staff` each name takes its own. The roles of the database in which content
and audit are read may not read them: `know_staff` comes before.

>>> str(actor_words("job:custody"))
'<bdi>job:custody</bdi>'
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.contrib.auth.models import User
from django.utils.safestring import SafeString

from memsys.kernel.pages.columns import Column, column, visible_text

# More staff than this are told by their numbers alone.
MOST = 5_000
_names: ContextVar[dict[str, dict[int, str]] | None] = ContextVar("names", default=None)


@contextmanager
def naming_staff() -> Iterator[None]:
    """Keep the names of the staff, once they were read, for one page."""
    token = _names.set({})
    try:
        yield
    finally:
        _names.reset(token)


def know_staff() -> None:
    """Read the names now, while the page's login may; it may not in every role."""
    _list_names()


def actor_words(actor: str) -> SafeString:
    """Return how an actor of the audit is told: `officer (staff:3)`."""
    kind, _colon, key = actor.partition(":")
    if kind == "staff" and key.isdecimal():
        return staff_words(int(key))
    return visible_text(actor)


def staff_words(number: int) -> SafeString:
    """Return the user name and the number of a member of staff."""
    code = f"staff:{number}"
    name = _list_names().get(number)
    return visible_text(f"{name} ({code})" if name else code)


def actor_column(name: str, *, label: Any = None) -> Column:
    """Return the column of an actor as the audit writes one."""

    def show(row: Any) -> Any:
        actor = getattr(row, name)
        return actor_words(actor) if actor else None

    return column(name, show, label=label)


def _list_names() -> dict[int, str]:
    """Return the names of the staff by number. One query, at most once a page."""
    kept = _names.get()
    if kept is None:
        return _read_names()
    if "staff" not in kept:
        kept["staff"] = _read_names()
    return kept["staff"]


def _read_names() -> dict[int, str]:
    rows = User.objects.order_by("pk").values_list("pk", "username")
    return dict(rows[:MOST])
