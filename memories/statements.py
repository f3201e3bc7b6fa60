"""Prepares statements before they are written: cleaned, filtered, cut, embedded.

Owns what must happen outside a transaction, since it may call the embedder.

>>> prepare_statements(["我养了一只猫"])[0].tokens  # doctest: +SKIP
('我', '养', '了', '一只', '猫', ...)
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memories.embedding import check_vectors, get_embedder
from memories.errors import EmbeddingFailed, EmptyStatement
from memsys.kernel.text.clean import clean_text
from memsys.kernel.text.privacy import mask
from memsys.kernel.text.tokens import Names, tokenize

logger = logging.getLogger("memsys.embedding")


@dataclass(frozen=True)
class PreparedStatement:
    """A statement ready to be written; `embedding` is (EMBEDDING_DIMENSIONS,).

    Without one, and then without `embedding_model`, it is found by its words alone
    until the embedder answers again.
    """

    text: str
    tokens: tuple[str, ...]
    embedding: NDArray[np.float32] | None
    embedding_model: str


def prepare_statements(
    texts: Sequence[str], *, names: Sequence[str] = ()
) -> list[PreparedStatement]:
    """Clean, filter, tokenize and embed; one call of the embedder for all.

    `names` are the relationship's own; they become words of the index.

    Raises:
        EmptyStatement: nothing visible is left of one of them.
    """
    kept = [mask(clean_text(text)).text for text in texts]
    if not all(kept):
        raise EmptyStatement("A statement needs at least one visible character.")
    tokens = [tuple(tokenize(text, names=Names(names))) for text in kept]
    try:
        vectors = embed(kept)
    except EmbeddingFailed:
        logger.warning("statements.without_vectors", extra={"count": len(kept)})
        return [
            PreparedStatement(text, words, None, "")
            for text, words in zip(kept, tokens, strict=True)
        ]
    return [
        PreparedStatement(text, words, vector, get_embedder().name)
        for text, words, vector in zip(kept, tokens, vectors, strict=True)
    ]


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return (n, EMBEDDING_DIMENSIONS) float32 for statements. Calls the embedder.

    Raises:
        EmbeddingFailed: it gave no usable vectors.
    """
    embedder = get_embedder()
    return check_vectors(
        embedder.embed_passages(texts),
        count=len(texts),
        dimensions=embedder.dimensions,
    )


def prepare_statement(text: str, *, names: Sequence[str] = ()) -> PreparedStatement:
    """Prepare one statement; see `prepare_statements`."""
    return prepare_statements([text], names=names)[0]
