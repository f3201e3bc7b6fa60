"""What the OpenAPI document says of the routes.

Owns `describe`, which each route is decorated with, and how our fields and the
service key look in the document. `manage.py spectacular` writes it to openapi.yaml.

>>> @describe(summary="End it", answer={200: SessionsEndOut})  # doctest: +SKIP
... def post(self, request): ...
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
)
from rest_framework import serializers

from memsys.api.idempotency import HEADER
from memsys.api.parsers import JSON
from memsys.api.problems import MEDIA_TYPE, TITLES, FieldError, Problem

ZIP = "application/zip"

Method = TypeVar("Method", bound=Callable[..., Any])

# What every route can answer besides its own.
_ALWAYS = {401: "invalid-key", 403: "missing-scope", 429: "rate-limited"}
_OFTEN = {400: "invalid-request", 404: "not-found", 503: "unavailable"}
_CLOSED = (
    "The key lacks the scope; or the relationship is closed: `relationship-ended`, "
    "`relationship-paused`, `relationship-restricted`, `user-closed`, "
    "`minor-restricted`."
)
_IDEMPOTENT = {409: "request-in-progress", 422: "idempotency-key-reused"}

_FAULT = FieldError(
    field="user",
    code="missing",
    expected="1 to 200 visible characters, no space at either end",
)
_BAD_REQUEST = OpenApiExample(
    "A missing field",
    Problem("invalid-request", 400, errors=(_FAULT,)).body(
        trace_id="4bf92f3577b34da6a3ce929d0e0e4736"
    ),
    media_type=MEDIA_TYPE,
)


class FieldErrorOut(serializers.Serializer[Any]):
    """One fault: where it is, which one, and what was expected."""

    field = serializers.CharField(allow_blank=True)
    code = serializers.CharField()
    expected = serializers.CharField()


class ProblemOut(serializers.Serializer[Any]):
    """Problem details (RFC 9457). `type` is stable; nothing repeats what was sent."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    trace_id = serializers.CharField()
    errors = FieldErrorOut(many=True)  # type: ignore[assignment]
    holds = serializers.ListField(child=serializers.UUIDField(), required=False)


class RouteSchema(AutoSchema):
    """Describes the body of DELETE too, which confirms an erasure."""

    def _get_request_body(self, direction: Any = "request") -> Any:
        is_delete = self.method == "DELETE"
        self.method = "POST" if is_delete else self.method
        try:
            return super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        finally:
            self.method = "DELETE" if is_delete else self.method


def describe(
    *,
    summary: str,
    answer: dict[int, type[serializers.BaseSerializer[Any]] | OpenApiTypes],
    request: type[serializers.BaseSerializer[Any]] | None = None,
    query: type[serializers.BaseSerializer[Any]] | None = None,
    examples: Sequence[OpenApiExample] = (),
    ids: Sequence[str] = (),
    is_idempotent: bool = False,
) -> Callable[[Method], Method]:
    """Describe one route: its answer by status; the problems are added."""
    problems = _ALWAYS | _OFTEN | (_IDEMPOTENT if is_idempotent else {})
    parameters: list[Any] = [
        OpenApiParameter(name, OpenApiTypes.UUID, OpenApiParameter.PATH) for name in ids
    ]
    if is_idempotent:
        parameters.append(_idempotency_key())
    if query is not None:
        parameters.append(query)
    answers: dict[Any, Any] = {
        (code, ZIP if answer[code] is OpenApiTypes.BINARY else JSON): answer[code]
        for code in answer
    }
    for code in sorted(problems):
        answers[(code, MEDIA_TYPE)] = _problem(code, problems[code])

    def decorate(method: Method) -> Method:
        vars(method)["kwargs"] = {"schema": RouteSchema}
        return extend_schema(
            operation_id=_operation_id(method.__qualname__),
            summary=summary,
            request=request,
            responses=answers,
            parameters=parameters,
            examples=list(examples),
        )(method)

    return decorate


def request_example(name: str, value: dict[str, Any]) -> OpenApiExample:
    """Return an example of what is sent."""
    return OpenApiExample(name, value, request_only=True)


def response_example(
    name: str, value: dict[str, Any], *, status: int = 200
) -> OpenApiExample:
    """Return an example of what is answered."""
    return OpenApiExample(name, value, response_only=True, status_codes=[str(status)])


def _operation_id(qualified_name: str) -> str:
    """Return a name for client generators, such as `get_memories`."""
    view, _, method = qualified_name.partition(".")
    words = re.findall("[A-Z][a-z]+", view.removesuffix("View"))
    return "_".join([method, *words]).lower()


def _idempotency_key() -> OpenApiParameter:
    return OpenApiParameter(
        HEADER,
        str,
        OpenApiParameter.HEADER,
        description="Sent again with the same key within 24 hours, the request is "
        "answered as the first time, with `Idempotency-Replayed: true`.",
    )


def _problem(status: int, code: str) -> OpenApiResponse:
    examples = [_BAD_REQUEST] if status == 400 else []
    description = _CLOSED if status == 403 else TITLES[code]
    return OpenApiResponse(ProblemOut, description=description, examples=examples)


class StrictFieldSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Our input fields describe themselves; lists get the schema of their items."""

    target_class = "memsys.api.serializers.fields.StrictField"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        schema: dict[str, Any] = self.target.json_schema()
        child = getattr(self.target, "child", None)
        if isinstance(child, serializers.Serializer):
            schema["items"] = auto_schema.resolve_serializer(child, direction).ref
        elif child is not None:
            schema["items"] = child.json_schema()
        return schema


class ServiceKeySchema(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The service key as a bearer token."""

    target_class = "memsys.api.authentication.ServiceKeyAuth"
    name = "ServiceKey"

    def get_security_requirement(self, auto_schema: Any) -> dict[str, list[str]]:
        """Name the scope that the route needs, as OpenAPI 3.1 allows."""
        scope = auto_schema.view.scopes.get(auto_schema.method)
        return {self.name: [str(scope)] if scope else []}

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A service key, `<prefix>.<secret>`, with scopes.",
        }
