"""The OpenAPI document, as it was written when the code was."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memsys.api.views.base import ApiView

DOCUMENT = Path(__file__).resolve().parent.parent / "openapi.yaml"


@cache
def load_document() -> dict[str, Any]:
    """Return the document; it does not change while the process runs."""
    document: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))
    return document


class SchemaView(ApiView):
    """The description of this API, for whoever has a key."""

    scopes = {"GET": None}

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        return Response(load_document())
