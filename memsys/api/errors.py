"""Errors of the API, and the only place where an error becomes an HTTP status.

Owns the errors that callers of the API cause, the table from error code to status,
and the handlers that DRF and Django call. No answer repeats input or an exception's
text.

>>> STATUSES["not-found"]
404
"""

import logging
from collections.abc import Callable, Iterator
from math import ceil
from typing import Any

from django.core.exceptions import (
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.db import InterfaceError, OperationalError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    JsonResponse,
    UnreadablePostError,
)
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response

from consent.errors import (
    ConsentError,
    HeldByLaw,
    InvalidConsent,
    InvalidExport,
    InvalidProfileValue,
)
from identity.errors import IdentityError, InvalidTimeZone
from memories.errors import EmptyStatement, InvalidMessage, MemoriesError
from memsys.api.problems import MEDIA_TYPE, FieldError, Problem, trace_id_of
from memsys.kernel.text.clean import InvalidIdentifier
from recall.errors import RecallError

logger = logging.getLogger("memsys.api")

RETRY_AFTER_SECONDS = 2


class ApiError(Exception):
    """Base of the errors of the API."""

    code = "api-error"


class UnknownScope(ApiError):
    """A key was asked for with a scope that does not exist, or with none."""

    code = "unknown-scope"


class ForbiddenScopes(ApiError):
    """No single key may hold these scopes together."""

    code = "forbidden-scopes"


class InvalidExpiry(ApiError):
    """A key must expire, after now and within the longest life of a key."""

    code = "invalid-expiry"


class KeyNotFound(ApiError):
    """There is no live key with this prefix."""

    code = "key-not-found"


class InvalidJson(ApiError):
    """The body is not one strict JSON object."""

    code = "invalid-json"


class LengthRequired(ApiError):
    """The body came in pieces, without its length."""

    code = "length-required"


class InvalidCursor(ApiError):
    """The cursor was not made here, or for another question."""

    code = "invalid-cursor"


class NotReachable(ApiError):
    """Unknown, or not for this key: the caller cannot tell which."""

    code = "not-found"


class RequestInProgress(ApiError):
    """A request with the same idempotency key still runs."""

    code = "request-in-progress"


class IdempotencyKeyReused(ApiError):
    """The idempotency key was used before, for another request."""

    code = "idempotency-key-reused"


# Errors whose stable code tells the status; everything else is 500.
DOMAIN_ERRORS = (ApiError, IdentityError, ConsentError, MemoriesError, RecallError)

STATUSES = {
    "invalid-json": 400,
    "invalid-cursor": 400,
    "not-found": 404,
    "length-required": 411,
    "request-in-progress": 409,
    "intake-conflict": 409,
    "memory-conflict": 409,
    "status-conflict": 409,
    "legal-hold": 409,
    "erasure-not-undoable": 409,
    "export-not-ready": 409,
    "export-gone": 410,
    "too-many-webhooks": 409,
    "webhook-body-gone": 409,
    "sensitive-without-grant": 422,
    "policy-text-mismatch": 422,
    "policy-text-outdated": 409,
    "evidence-reused": 409,
    "minor-cannot-consent": 403,
    "guardian-needed": 403,
    "idempotency-key-reused": 422,
    "relationship-ended": 403,
    "relationship-paused": 403,
    "relationship-restricted": 403,
    "user-closed": 403,
    "minor-restricted": 403,
    "embedding-failed": 503,
    "erasure-ledger-behind": 503,
    "erasure-ledger-damaged": 503,
    "erasure-ledger-unwritable": 503,
}

# Of DRF's own errors: the code and the status of each.
_FRAMEWORK: tuple[tuple[type[Exception], str, int], ...] = (
    (exceptions.NotAuthenticated, "missing-key", 401),
    (exceptions.AuthenticationFailed, "invalid-key", 401),
    (exceptions.PermissionDenied, "missing-scope", 403),
    (exceptions.NotFound, "not-found", 404),
    (exceptions.MethodNotAllowed, "method-not-allowed", 405),
    (exceptions.NotAcceptable, "not-acceptable", 406),
    (exceptions.UnsupportedMediaType, "unsupported-media-type", 415),
    (exceptions.Throttled, "rate-limited", 429),
    (Http404, "not-found", 404),
    (PermissionDenied, "missing-scope", 403),
    (RequestDataTooBig, "too-large", 413),
    (SuspiciousOperation, "invalid-request", 400),
    (exceptions.ParseError, "invalid-json", 400),
    (UnreadablePostError, "invalid-json", 400),
)
_LATER = {"Retry-After": str(RETRY_AFTER_SECONDS)}


def problem_response(exc: Exception, context: dict[str, Any]) -> Response:
    """Return the problem for any error that a view lets through; DRF calls this."""
    request = context["request"]
    problem = problem_of(exc)
    trace_id = trace_id_of(request)
    if problem.status >= 500:
        logger.error(
            "api.failed",
            exc_info=exc,
            extra={"trace_id": trace_id, "status": problem.status},
        )
    return Response(
        problem.body(trace_id=trace_id),
        status=problem.status,
        headers=dict(problem.headers),
        content_type=MEDIA_TYPE,
    )


def problem_of(exc: Exception) -> Problem:
    """Return what an error means to the caller."""
    if isinstance(exc, exceptions.ValidationError):
        return Problem("invalid-request", 400, errors=tuple(_faults(exc.detail)))
    if (fault := _find_fault(exc)) is not None:
        return Problem("invalid-request", 400, errors=(fault,))
    if isinstance(exc, HeldByLaw):
        return Problem(exc.code, 409, holds=tuple(map(str, exc.holds)))
    if isinstance(exc, DOMAIN_ERRORS) and exc.code in STATUSES:
        status = STATUSES[exc.code]
        return Problem(exc.code, status, headers=_LATER if status == 503 else {})
    for error, code, status in _FRAMEWORK:
        if isinstance(exc, error):
            return Problem(code, status, headers=_headers(exc))
    if isinstance(exc, OperationalError | InterfaceError):
        return Problem("unavailable", 503, headers=_LATER)
    return Problem("internal-error", 500)


def _find_fault(exc: Exception) -> FieldError | None:
    """Return the fault of one field that a domain service found."""
    if isinstance(exc, InvalidIdentifier):
        return FieldError(exc.field, exc.code, exc.expected)
    if isinstance(exc, InvalidTimeZone):
        return FieldError("time_zone", exc.code, "a name of the tz database")
    if isinstance(exc, InvalidMessage):
        field = f"messages[{exc.index}].{exc.field}"
        return FieldError(field, exc.code, exc.expected)
    if isinstance(exc, InvalidConsent | InvalidExport):
        return FieldError(exc.field, exc.code, exc.expected)
    if isinstance(exc, InvalidProfileValue):
        field = f"fields.{exc.field}" if exc.field else "fields"
        return FieldError(field, exc.code, exc.expected)
    if isinstance(exc, EmptyStatement):
        return FieldError("text", exc.code, "at least one visible character")
    return None


def _headers(exc: Exception) -> dict[str, str]:
    headers = {}
    if (scheme := getattr(exc, "auth_header", None)) is not None:
        headers["WWW-Authenticate"] = str(scheme)
    if (seconds := getattr(exc, "wait", None)) is not None:
        headers["Retry-After"] = str(max(1, ceil(seconds)))
    return headers


def _faults(detail: Any, path: str = "") -> Iterator[FieldError]:
    """Yield each fault with its path, such as `messages[3].text`."""
    if isinstance(detail, exceptions.ErrorDetail):
        code = str(detail.code).replace("_", "-")
        yield FieldError(path, code, str(detail))
    elif isinstance(detail, dict):
        for name, inner in detail.items():
            yield from _faults(inner, _join(path, name))
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            is_item = isinstance(inner, dict | list)
            yield from _faults(inner, _join(path, index) if is_item else path)


def _join(path: str, name: Any) -> str:
    if name == "non_field_errors":
        return path
    if isinstance(name, int):
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else str(name)


# What Django answers itself, outside of any view.

Page = Callable[..., HttpResponse]


def _answer(
    request: HttpRequest, problem: Problem, page: Page, *args: Any
) -> HttpResponse:
    if not request.path.startswith("/api/"):
        return page(request, *args)
    return JsonResponse(
        problem.body(trace_id=trace_id_of(request)),
        status=problem.status,
        content_type=MEDIA_TYPE,
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django refuses before any view, such as a foreign Host header."""
    problem = Problem("invalid-request", 400)
    return _answer(request, problem, defaults.bad_request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what is refused outside of the API's views."""
    problem = Problem("forbidden", 403)
    return _answer(request, problem, defaults.permission_denied, exception)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that leads nowhere."""
    problem = Problem("not-found", 404)
    answer: HttpResponse = _answer(request, problem, defaults.page_not_found, exception)
    return answer


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error outside of the API's views; Django has logged it."""
    problem = Problem("internal-error", 500)
    return _answer(request, problem, defaults.server_error)
