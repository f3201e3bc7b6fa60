"""Prepares statements before they are written: cleaned, filtered, cut, embedded.

Owns what must happen outside a transaction, since it may call the embedder.

>>> prepare_statements(["我养了一只猫"])[0].tokens  # doctest: +SKIP
('我', '养', '了', '一只', '猫', ...)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memories.embedding import check_vectors, get_embedder
from memories.errors import EmptyStatement
from memsys.kernel.text.clean import clean_text
from memsys.kernel.text.privacy import mask
from memsys.kernel.text.tokens import Names, tokenize


@dataclass(frozen=True)
class PreparedStatement:
    """A statement ready to be written; `embedding` is (EMBEDDING_DIMENSIONS,)."""

    text: str
    tokens: tuple[str, ...]
    embedding: NDArray[np.float32]
    embedding_model: str


def prepare_statements(
    texts: Sequence[str], *, names: Sequence[str] = ()
) -> list[PreparedStatement]:
    """Clean, filter, tokenize and embed; one call of the embedder for all.

    `names` are the relationship's own; they become words of the index.

    Raises:
        EmptyStatement: nothing visible is left of one of them.
        EmbeddingFailed: the embedder gave no usable vectors.
    """
    kept = [mask(clean_text(text)).text for text in texts]
    if not all(kept):
        raise EmptyStatement("A statement needs at least one visible character.")
    embedder = get_embedder()
    vectors = check_vectors(
        embedder.embed_passages(kept), count=len(kept), dimensions=embedder.dimensions
    )
    known = Names(names)
    return [
        PreparedStatement(
            text, tuple(tokenize(text, names=known)), vector, embedder.name
        )
        for text, vector in zip(kept, vectors, strict=True)
    ]


def prepare_statement(text: str, *, names: Sequence[str] = ()) -> PreparedStatement:
    """Prepare one statement; see `prepare_statements`."""
    return prepare_statements([text], names=names)[0]
