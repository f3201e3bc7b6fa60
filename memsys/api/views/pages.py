"""Pages of the routes that list something of one relationship.

Owns the tie of a cursor to its route, relationship, key and filters.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from identity.scopes import service_scope
from identity.types import RelationshipRef
from memsys.api.pagination import Binding, Page, Position, open_cursor, seal
from memsys.api.serializers.memories import PageQuery
from memsys.api.views.base import ApiView

Row = TypeVar("Row")


def answer_page(
    view: ApiView,
    query: PageQuery,
    relationship: RelationshipRef,
    *,
    fetch: Callable[[Position | None, int], Sequence[Row]],
    mark: Callable[[Row], Position],
    output: type[BaseSerializer[Any]],
    note: Callable[[Sequence[Row]], None] = lambda rows: None,
) -> Response:
    """Return one page; `fetch` gets the position to go on from, and how many.

    `note` hears which rows are shown, in the scope that reads them.

    Raises:
        InvalidCursor, NotReachable: see `open_cursor`.
    """
    binding = Binding(
        owner=(str(relationship.id), view.caller.prefix),
        question=(type(view).__name__, *query.question()),
    )
    after = open_cursor(query.cursor, binding) if query.cursor is not None else None
    with service_scope(relationship, is_read=True):
        rows = fetch(after, query.limit + 1)
        page = Page.of(rows, limit=query.limit, mark=mark)
        note(page.rows)
        cursor = seal(page.end, binding) if page.end is not None else None
        return Response(output({"items": page.rows, "next_cursor": cursor}).data)
