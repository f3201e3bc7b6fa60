"""Reads one page of the timeline out of all its sources.

Owns the merge and what is open while a source is read: content and the user's own
rows in scopes one after the other, since staff may not hold both at once.

>>> read_page(relationship, kinds=None, cursor=None).events  # doctest: +SKIP
"""

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from identity.types import RelationshipRef
from memsys.desk.timeline.content import CONTENT_SOURCES
from memsys.desk.timeline.events import Cursor, Event, EventKind, Opening, Source
from memsys.desk.timeline.rights import RIGHTS_SOURCES
from memsys.desk.timeline.staff import STAFF_SOURCES
from memsys.kernel.scope import Purpose, access_scope
from memsys.kernel.scope.staff import staff_role

PAGE = 50
SOURCES: tuple[Source, ...] = (*CONTENT_SOURCES, *RIGHTS_SOURCES, *STAFF_SOURCES)


@dataclass(frozen=True)
class Page:
    """Events, newest first, and where the next page goes on, if there is one."""

    events: tuple[Event, ...]
    next: Cursor | None


def read_page(
    relationship: RelationshipRef,
    *,
    kinds: Collection[EventKind] | None,
    cursor: Cursor | None,
    limit: int = PAGE,
) -> Page:
    """Return a page of events; as many queries as there are sources, at most."""
    found: list[tuple[Any, int, Any, Event]] = []
    for opening in Opening:
        with _open(opening, relationship):
            for rank, source in _list_sources(opening, kinds):
                events = source.read(
                    relationship, rank=rank, cursor=cursor, limit=limit + 1
                )
                found += [(one.at, rank, one.key, one) for one in events]
    found.sort(key=lambda one: one[:3], reverse=True)
    page = found[:limit]
    has_more = len(found) > limit
    last = Cursor(*page[-1][:3]) if has_more else None
    return Page(tuple(one[3] for one in page), last)


def _list_sources(
    opening: Opening, kinds: Collection[EventKind] | None
) -> Iterator[tuple[int, Source]]:
    for rank, source in enumerate(SOURCES):
        if source.opening == opening and (not kinds or source.kind in kinds):
            yield rank, source


def _open(
    opening: Opening, relationship: RelationshipRef
) -> AbstractContextManager[Any]:
    match opening:
        case Opening.CONTENT:
            return access_scope(Purpose.DESK, relationship=relationship.id)
        case Opening.USER:
            return access_scope(Purpose.DESK, user=relationship.user_id)
        case Opening.AUDIT:
            return staff_role()
    return nullcontext()
