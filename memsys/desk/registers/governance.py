"""Holds, policy texts, the field registry, releases, and sealed access rows.

>>> admin.site.register(LegalHold, LegalHoldAdmin)  # doctest: +SKIP
"""

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from consent import releases
from consent.models import LegalHold, PolicyVersion, ProfileField, ReleasePolicy
from memsys.desk.permissions import Permission
from memsys.desk.registers.marks import change_column, staff_column
from memsys.desk.registers.panels import hold_panel
from memsys.desk.registers.queues import QueueAdmin
from memsys.desk.registers.texts import policy_panel, release_panel
from memsys.desk.roles import may
from memsys.kernel.pages.actors import actor_column
from memsys.kernel.pages.columns import (
    Column,
    column,
    full_id,
    hexadecimal,
    in_language,
    linked,
    listed,
    row_id,
    shown,
    visible_text,
)
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section


def _covers(row: LegalHold) -> Any:
    if row.memory is not None:
        return _("One memory")
    return _("One relationship") if row.relationship_id else _("All of the user")


class BarringFilter(SimpleListFilter):
    """Holds that bar something, and those that were lifted."""

    title = _("Standing")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("in_force", _("In force")), ("lifted", _("Lifted"))]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[LegalHold]
    ) -> QuerySet[LegalHold]:
        if self.value() in ("in_force", "lifted"):
            return queryset.filter(lifted_at__isnull=self.value() == "in_force")
        return queryset


class LegalHoldAdmin(QueueAdmin):
    kind = "hold"
    list_display = (
        row_id,
        column("covers", _covers, label=_("Covers")),
        linked("global_user", text="global_user__external_id"),
        linked("relationship"),
        shown("reason_code"),
        shown("case_ref"),
        "placed_at",
        "lifted_at",
    )
    list_select_related = ("global_user",)
    list_filter = (BarringFilter,)
    extra_lookups = ("relationship", "global_user")
    sections = (
        section(
            _("Hold"),
            full_id,
            column("covers", _covers, label=_("Covers")),
            linked("global_user", text="global_user__external_id"),
            linked("relationship"),
            shown("memory"),
            shown("reason_code"),
            shown("case_ref"),
        ),
        section(
            _("Who and when"),
            actor_column("placed_by"),
            "placed_at",
            actor_column("lifted_by"),
            "lifted_at",
            change_column(),
        ),
    )

    def panel(self, request: HttpRequest, row: LegalHold) -> Any:
        return hold_panel(request, row)


def _in_its_language(name: str) -> Column:
    """Return the column of a text that is in the language of its row."""
    return column(name, lambda row: in_language(getattr(row, name), row.locale))


class PolicyVersionAdmin(QueueAdmin):
    kind = "policy_text"
    ordering = ("document", "locale", "-number", "pk")
    list_display = (
        shown("document"),
        shown("locale"),
        "number",
        _in_its_language("title"),
        "is_material",
        "published_at",
        "renewal_from",
    )
    list_filter = ("is_material",)
    extra_lookups = ("document", "locale")
    sections = (
        section(
            _("Text"),
            shown("document"),
            "number",
            shown("locale"),
            _in_its_language("title"),
            _in_its_language("text"),
            shown("sha256"),
        ),
        section(
            _("Standing"),
            "is_material",
            "published_at",
            "renewal_from",
            change_column(),
        ),
    )

    def panel(self, request: HttpRequest, row: PolicyVersion) -> Any:
        return policy_panel(request, row)


def _label(row: ProfileField) -> Any:
    return visible_text(row.label_in(get_language()))


def _purpose(row: ProfileField) -> Any:
    return visible_text(row.purpose_in(get_language()))


def _in(language: str, name: str) -> Column:
    return column(name, lambda row: in_language(getattr(row, name), language))


class ProfileFieldAdmin(ReadOnlyAdmin):
    kind = "field"
    ordering = ("data_class", "pk")
    list_display = (
        shown("key"),
        column("label", _label),
        "data_class",
        column("purpose", _purpose),
        "retention_days",
        "in_prompt",
    )
    list_filter = ("data_class", "in_prompt")
    sections = (
        section(
            _("Field"),
            shown("key"),
            _in("en", "label"),
            _in("zh-hans", "label_zh"),
            "data_class",
            _in("en", "purpose"),
            _in("zh-hans", "purpose_zh"),
            listed("allowed"),
            "max_chars",
            "retention_days",
            "in_prompt",
        ),
    )


def _standing(row: ReleasePolicy) -> Any:
    if row.revoked_at is not None:
        return _("Stopped")
    is_in_force = releases.is_in_force(row, now=timezone.now())
    return _("In force") if is_in_force else _("Not in force")


class ReleasePolicyAdmin(QueueAdmin):
    kind = "release"
    list_before_template = "desk/list_links.html"
    list_display = (
        row_id,
        linked("field", text="field__key"),
        column("standing", _standing, label=_("Standing")),
        shown("purpose"),
        "recipient_kind",
        staff_column("proposed_by"),
        staff_column("approved_by"),
        "expires_at",
    )
    list_select_related = ("field",)
    list_filter = ("data_class", "recipient_kind")
    extra_lookups = ("field",)
    sections = (
        section(
            _("Release"),
            full_id,
            linked("field", text="field__key"),
            "data_class",
            column("standing", _standing, label=_("Standing")),
            shown("purpose"),
            "recipient_kind",
            linked("creator", text="creator__external_id"),
            linked("persona", text="persona__display_name"),
            shown("assessment_ref"),
            "expires_at",
        ),
        section(
            _("Both signatures"),
            staff_column("proposed_by"),
            "proposed_at",
            staff_column("approved_by"),
            "approved_at",
            change_column(),
            staff_column("revoked_by"),
            "revoked_at",
        ),
    )

    def list_context(self, request: HttpRequest) -> dict[str, Any]:
        """Return the way to ask for another release."""
        if not may(request.user, Permission.PROPOSE_RELEASE):
            return {}
        url = reverse("admin:propose_release")
        return {"list_links": [(_("Ask for a release"), url)]}

    def panel(self, request: HttpRequest, row: ReleasePolicy) -> Any:
        return release_panel(request, row)


class AccessBatchAdmin(ReadOnlyAdmin):
    list_display = (row_id, "rows", "first_at", "last_at", "sealed_at")
    sections = (
        section(
            _("Batch"),
            full_id,
            "rows",
            "first_at",
            "last_at",
            "sealed_at",
            hexadecimal("digest"),
        ),
    )
