"""Pages of the audit chains, read as the staff's role; nobody writes them here."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from memsys.kernel.audit.models import AuditEntry, AuditHead, AuditPayload
from memsys.kernel.pages.actions import ACTIONS
from memsys.kernel.pages.actors import actor_column
from memsys.kernel.pages.columns import (
    BYTES,
    column,
    full_id,
    hexadecimal,
    listed,
    masked,
    row_id,
    shown,
)
from memsys.kernel.pages.content import with_sizes
from memsys.kernel.pages.read_only import StaffAdmin, section

CHAINS_SHOWN = 200


def _action(row: AuditEntry) -> Any:
    """Return what was done, in words and by the code that the chain holds."""
    code = format_html('<span class="desk-quiet desk-id">{}</span>', row.action)
    words = ACTIONS.get(row.action)
    return code if words is None else format_html("{}<br>{}", words, code)


class ChainFilter(admin.SimpleListFilter):
    """Entries of one chain; the chains are read from their heads."""

    title = _("chain")
    parameter_name = "chain"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        heads = AuditHead.objects.order_by("chain").values_list("chain", flat=True)
        return [(chain, chain) for chain in heads[:CHAINS_SHOWN]]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry]
    ) -> QuerySet[AuditEntry]:
        return queryset.filter(chain=self.value()) if self.value() else queryset


@admin.register(AuditEntry)
class AuditEntryAdmin(StaffAdmin):
    list_display = (
        "seq",
        "chain",
        "at",
        column("action", _action),
        actor_column("actor"),
        shown("object_ref"),
        shown("reason_code"),
    )
    list_filter = (ChainFilter,)
    search_fields = ("object_ref__exact",)
    search_help_text = _("Object, as in relationship:<id>")
    sections = (
        section(
            _("Deed"),
            full_id,
            "at",
            column("action", _action),
            actor_column("actor"),
            shown("object_ref"),
            listed("field_names"),
            shown("reason_code"),
        ),
        section(
            _("Place in the chain"),
            "chain",
            "seq",
            hexadecimal("commitment"),
            hexadecimal("previous"),
            hexadecimal("digest"),
        ),
    )


@admin.register(AuditHead)
class AuditHeadAdmin(StaffAdmin):
    ordering = ("chain",)
    list_display = ("chain", "seq", hexadecimal("digest"))
    sections = (section(None, "chain", "seq", hexadecimal("digest")),)


@admin.register(AuditPayload)
class AuditPayloadAdmin(StaffAdmin):
    list_display = (row_id, shown("subject"), masked("body"))
    sections = (
        section(
            None,
            full_id,
            shown("subject"),
            masked("body"),
            masked("salt", unit=BYTES),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditPayload]:
        return with_sizes(super().get_queryset(request), ("body", "salt"))
