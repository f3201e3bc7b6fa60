"""Queues: what people asked for, what waits for a second person, runs of rights.

>>> admin.site.register(SubjectRequest, SubjectRequestAdmin)  # doctest: +SKIP
"""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from consent import erasures
from consent.models import ChangeRequest, ErasureRun, ExportRun, SubjectRequest
from consent.types import RequestState
from memsys.desk.following import may_follow
from memsys.desk.permissions import Permission
from memsys.desk.registers.marks import due_column, kind_column, staff_column
from memsys.desk.registers.panels import (
    change_panel,
    erasure_panel,
    export_panel,
)
from memsys.desk.registers.requests import (
    StandingFilter,
    WorkerFilter,
    request_panel,
)
from memsys.desk.roles import may
from memsys.desk.subjects import requests_within_reach, runs_within_reach
from memsys.kernel.pages.actors import actor_column
from memsys.kernel.pages.columns import (
    column,
    full_id,
    in_lines,
    linked,
    listed,
    row_id,
    shown,
    visible_text,
)
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section

OPEN_STATES = (RequestState.OPEN, RequestState.PAUSED)


class QueueAdmin(ReadOnlyAdmin):
    """A queue; the page of a row shows what can be done with it."""

    change_form_outer_before_template = "desk/panel.html"

    def row_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return the deeds on the row."""
        try:
            key = UUID(object_id)
        except ValueError:
            return {}
        row = self.get_queryset(request).filter(pk=key).first()
        if row is None:
            return {}
        panel = self.panel(request, row)
        links = tuple(one for one in panel.links if may_follow(request.user, one[1]))
        return {"panel": replace(panel, links=links)}

    def panel(self, request: HttpRequest, row: Any) -> Any:
        """Return what stands before the facts of a row."""
        raise NotImplementedError


def _is_open(row: SubjectRequest) -> bool:
    return row.state in OPEN_STATES


class SubjectRequestAdmin(QueueAdmin):
    kind = "request"
    is_view_recorded = True
    ordering = ("due_date", "pk")
    list_display = (
        shown("number"),
        "kind",
        "state",
        due_column(_is_open),
        linked("global_user", text="global_user__external_id"),
        staff_column("assigned_to"),
        "received_at",
    )
    list_select_related = ("global_user",)
    list_filter = (StandingFilter, "kind", WorkerFilter)
    extra_lookups = ("global_user", "assigned_to", "state")
    search_fields = ("number__exact",)
    search_help_text = _("Number, as in R-20261201-7K3QF80A1")
    sections = (
        section(
            _("Request"),
            full_id,
            shown("number"),
            "kind",
            "state",
            due_column(_is_open),
            linked("global_user", text="global_user__external_id"),
            linked("relationship"),
            staff_column("assigned_to"),
        ),
        section(
            _("What became of it"),
            "received_at",
            actor_column("received_by"),
            "paused_at",
            shown("pause_code"),
            "closed_at",
            actor_column("closed_by"),
            shown("outcome_code"),
            listed("deeds"),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[SubjectRequest]:
        """Return all requests; of support, their own and those that nobody has."""
        rows: QuerySet[SubjectRequest] = requests_within_reach(
            request.user, super().get_queryset(request)
        )
        return rows

    def panel(self, request: HttpRequest, row: SubjectRequest) -> Any:
        return request_panel(request, row)


class ChangeRequestAdmin(QueueAdmin):
    kind = "change"
    list_display = (
        row_id,
        kind_column(),
        "state",
        shown("object_ref"),
        staff_column("requested_by"),
        "requested_at",
        "expires_at",
        staff_column("decided_by"),
    )
    list_filter = ("state",)
    extra_lookups = ("kind", "object_ref")
    sections = (
        section(
            _("What is asked for"),
            full_id,
            kind_column(),
            shown("object_ref"),
            shown("reason"),
            staff_column("requested_by"),
            "requested_at",
            "expires_at",
        ),
        section(
            _("What was decided"),
            "state",
            staff_column("decided_by"),
            "decided_at",
            shown("decision_note"),
            "finished_at",
            listed("result"),
        ),
    )

    def panel(self, request: HttpRequest, row: ChangeRequest) -> Any:
        return change_panel(request, row)


def _stays(row: ErasureRun) -> Any:
    sentences = erasures.describe_stays(row.stays)
    return in_lines(visible_text(one.why) for one in sentences)


class ErasureRunAdmin(QueueAdmin):
    kind = "erasure"
    list_before_template = "desk/list_links.html"
    list_display = (
        row_id,
        "target",
        "state",
        linked("relationship"),
        actor_column("requested_by"),
        shown("reason_code"),
        "requested_at",
        "run_from",
        "finished_at",
    )
    list_filter = ("state", "target")
    extra_lookups = ("relationship", "global_user")
    search_fields = ("receipt_code__exact",)
    search_help_text = _("Code of the receipt")
    sections = (
        section(
            _("What was asked for"),
            full_id,
            "target",
            linked("global_user", text="global_user__external_id"),
            linked("relationship"),
            shown("memory"),
            actor_column("requested_by"),
            shown("reason_code"),
            "requested_at",
            "run_from",
        ),
        section(
            _("Receipt"),
            shown("receipt_code"),
            "state",
            listed("counts"),
            column("stays", _stays),
            "finished_at",
            "verify_from",
            "verified_at",
            listed("residue"),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[ErasureRun]:
        """Return all erasures; of support, those of people whom they work for."""
        rows: QuerySet[ErasureRun] = super().get_queryset(request)
        within: QuerySet[ErasureRun] = runs_within_reach(request.user, rows)
        return within

    def list_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the way to ask for the erasure of several people."""
        if not may(request.user, Permission.PROPOSE_BULK_ERASURE):
            return {}
        url = reverse("admin:erase_several")
        return {"list_links": [(_("Erase several users"), url)]}

    def panel(self, request: HttpRequest, row: ErasureRun) -> Any:
        return erasure_panel(request, row)


class ExportRunAdmin(QueueAdmin):
    kind = "export"
    list_before_template = "desk/list_links.html"
    list_display = (
        row_id,
        "state",
        "progress",
        linked("global_user", text="global_user__external_id"),
        linked("relationship"),
        actor_column("requested_by"),
        "requested_at",
        "expires_at",
    )
    list_select_related = ("global_user",)
    list_filter = ("state",)
    extra_lookups = ("relationship", "global_user")
    sections = (
        section(
            _("Export"),
            full_id,
            "state",
            "progress",
            linked("global_user", text="global_user__external_id"),
            linked("relationship"),
            listed("parts"),
            listed("formats"),
            actor_column("requested_by"),
            shown("reason_code"),
            "requested_at",
        ),
        section(
            _("File"),
            "ready_at",
            "expires_at",
            "taken_at",
            actor_column("taken_by"),
            "size_bytes",
            shown("sha256"),
            shown("error_code"),
        ),
    )

    def list_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the way to ask for exports of several users."""
        if not may(request.user, Permission.EXPORT):
            return {}
        url = reverse("admin:export_several")
        return {"list_links": [(_("Export several users"), url)]}

    def panel(self, request: HttpRequest, row: ExportRun) -> Any:
        return export_panel(request, row)
