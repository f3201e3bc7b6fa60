"""Queues: what people asked for, what waits for a second person, runs of rights.

>>> admin.site.register(SubjectRequest, SubjectRequestAdmin)  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from consent.models import ChangeRequest, ErasureRun, ExportRun, SubjectRequest
from consent.types import RequestState
from memsys.desk.registers.marks import due_column, staff_column
from memsys.desk.registers.panels import (
    change_panel,
    erasure_panel,
    export_panel,
)
from memsys.desk.registers.requests import request_panel
from memsys.desk.roles import Reach, reach_of
from memsys.kernel.pages.columns import full_id, linked, listed, row_id, shown
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
        return {"panel": self.panel(request, row)} if row is not None else {}

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
    list_filter = ("state", "kind")
    extra_lookups = ("global_user", "assigned_to")
    search_fields = ("number__exact",)
    search_help_text = _("Number, as in R-20261201-00042")
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
            shown("received_by"),
            "paused_at",
            shown("pause_code"),
            "closed_at",
            shown("closed_by"),
            shown("outcome_code"),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[SubjectRequest]:
        """Return all requests; of support, their own and those that nobody has."""
        rows: QuerySet[SubjectRequest] = super().get_queryset(request)
        if reach_of(request.user) == Reach.OWN_REQUESTS:
            rows = rows.filter(Q(assigned_to=request.user.pk) | Q(assigned_to=None))
        return rows

    def panel(self, request: HttpRequest, row: SubjectRequest) -> Any:
        return request_panel(request, row)


class ChangeRequestAdmin(QueueAdmin):
    kind = "change"
    list_display = (
        row_id,
        shown("kind"),
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
            shown("kind"),
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


class ErasureRunAdmin(QueueAdmin):
    kind = "erasure"
    list_display = (
        row_id,
        "target",
        "state",
        linked("relationship"),
        shown("requested_by"),
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
            linked("relationship"),
            shown("memory"),
            shown("requested_by"),
            shown("reason_code"),
            "requested_at",
            "run_from",
        ),
        section(
            _("Receipt"),
            shown("receipt_code"),
            "state",
            listed("counts"),
            listed("stays"),
            "finished_at",
            "verify_from",
            "verified_at",
            listed("residue"),
        ),
    )

    def panel(self, request: HttpRequest, row: ErasureRun) -> Any:
        return erasure_panel(request, row)


class ExportRunAdmin(QueueAdmin):
    kind = "export"
    list_display = (
        row_id,
        "state",
        "progress",
        linked("global_user", text="global_user__external_id"),
        linked("relationship"),
        shown("requested_by"),
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
            shown("requested_by"),
            shown("reason_code"),
            "requested_at",
        ),
        section(
            _("File"),
            "ready_at",
            "expires_at",
            "taken_at",
            shown("taken_by"),
            "size_bytes",
            shown("sha256"),
            shown("error_code"),
        ),
    )

    def panel(self, request: HttpRequest, row: ExportRun) -> Any:
        return export_panel(request, row)
