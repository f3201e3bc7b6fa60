"""Pages of memories, in versions, and of what erasing leaves.

>>> MemoryAdmin.extra_lookups
('source_session', 'lineage')
"""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from memories.models import (
    ErasureTombstone,
    Memory,
    Message,
)
from memsys.kernel.pages.columns import (
    BYTES,
    CHARACTERS,
    ENTRIES,
    column,
    full_id,
    in_lines,
    link,
    linked,
    masked,
    moment,
    page_url,
    related,
    row_id,
    short_id,
    shown,
)
from memsys.kernel.pages.content import ContentAdmin
from memsys.kernel.pages.read_only import section

OF_LINEAGE = {"relationship": "relationship_id", "lineage": "lineage"}


class VersionFilter(admin.SimpleListFilter):
    """The version of each memory that is known now, or those before it."""

    title = _("version")
    parameter_name = "version"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("current", _("Known now")), ("earlier", _("Known earlier"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Memory]
    ) -> QuerySet[Memory]:
        match self.value():
            case "current":
                return queryset.filter(recorded_to=None)
            case "earlier":
                return queryset.filter(recorded_to__isnull=False)
        return queryset


def _evidence(row: Memory) -> Any:
    """Return a line for each message that a memory stands on: its link and date.

    The date stays when the message is gone, and so does the link, which says so.
    """
    dates = dict(zip(row.evidence, row.evidence_at, strict=False))
    choice = f"?relationship={row.relationship_id}"
    return in_lines(
        format_html(
            "{} {}",
            link(page_url(Message, one) + choice, short_id(one)),
            moment(dates[one]) if one in dates else "",
        )
        for one in row.evidence
    )


def _doors(row: Memory) -> Any:
    """Return the ways to the words: opening them takes a reason."""
    key = ("memory", row.relationship_id, row.lineage)
    return format_html(
        "{} · {}",
        link(reverse("admin:reveal", args=key), _("Open, with a reason")),
        link(reverse("admin:readers", args=key), _("Who saw it")),
    )


@admin.register(Memory)
class MemoryAdmin(ContentAdmin):
    masked_fields = ("key", "value", "polarity", "text", "embedding", "tokens")
    ordering = ("-recorded_at", "-pk")
    list_display = (
        row_id,
        "kind",
        masked("text", unit=CHARACTERS),
        "status",
        "visibility",
        "author",
        "occurred_at",
        "recorded_at",
        "recorded_to",
    )
    list_filter = (
        VersionFilter, "kind", "tier", "status", "visibility", "author", "is_flagged",
    )  # fmt: skip
    extra_lookups = ("source_session", "lineage")
    sections = (
        section(
            _("Statement"),
            full_id,
            related(_("All versions"), Memory, by=OF_LINEAGE),
            column("reveal", _doors, label=_("Words")),
            "kind",
            "subject",
            "dimension",
            masked("key", unit=CHARACTERS),
            masked("value", unit=CHARACTERS),
            masked("polarity"),
            masked("text", unit=CHARACTERS),
            masked("tokens", unit=ENTRIES),
            masked("embedding"),
            shown("embedding_model"),
        ),
        section(
            _("Where it comes from"),
            "author",
            linked("source_session"),
            column("evidence", _evidence),
            "is_flagged",
        ),
        section(
            _("Standing"),
            "tier",
            "status",
            "visibility",
            shown("sensitive_category"),
            "importance",
            "uses",
            "stability_days",
        ),
        section(
            _("Time"),
            "occurred_at",
            "due_at",
            "due_until",
            "valid_from",
            "valid_to",
            "recorded_at",
            "recorded_to",
            "corrected_at",
            shown("superseded_by"),
        ),
    )

    def reference_of(self, row: Memory) -> str:
        """Return the memory's stable id: versions are one memory to the audit."""
        return f"memory:{row.lineage}"


@admin.register(ErasureTombstone)
class ErasureTombstoneAdmin(ContentAdmin):
    masked_fields = ("salt", "digest")
    list_display = (row_id, masked("digest", unit=BYTES), "blocks_until")
    sections = (
        section(
            None,
            full_id,
            masked("salt", unit=BYTES),
            masked("digest", unit=BYTES),
            "blocks_until",
        ),
    )
