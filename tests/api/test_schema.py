"""The OpenAPI document: whole, valid, and what the code says."""

import re
from io import StringIO
from typing import Any

import pytest
import yaml
from django.core.management import call_command

from memsys.api.views.schema import DOCUMENT
from tests.api.routes import ROUTES


@pytest.fixture(scope="module")
def document() -> Any:
    return yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))


def test_the_document_is_current_and_valid(tmp_path: Any) -> None:
    fresh = tmp_path / "openapi.yaml"

    call_command(
        "spectacular",
        file=str(fresh),
        validate=True,
        fail_on_warn=True,
        stdout=StringIO(),
        stderr=StringIO(),
    )

    hint = "run: manage.py spectacular --file memsys/api/openapi.yaml"
    assert fresh.read_text() == DOCUMENT.read_text(), hint


def test_every_route_names_its_scope(document: Any) -> None:
    for route in ROUTES:
        named = re.sub(r"\{(\w+)\}", r"{\1_id}", route.path.partition("?")[0])
        path = f"/api/v1{named}"
        operation = document["paths"][path][route.method.lower()]
        assert operation["security"] == [{"ServiceKey": [route.scope]}]


def test_every_route_describes_its_problems(document: Any) -> None:
    for path in document["paths"].values():
        for operation in path.values():
            problems = {"400", "401", "403", "404", "429", "503"}
            assert problems <= operation["responses"].keys()
            for status in problems:
                content = operation["responses"][status]["content"]
                assert list(content) == ["application/problem+json"]


def test_every_write_takes_an_idempotency_key(document: Any) -> None:
    reading = {"post_resolve", "post_search", "post_context", "post_erasure_preview"}
    for path in document["paths"].values():
        for method, operation in path.items():
            takes = "Idempotency-Key" in str(operation.get("parameters", []))
            is_write = method != "get" and operation["operationId"] not in reading
            assert takes is is_write


def test_every_body_has_an_example(document: Any) -> None:
    for path in document["paths"].values():
        for operation in path.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                assert content.get("examples"), operation["operationId"]
