"""The page of one relationship: its sides, its standing, and the ways on from it.

Owns no content: that is behind its links, which carry the relationship.

>>> admin.site.register(Relationship, RelationshipAdmin)  # doctest: +SKIP
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from identity.models import CustodyTransfer, Relationship
from memories.models import (
    ChatSession,
    ErasureTombstone,
    Memory,
    Message,
    MessageFingerprint,
    ModelAnswer,
)
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.pages.columns import (
    column,
    full_id,
    link,
    linked,
    list_url,
    moment,
    page_url,
    related,
    row_id,
    short_id,
    shown,
    visible_text,
)
from memsys.kernel.pages.labels import LABELS
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section
from memsys.kernel.sharding.ids import bucket_of_user

ROWS_SHOWN = 20
OF_THIS = {"relationship": "pk"}


@dataclass(frozen=True)
class Table:
    """A small table below a page; `url` leads to all of its rows."""

    title: Any
    headings: tuple[Any, ...]
    rows: tuple[tuple[Any, ...], ...]
    url: str


def _audit_link(row: Relationship) -> Any:
    return link(f"{list_url(AuditEntry)}?q=relationship:{row.pk}", _("Open"))


class RelationshipAdmin(ReadOnlyAdmin):
    is_view_recorded = True
    change_form_outer_after_template = "desk/tables.html"
    list_display = (
        row_id,
        shown("global_user__external_id"),
        shown("facet__key"),
        shown("persona__display_name"),
        shown("persona__creator__external_id", label=LABELS["creator"]),
        "status",
        "custody",
        "created_at",
    )
    list_select_related = ("facet", "global_user", "persona__creator")
    list_filter = ("status", "custody")
    extra_lookups = ("global_user", "persona")
    search_fields = ("global_user__external_id",)
    search_help_text = _("User's or relationship's id")
    sections = (
        section(
            _("Who"),
            full_id,
            linked("global_user", text="global_user__external_id"),
            linked("facet", text="facet__key"),
            shown("facet__nickname", label=LABELS["nickname"]),
            linked("persona", text="persona__display_name"),
            shown("persona__creator__external_id", label=LABELS["creator"]),
        ),
        section(
            _("Standing"),
            "status",
            "custody",
            "last_creator_message_at",
            "disclosed_at",
            shown("disclosure_version"),
            "memory_version",
            "created_at",
        ),
        section(
            _("Content, each look at it recorded"),
            related(_("Messages"), Message, by=OF_THIS),
            related(_("Memories"), Memory, by=OF_THIS),
            related(_("Fingerprints"), MessageFingerprint, by=OF_THIS),
            related(_("Answers of the model"), ModelAnswer, by=OF_THIS),
            related(_("Tombstones"), ErasureTombstone, by=OF_THIS),
            column("audit", _audit_link, label=_("Audit entries")),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Relationship]:
        """Return relationships with their sides, which both pages name."""
        rows: QuerySet[Relationship] = super().get_queryset(request).with_sides()
        return rows

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Find by the relationship's id or the user's external id: one shard each."""
        term = search_term.strip()
        if not term:
            return queryset, False
        key = _parse(term)
        if key is not None:
            return queryset.filter(pk=key), False
        return queryset.filter(
            shard=bucket_of_user(term), global_user__external_id=term
        ), False

    def row_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return the moves of custody and the last sessions. Two queries."""
        key = _parse(object_id)
        return {"tables": [_moves(key), _sessions(key)] if key is not None else []}


def _moves(key: UUID) -> Table:
    moves = CustodyTransfer.objects.filter(relationship_id=key)
    return Table(
        title=_("Moves of custody"),
        headings=(_("When"), _("From"), _("To"), _("Actor"), _("Reason code")),
        rows=tuple(
            (
                moment(move.moved_at),
                move.get_from_custody_display(),
                move.get_to_custody_display(),
                visible_text(move.actor),
                visible_text(move.reason_code),
            )
            for move in moves.order_by("-moved_at", "-pk")[:ROWS_SHOWN]
        ),
        url=f"{list_url(CustodyTransfer)}?relationship={key}",
    )


def _sessions(key: UUID) -> Table:
    sessions = ChatSession.objects.of(key)
    return Table(
        title=_("Last sessions"),
        headings=(
            _("Id"),
            _("Status"),
            _("Messages"),
            _("Memories"),
            _("Last message"),
            _("Ended"),
        ),  # fmt: skip
        rows=tuple(
            (
                link(page_url(ChatSession, session.pk), short_id(session.pk)),
                session.get_status_display(),
                session.message_count,
                session.memories_made,
                moment(session.last_message_at),
                moment(session.ended_at) if session.ended_at else None,
            )
            for session in sessions.order_by("-last_message_at", "-pk")[:ROWS_SHOWN]
        ),
        url=f"{list_url(ChatSession)}?relationship={key}",
    )


def _parse(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
