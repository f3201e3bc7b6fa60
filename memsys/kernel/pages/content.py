"""Pages of content: the rows of one chosen relationship, masked, each look recorded.

Owns the choice (`?relationship=<id>`), the access scope around reading and rendering,
and that masked values never leave the database. There is no list across
relationships: without a choice the page asks for one.

>>> @admin.register(Message)  # doctest: +SKIP
... class MessageAdmin(ContentAdmin):
...     masked_fields = ("text",)
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, Expression, Func, QuerySet, Value, When
from django.db.models.functions import Length
from django.http import HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _

from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.pages.columns import list_url, page_url
from memsys.kernel.pages.lists import ContentList
from memsys.kernel.pages.read_only import (
    Page,
    ReadOnlyAdmin,
    actor_of,
    rendered,
    shown_row,
)
from memsys.kernel.scope import Purpose, access_scope, require_scope

CHOICE = "relationship"


class ContentAdmin(ReadOnlyAdmin):
    """Lists and shows the content of one relationship at a time.

    `masked_fields` are read as sizes only; show them with `columns.masked`.
    """

    masked_fields: Sequence[str] = ()
    list_before_template = "desk/chosen_relationship.html"
    change_form_outer_before_template = "desk/chosen_relationship.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[Any]:
        return ContentList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows of the open scope, masked values left in the database.

        Raises:
            ScopeMissing: no access scope is open.
        """
        chosen = require_scope().relationship
        rows = super().get_queryset(request).filter(relationship_id=chosen)
        return with_sizes(rows, self.masked_fields)

    def lookup_allowed(
        self, lookup: str, value: str, request: HttpRequest | None = None
    ) -> bool:
        return lookup == CHOICE or super().lookup_allowed(lookup, value, request)

    def get_preserved_filters(self, request: HttpRequest) -> str:
        """Return what leads back to the list: at least the relationship."""
        given: str = super().get_preserved_filters(request)
        if given or not request.GET.get(CHOICE):
            return given
        back = urlencode({CHOICE: request.GET[CHOICE]})
        return urlencode({"_changelist_filters": back})

    def list_context(self, request: HttpRequest) -> dict[str, Any]:
        return self._choice_context(request)

    def row_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        return self._choice_context(request)

    def open_page(self, request: HttpRequest, page: Page) -> HttpResponseBase:
        """Return the page of the chosen relationship, or ask for a choice.

        An unknown relationship answers 404, and so does a row of another one.
        """
        given = request.GET.getlist(CHOICE)
        if not any(given):
            return self._ask(request)
        chosen = _parse(given)
        owner = self._find_owner(chosen) if chosen is not None else None
        if chosen is None or owner is None:
            return self._ask(request, is_unknown=True)
        with access_scope(Purpose.DESK, relationship=chosen):
            response = rendered(page())
            if isinstance(response, TemplateResponse):
                record(self._deed(request, response, chosen, owner))
        return response

    def _deed(
        self,
        request: HttpRequest,
        response: TemplateResponse,
        chosen: UUID,
        owner: UUID,
    ) -> Deed:
        row = shown_row(response)
        if row is not None:
            return self.deed_of_view(request, row)
        return Deed(
            chain=deed_chain(owner),
            action="desk.list_viewed",
            actor=actor_of(request),
            object_ref=f"relationship:{chosen}",
            subject=owner,
            details={"table": self.opts.label_lower},
        )

    def _find_owner(self, chosen: UUID) -> UUID | None:
        """Return the user of a relationship, or None when there is none. One query."""
        relationships = self._relationship_model()._default_manager
        found: UUID | None = (
            relationships.filter(pk=chosen)
            .values_list("global_user_id", flat=True)
            .first()
        )
        return found

    def _relationship_model(self) -> Any:
        return self.opts.get_field("relationship").related_model

    def _choice_context(self, request: HttpRequest) -> dict[str, Any]:
        chosen = _parse(request.GET.getlist(CHOICE))
        if chosen is None:
            return {}
        url = page_url(self._relationship_model(), chosen)
        return {"chosen_relationship": chosen, "chosen_relationship_url": url}

    def _ask(
        self, request: HttpRequest, *, is_unknown: bool = False
    ) -> TemplateResponse:
        """Return the page that asks for a relationship; it reads no content."""
        context = {
            **self.admin_site.each_context(request),
            "title": _("Choose a relationship"),
            "opts": self.opts,
            "is_unknown": is_unknown,
            "relationships_url": list_url(self._relationship_model()),
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(
            request,
            "desk/choose_relationship.html",
            context,
            status=404 if is_unknown else 200,
        )


def with_sizes(rows: QuerySet[Any], names: Sequence[str]) -> QuerySet[Any]:
    """Defer fields and annotate each one's size as `size_of_<name>`; 0 when empty."""
    sizes = {f"size_of_{name}": _size(rows.model, name) for name in names}
    sized: QuerySet[Any] = rows.annotate(**sizes).defer(*names)
    return sized


def _size(model: type[models.Model], name: str) -> Expression:
    """Return the size of a field's value; 1 for a value that has none."""
    field = model._meta.get_field(name)
    whole: Any = models.IntegerField()
    if isinstance(field, models.CharField | models.TextField):
        return Length(name)
    if isinstance(field, ArrayField):
        return Func(name, function="cardinality", output_field=whole)
    if isinstance(field, models.BinaryField):
        return Func(name, function="octet_length", output_field=whole)
    return Case(
        When(**{f"{name}__isnull": False}, then=Value(1)),
        default=Value(0),
        output_field=whole,
    )


def _parse(given: Sequence[str]) -> UUID | None:
    """Return the one id that was given, or None."""
    if len(given) != 1:
        return None
    try:
        return UUID(given[0].strip())
    except ValueError:
        return None
