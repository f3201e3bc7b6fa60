"""Pages of the recall policies; they change by two persons' approval, not here."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from memsys.kernel.pages.columns import full_id, linked, row_id, shown
from memsys.kernel.pages.read_only import ReadOnlyAdmin, section
from recall.models import RecallPolicy


@admin.register(RecallPolicy)
class RecallPolicyAdmin(ReadOnlyAdmin):
    list_display = (
        row_id,
        linked("persona", text="persona__display_name"),
        shown("scenario"),
        "fusion",
        "weight_vector",
        "top_k",
        "created_at",
    )
    list_select_related = ("persona",)
    sections = (
        section(
            _("Where it counts"),
            full_id,
            linked("persona", text="persona__display_name"),
            shown("scenario"),
            "created_at",
        ),
        section(
            _("Weights"),
            "fusion",
            "weight_vector",
            "weight_recency",
            "weight_importance",
            "date_bonus",
            "rrf_k",
        ),
        section(_("Caps"), "top_k", "per_session"),
        section(_("Signals"), "allow_payment_signal", "allow_emotion_signal"),
    )
