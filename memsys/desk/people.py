"""Pages of other apps with what the desk adds: deeds on them, and whose rows they show.

>>> admin.site.register(GlobalUser, PersonAdmin)  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest

from identity.admin import GlobalUserAdmin
from memories.admin.sessions import ChatSessionAdmin, ModelAttemptAdmin
from memsys.desk.deeds import list_policy_deeds, list_user_deeds
from memsys.desk.subjects import rows_within_reach
from recall.admin import RecallPolicyAdmin


class PersonAdmin(GlobalUserAdmin):
    change_form_outer_before_template = "desk/deeds.html"

    def row_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return the deeds on the user."""
        try:
            key = UUID(object_id)
        except ValueError:
            return {}
        return {"deeds": list_user_deeds(request.user, key)}


class PolicyAdmin(RecallPolicyAdmin):
    change_form_outer_before_template = "desk/deeds.html"

    def row_context(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return the deeds on the policy."""
        try:
            key = UUID(object_id)
        except ValueError:
            return {}
        return {"deeds": list_policy_deeds(request.user, key)}


class SessionAdmin(ChatSessionAdmin):
    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the sessions of relationships within reach."""
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows_within_reach(request.user, rows)  # type: ignore[no-any-return]


class AttemptAdmin(ModelAttemptAdmin):
    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the calls of the model for relationships within reach."""
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows_within_reach(request.user, rows)  # type: ignore[no-any-return]
