"""Everything that happened in one relationship, on one axis of time, newest first.

Owns what counts as an event, how each is told without the words of a person, and the
paging over many tables at once. It shows nothing and opens what it needs itself.

>>> read_page(relationship, kinds=None, cursor=None)  # doctest: +SKIP
"""

from memsys.desk.timeline.events import Cursor, Event, EventKind, InvalidCursor
from memsys.desk.timeline.reading import Page, read_page

__all__ = ["Cursor", "Event", "EventKind", "InvalidCursor", "Page", "read_page"]
