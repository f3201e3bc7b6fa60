"""The base of every route.

Owns what all of them share: the caller, the clock and the headers.

>>> class SessionsEndView(ApiView):  # doctest: +SKIP
...     scopes = {"POST": Scope.SESSION_WRITE}
"""

from datetime import datetime
from typing import Any, ClassVar

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memsys.api.authentication import Caller
from memsys.api.errors import LengthRequired
from memsys.api.parsers import JsonNegotiation
from memsys.api.permissions import HasScope
from memsys.api.throttling import KeyRate


class ApiView(APIView):
    """Route that needs a service key; `scopes` names the scope of each method."""

    scopes: ClassVar[dict[str, str | None]] = {}

    http_method_names = ["get", "head", "post", "put", "delete"]
    permission_classes = [HasScope]
    throttle_classes = [KeyRate]
    content_negotiation_class = JsonNegotiation

    now: datetime
    extra_headers: dict[str, str]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Read the clock once a request, then let DRF check who and how often.

        Raises:
            LengthRequired: the body has no stated length.
        """
        self.now = timezone.now()
        self.extra_headers = {}
        super().initial(request, *args, **kwargs)
        # WSGI does not read what comes in pieces: it would be taken as no body.
        if "HTTP_TRANSFER_ENCODING" in request.META:
            raise LengthRequired("The length of the body is not told.")

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Add the headers of this request; nothing of the API is ever cached."""
        final = super().finalize_response(request, response, *args, **kwargs)
        for name, value in getattr(self, "extra_headers", {}).items():
            final.headers[name] = value
        final.headers["Cache-Control"] = "no-store"
        return final

    @property
    def caller(self) -> Caller:
        """Return who calls; permissions have seen to it that there is somebody."""
        caller = self.request.auth
        assert isinstance(caller, Caller)
        return caller

    @property
    def actor(self) -> str:
        """Return under which name this request's deeds are recorded."""
        return self.caller.actor
