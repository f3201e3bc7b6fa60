"""Pages of other apps with the deeds of the desk on them: users, recall policies.

>>> admin.site.register(GlobalUser, PersonAdmin)  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.http import HttpRequest

from identity.admin import GlobalUserAdmin
from memsys.desk.deeds import list_policy_deeds, list_user_deeds
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
