"""The page of one relationship: its sides, its standing, all that happened, the deeds.

Owns no words of a person: those are behind its links, which carry the relationship.

>>> admin.site.register(Relationship, RelationshipAdmin)  # doctest: +SKIP
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from identity.models import Relationship
from memories.models import (
    ErasureTombstone,
    Memory,
    Message,
    MessageFingerprint,
    ModelAnswer,
)
from memsys.desk.deeds import list_deeds
from memsys.desk.following import may_follow
from memsys.desk.notices import list_notices
from memsys.desk.subjects import open_relationship, within_reach
from memsys.desk.timeline import Cursor, EventKind, InvalidCursor, Page, read_page
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.pages.actors import know_staff
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
CONTENT = (Message, Memory, MessageFingerprint, ModelAnswer, ErasureTombstone)


LISTS: Mapping[str, Any] = {
    **{f"related_{one._meta.model_name}": one for one in CONTENT},
    "audit": AuditEntry,
}


def _may(request: HttpRequest, field: Any) -> bool:
    """Say whether a person may open the list that a column leads to, if it leads to one."""
    model = LISTS.get(getattr(field, "__name__", ""))
    return model is None or may_follow(request.user, list_url(model))


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
            pgettext_lazy("both sides", "Who"),
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
            "retention_at",
            "inactive_noticed_at",
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

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Return the sections, without lists that the person may not open."""
        shown = [
            (title, {"fields": [one for one in told["fields"] if _may(request, one)]})
            for title, told in super().get_fieldsets(request, obj)
        ]
        return [section for section in shown if section[1]["fields"]]

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
        know_staff()
        try:
            page = read_page(
                relationship, kinds=_chosen(kinds), cursor=_cursor(request)
            )
        except InvalidCursor as exc:
            raise Http404 from exc
        return {
            "timeline": _with_links_for(request.user, page),
            "deeds": list_deeds(request.user, relationship),
            "notices": list_notices(request.user, relationship),
            "kinds": [(one, one.label, one in kinds) for one in EventKind],
            "older": _older(kinds, page),
            "is_first_page": "after" not in request.GET,
        }


def _with_links_for(user: Any, page: Page) -> Page:
    """Return the page with those links alone that the person may follow."""
    events = tuple(
        replace(
            event,
            links=tuple(one for one in event.links if may_follow(user, one[1])),
        )
        for event in page.events
    )
    return replace(page, events=events)


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
