"""Lists of the staff's pages that cost the same however many rows there are.

Owns paging without counting: one row more than a page is read to know whether there
is a next page.

>>> class MessageAdmin(ModelAdmin):  # doctest: +SKIP
...     paginator = UncountedPaginator
"""

from typing import Any

from django.contrib.admin import FieldListFilter
from django.contrib.admin.options import IncorrectLookupParameters
from unfold.paginator import InfinitePaginator
from unfold.views import ChangeList

from memsys.kernel.pages.labels import LABELS

MAX_PAGE = 1000


def labelled_filter(field: Any, *args: Any, **kwargs: Any) -> FieldListFilter:
    """Return Django's filter of a field, with the words of the field's column."""
    made = FieldListFilter.create(field, *args, **kwargs)
    made.title = LABELS[field.name]
    return made


class UncountedPaginator(InfinitePaginator):  # type: ignore[misc]
    """Paginator that the admin asks for its template only."""

    template_name = "desk/pagination.html"


class UncountedList(ChangeList):  # type: ignore[misc]
    """List of one page; `has_next` tells whether there is another."""

    def get_results(self, request: Any) -> None:
        """Read the page. One query.

        Raises:
            IncorrectLookupParameters: the page number is out of range.
        """
        if not 1 <= self.page_num <= MAX_PAGE:
            raise IncorrectLookupParameters
        start = (self.page_num - 1) * self.list_per_page
        rows = list(self.queryset[start : start + self.list_per_page + 1])
        self.result_list = rows[: self.list_per_page]
        self.has_next = len(rows) > self.list_per_page
        self.first_row = start + 1
        self.last_row = start + len(self.result_list)
        self.result_count = self.full_result_count = len(self.result_list)
        self.show_full_result_count = self.show_admin_actions = False
        self.can_show_all = self.multi_page = False
        self.paginator = self.model_admin.get_paginator(
            request, self.queryset, self.list_per_page
        )


class ContentList(UncountedList):
    """List of one relationship's rows; each link carries the relationship."""

    def url_for_result(self, result: Any) -> str:
        url = super().url_for_result(result)
        return f"{url}?relationship={result.relationship_id}"
