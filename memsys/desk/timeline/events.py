"""Words of the timeline: kinds of events, an event, and where a page went on.

>>> Cursor.read(Cursor(at, 3, key).write()) == Cursor(at, 3, key)  # doctest: +SKIP
True
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core import signing
from django.db import models
from django.db.models import Q, QuerySet
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from identity.types import RelationshipRef
from memsys.kernel.pages.codes import words_of
from memsys.kernel.pages.columns import visible_text

SALT = "memsys.desk.timeline"


class EventKind(models.TextChoices):
    MEMORY = "memory", _("Memories")
    SESSION = "session", _("Sessions")
    CUSTODY = "custody", _("Custody")
    CONSENT = "consent", _("Consents")
    RELEASE = "release", _("Releases")
    READ = "read", _("Reads by services")
    REVEAL = "reveal", _("Opened by staff")
    STAFF = "staff", _("Deeds and looks of staff")
    REMINDER = "reminder", _("Reminders that an AI talks")
    REQUEST = "request", _("Requests")
    EXPORT = "export", _("Exports")
    HOLD = "hold", _("Holds")
    ERASURE = "erasure", _("Erasures")


class Opening(models.TextChoices):
    """What must be open while a source is read."""

    CONTENT = "content"
    USER = "user"
    NOTHING = "nothing"
    AUDIT = "audit"


class InvalidCursor(Exception):
    """Where to go on was not written by us."""


@dataclass(frozen=True)
class Cursor:
    """The last event of a page: its moment, the rank of its source, its row."""

    at: datetime
    rank: int
    key: UUID

    def write(self) -> str:
        """Return it signed, for an address."""
        return signing.dumps([self.at.isoformat(), self.rank, str(self.key)], salt=SALT)

    @classmethod
    def read(cls, text: str) -> "Cursor":
        """Return what `write` wrote.

        Raises:
            InvalidCursor: it is not ours.
        """
        try:
            at, rank, key = signing.loads(text, salt=SALT)
            return cls(datetime.fromisoformat(at), int(rank), UUID(key))
        except (signing.BadSignature, ValueError, TypeError) as exc:
            raise InvalidCursor from exc


@dataclass(frozen=True)
class Event:
    """One thing that happened: when, what, by whom, why, and what it follows from.

    `what`, `who` and `why` are harmless; `links` are titles and addresses.
    """

    kind: EventKind
    at: datetime
    key: UUID
    what: Any
    who: Any = ""
    why: Any = ""
    links: tuple[tuple[Any, str], ...] = ()


@dataclass(frozen=True)
class Source:
    """One table of events: its rows of a relationship, and how a row is told.

    `tell_all` gets all rows of a page at once, so that it may ask one more question
    for all of them, where its scope is still open.
    """

    kind: EventKind
    opening: Opening
    at: str
    rows: Callable[[RelationshipRef], QuerySet[Any]]
    tell_all: Callable[[RelationshipRef, list[Any]], list[Event]]

    def read(
        self,
        relationship: RelationshipRef,
        *,
        rank: int,
        cursor: Cursor | None,
        limit: int,
    ) -> list[Event]:
        """Return the newest events before the cursor. One query, or two."""
        rows = self.rows(relationship).filter(**{f"{self.at}__isnull": False})
        if cursor is not None:
            rows = rows.filter(self._before(cursor, rank))
        found = list(rows.order_by(f"-{self.at}", "-pk")[:limit])
        return self.tell_all(relationship, found) if found else []

    def _before(self, cursor: Cursor, rank: int) -> Q:
        """Return what is older; of one moment, the source of the lower rank is."""
        earlier = Q(**{f"{self.at}__lt": cursor.at})
        same = Q(**{self.at: cursor.at})
        if rank < cursor.rank:
            return earlier | same
        if rank == cursor.rank:
            return earlier | (same & Q(pk__lt=cursor.key))
        return earlier


def say(message: Any, **values: Any) -> SafeString:
    """Return a sentence with values in it, whatever they are, as harmless HTML."""
    return visible_text(str(message) % values)


def reason_words(code: str) -> Any:
    """Return the words for the code of a reason; nothing where there is none."""
    return visible_text(words_of("reason_code", code)) if code else ""


def each(tell: Callable[[Any], Event]) -> Callable[[RelationshipRef, list[Any]], Any]:
    """Return what tells rows one by one."""
    return lambda relationship, rows: [tell(row) for row in rows]
