"""The base of every page of the desk: it shows rows and refuses to change them.

Owns the refusal, with its audit row, the lists' constant cost, and the audit row of
opening a person's page. Content needs `ContentAdmin`; the audit chains `StaffAdmin`.

>>> @admin.register(Creator)  # doctest: +SKIP
... class CreatorAdmin(ReadOnlyAdmin):
...     list_display = (row_id, shown("external_id"), "created_at")
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn
from uuid import UUID

from django.contrib.admin import ShowFacets
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from unfold.admin import ModelAdmin

from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.pages.actors import know_staff
from memsys.kernel.pages.columns import Column, plain
from memsys.kernel.pages.lists import (
    UncountedList,
    UncountedPaginator,
    labelled_filter,
)
from memsys.kernel.scope.staff import staff_role

logger = logging.getLogger("memsys.desk")

DESK_CHAIN = "desk"
READING = ("GET", "HEAD")
LOOKUP_ENDINGS = ("", "__exact", "__isnull", "__id__exact")

Section = tuple[Any, Sequence[str | Column]]
Page = Callable[[], HttpResponseBase]


def section(title: Any, *fields: str | Column) -> Section:
    """Return a part of the page of one row; a name alone stands for `plain`."""
    return title, _columns(fields)


def actor_of(request: HttpRequest) -> str:
    """Return how the audit names the person at the desk."""
    return f"staff:{request.user.pk}"


class ReadOnlyAdmin(ModelAdmin):  # type: ignore[misc]
    """Lists rows and shows one; everything else is refused.

    `sections` are the parts of the page of one row, each a title and its fields.
    `extra_lookups` are fields that links may filter by, apart from `list_filter`.
    `kind` names the model in audit rows; with `is_view_recorded`, opening the page
    of a row, which is a person's, writes one.
    """

    change_list_template = "desk/change_list.html"
    actions = None
    list_display: Sequence[str | Column] = ()
    ordering: Sequence[str] = ("-pk",)
    sortable_by: Sequence[str] = ()
    paginator = UncountedPaginator
    list_per_page = 50
    list_max_show_all = 0
    list_select_related: Sequence[str] = ()
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    sections: Sequence[Section] = ()
    extra_lookups: Sequence[str] = ()
    kind = ""
    is_view_recorded = False

    def __init__(self, model: Any, admin_site: Any) -> None:
        super().__init__(model, admin_site)
        self.list_display = _columns(self.list_display)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[Any]:
        return UncountedList

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [(title, {"fields": fields}) for title, fields in self.sections]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [field for _, fields in self.sections for field in fields]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Return the filters, each under the words of its column."""
        return [
            (one, labelled_filter) if isinstance(one, str) else one
            for one in self.list_filter
        ]

    def lookup_allowed(
        self, lookup: str, value: str, request: HttpRequest | None = None
    ) -> bool:
        """Allow the filters of the page only: others would reveal masked values."""
        names = [*self.list_filter, *self.extra_lookups]
        allowed = {getattr(name, "parameter_name", name) for name in names}
        return any(
            lookup == f"{name}{ending}" for name in allowed for ending in LOOKUP_ENDINGS
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: Mapping[str, Any] | None = None
    ) -> HttpResponseBase:
        """Show the list."""
        self._check_reading(request)
        context = {**self.list_context(request), **(extra_context or {})}
        return self.open_page(
            request, partial(super().changelist_view, request, context)
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Mapping[str, Any] | None = None,
    ) -> HttpResponseBase:
        """Show one row."""
        self._check_reading(request, object_id)
        context = {**self.row_context(request, object_id), **(extra_context or {})}
        return self.open_page(
            request,
            partial(super().change_view, request, object_id, form_url, context),
        )

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: rows are made by services."""
        self._refuse(request)

    def delete_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> NoReturn:
        """Refuse: rows are erased by services."""
        self._refuse(request, object_id)

    def history_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> NoReturn:
        """Answer that there is none: deeds are in the audit chains."""
        raise Http404

    def list_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return what the template of the list needs besides."""
        return {}

    def row_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return what the template of one row's page needs besides."""
        return {}

    def open_page(self, request: HttpRequest, page: Page) -> HttpResponseBase:
        """Return the page, rendered where its rows may be read, with its audit row."""
        response = page()
        row = shown_row(response)
        if row is None or not self.is_view_recorded:
            return response
        with transaction.atomic():
            record(self.deed_of_view(request, row))
        return response

    def deed_of_view(self, request: HttpRequest, row: Any) -> Deed:
        """Return the audit row of opening one row's page."""
        return Deed(
            chain=deed_chain(row.pk),
            action="desk.detail_viewed",
            actor=actor_of(request),
            object_ref=self.reference_of(row),
        )

    def reference_of(self, row: Any) -> str:
        """Return how the audit names a row."""
        return f"{self.kind or self.opts.model_name}:{row.pk}"

    def _get_obj_does_not_exist_redirect(self, *args: Any) -> NoReturn:
        raise Http404

    def _check_reading(self, request: HttpRequest, object_id: str = "") -> None:
        if request.method not in READING:
            self._refuse(request, object_id)
        if not self.has_view_permission(request):
            raise PermissionDenied
        if _holds_nul(request, object_id):
            raise Http404

    def _refuse(self, request: HttpRequest, object_id: str = "") -> NoReturn:
        """Refuse with 403; an attempt to write is logged and recorded.

        Raises:
            PermissionDenied: always.
        """
        if request.method not in READING:
            row = f"{self.opts.label_lower}:{self._checked_key(object_id)}"
            logger.warning(
                "desk.change_refused", extra={"actor": actor_of(request), "row": row}
            )
            with transaction.atomic():
                record(Deed(DESK_CHAIN, "desk.change_refused", actor_of(request), row))
        raise PermissionDenied

    def _checked_key(self, object_id: str) -> str:
        """Return the key in an address when it is one; the audit takes no free text."""
        try:
            key = self.opts.pk.to_python(unquote(object_id))
        except ValidationError:
            return ""
        return str(key) if isinstance(key, UUID | int) else ""


class StaffAdmin(ReadOnlyAdmin):
    """Pages of tables that only the staff's database role may read."""

    def open_page(self, request: HttpRequest, page: Page) -> HttpResponseBase:
        """Return the page, rendered as the staff's role."""
        know_staff()
        with staff_role():
            return rendered(page())


def _columns(fields: Sequence[str | Column]) -> tuple[Column, ...]:
    return tuple(plain(one) if isinstance(one, str) else one for one in fields)


def rendered(response: HttpResponseBase) -> HttpResponseBase:
    """Render a template's answer now, while its rows may be read."""
    if isinstance(response, TemplateResponse):
        response.render()
    return response


def shown_row(response: HttpResponseBase) -> Any:
    """Return the row whose page this is, or None for any other answer."""
    if not isinstance(response, TemplateResponse):
        return None
    return (response.context_data or {}).get("original")


def _holds_nul(request: HttpRequest, object_id: str) -> bool:
    """Tell whether an address holds a character that the database refuses."""
    given = [text for key, texts in request.GET.lists() for text in (key, *texts)]
    return any("\0" in text for text in (object_id, *given))
