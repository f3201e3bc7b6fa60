"""May this key do this: the scope that a view names for each method.

>>> class PersonaView(ApiView):  # doctest: +SKIP
...     scopes = {"GET": Scope.RELATIONSHIP_ROUTE}
"""

from typing import TYPE_CHECKING

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from memsys.api.authentication import Caller

if TYPE_CHECKING:
    # The settings name this module, and DRF's views read the settings.
    from rest_framework.views import APIView


class HasScope(BasePermission):
    """Refuses a request without a key, or with one that lacks the route's scope."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """Allow methods that the view does not have: they are answered 405."""
        caller = request.auth
        if not isinstance(caller, Caller):
            return False
        method = "GET" if request.method == "HEAD" else str(request.method)
        scopes: dict[str, str | None] = getattr(view, "scopes", {})
        needed = scopes.get(method)
        if needed is None:
            return method in scopes or method not in view.allowed_methods
        return caller.may(needed)
