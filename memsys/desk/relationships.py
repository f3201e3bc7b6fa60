"""The page of one relationship: its sides, its standing, all that happened, the deeds.

Owns no words of a person: those are behind its links, which carry the relationship.

>>> admin.site.register(Relationship, RelationshipAdmin)  # doctest: +SKIP
"""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext_lazy as _

from identity.models import Relationship
from memories.models import (
    ErasureTombstone,
    Memory,
    Message,
    MessageFingerprint,
    ModelAnswer,
)
from memsys.desk.deeds import list_deeds
from memsys.desk.subjects import open_relationship, within_reach
from memsys.desk.timeline import Cursor, EventKind, InvalidCursor, Page, read_page
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.pages.columns import (
    column,
    full_id,
    link,
    linked,
    list_url,
    related,
    row_id,
    shown,
)
from memsys.kernel.pages.labels import LABELS
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section
from memsys.kernel.sharding.ids import bucket_of_user

OF_THIS = {"relationship": "pk"}


def _audit_link(row: Relationship) -> Any:
    return link(f"{list_url(AuditEntry)}?q=relationship:{row.pk}", _("Open"))


class RelationshipAdmin(ReadOnlyAdmin):
    is_view_recorded = True
    change_form_outer_before_template = "desk/deeds.html"
    change_form_outer_after_template = "desk/timeline.html"
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
        """Return the relationships within reach, with their sides, which both pages name."""
        rows: QuerySet[Relationship] = super().get_queryset(request).with_sides()
        within: QuerySet[Relationship] = within_reach(request.user, rows)
        return within

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
        """Return the timeline and the deeds; as many queries as it has sources."""
        key = _parse(object_id)
        if key is None:
            return {}
        relationship = open_relationship(request.user, key)
        kinds = [one for one in request.GET.getlist("kind") if one in EventKind]
        try:
            page = read_page(
                relationship, kinds=_chosen(kinds), cursor=_cursor(request)
            )
        except InvalidCursor as exc:
            raise Http404 from exc
        return {
            "timeline": page,
            "deeds": list_deeds(request.user, relationship),
            "kinds": [(one, one.label, one in kinds) for one in EventKind],
            "older": _older(kinds, page),
            "is_first_page": "after" not in request.GET,
        }


def _chosen(kinds: list[str]) -> list[EventKind] | None:
    return [EventKind(one) for one in kinds] or None


def _cursor(request: HttpRequest) -> Cursor | None:
    text = request.GET.get("after")
    return Cursor.read(text) if text else None


def _older(kinds: list[str], page: Page) -> str:
    """Return the address of the next page of the timeline; empty after the last."""
    if page.next is None:
        return ""
    query = [("kind", one) for one in kinds] + [("after", page.next.write())]
    return f"?{urlencode(query)}#timeline"


def _parse(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
