"""What an app tells of the data that it holds, so that a person gets a copy of it.

Owns the words that go between whoever makes an export and each app's `personal_data`:
whose data, which parts, and sections of rows with named columns. Reads nothing.

>>> Column("text", "Text").kind
'text'
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import Choices, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from memsys.kernel.scope import Purpose, access_scope

AI_GENERATED = "ai_generated"  # the column that labels what an AI made
PAGE_ROWS = 500

# Kinds of columns; words are what the row is about, and stand first for people.
TEXT, WORDS, ID, TIME = "text", "words", "id", "time"
NUMBER, FLAG, LIST = "number", "flag", "list"

Row = tuple[Any, ...]


class ExportPart(models.TextChoices):
    """What can be asked for one by one; the last two only the staff can ask for."""

    ACCOUNT = "account", _("Account and relationships")
    MEMORIES = "memories", _("What is remembered")
    MESSAGES = "messages", _("Messages")
    PROFILE = "profile", _("Profile")
    CONSENTS = "consents", _("Consents and releases")
    READS = "reads", _("Who read it")
    REQUESTS = "requests", _("Requests, exports and erasures")
    SENSITIVE = "sensitive_memories", _("Sensitive memories")
    PRIVATE = "private_notes", _("Private notes of the creator's side")


STAFF_PARTS = frozenset({ExportPart.SENSITIVE, ExportPart.PRIVATE})
# What is the user's over all relationships, and so in no copy of one of them.
USER_PARTS = frozenset({ExportPart.PROFILE})


@dataclass(frozen=True)
class ExportSubject:
    """Whose data is exported: all of a user, or what is of one relationship alone.

    `relationships` are read one after the other, each in a scope of its own. What is
    newer than `until` is left to the next export, so that all files tell the same.
    """

    user_id: UUID
    relationships: tuple[UUID, ...]
    is_whole_user: bool
    until: datetime
    for_staff: bool = False


@dataclass(frozen=True)
class Column:
    """One column: its name in the files, its label for people, its codes' labels.

    Words for codes are in `choices`, or else in `memsys.kernel.pages.codes`, there by
    the name `codes`.
    """

    name: str
    label: Any
    kind: str = TEXT
    choices: type[Choices] | None = None
    codes: str = ""


@dataclass(frozen=True)
class Section:
    """Rows of one kind. `rows` can be called again, and gives the same rows again.

    Each call reads page by page, opening a scope for each and closing it before the
    rows are handed out: the reader may open scopes of its own.
    """

    name: str
    part: ExportPart
    label: Any
    columns: tuple[Column, ...]
    rows: Callable[[], Iterator[Row]]


def read_pages(
    rows: QuerySet[Any],
    *,
    moment: str,
    opened: Callable[[], AbstractContextManager[Any]],
    size: int = PAGE_ROWS,
) -> Iterator[Any]:
    """Yield rows in the order of a moment and their id, by pages; memory is bounded.

    Each page is one query in a scope of its own, which is closed when a row is yielded.
    """
    last: Any = None
    while True:
        with opened():
            found = list(
                rows.filter(_after(last, moment)).order_by(moment, "pk")[:size]
            )
        yield from found
        if len(found) < size:
            return
        last = found[-1]


def open_for(
    subject: ExportSubject, relationship_id: UUID | None = None
) -> Callable[[], AbstractContextManager[Any]]:
    """Return what opens the scope of the user, or of one of their relationships."""

    def opened() -> AbstractContextManager[Any]:
        return access_scope(
            Purpose.JOB, user=subject.user_id, relationship=relationship_id
        )

    return opened


def read_each(
    subject: ExportSubject, read: Callable[[UUID], Iterable[Row]]
) -> Callable[[], Iterator[Row]]:
    """Return the rows of one relationship after the other."""

    def rows() -> Iterator[Row]:
        for relationship_id in subject.relationships:
            yield from read(relationship_id)

    return rows


def _after(last: Any, moment: str) -> Q:
    if last is None:
        return Q()
    at = getattr(last, moment)
    later = Q(**{f"{moment}__gt": at}) | Q(**{moment: at, "pk__gt": last.pk})
    return Q(**{f"{moment}__gte": at}) & later
