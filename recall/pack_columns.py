"""The columns of a pack, made from rows.

Owns how ids, words of categories, texts and vectors of all rows become arrays. What
they mean stands with the `Pack`; times and index words are made there.

>>> make_ends([2, 3]).tolist()
[0, 2, 5]
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from recall.errors import VectorSizeMismatch
from recall.types import PackRow

Array = npt.NDArray[Any]


def make_ends(lengths: Iterable[int]) -> Array:
    """Return the borders of parts of some lengths, from 0 to their sum."""
    return np.cumsum([0, *lengths]).astype("<u4")


def make_ids(ids: Sequence[UUID]) -> Array:
    """Return (n, 16) bytes."""
    return np.frombuffer(b"".join(value.bytes for value in ids), "|u1").reshape(-1, 16)


def make_categories(
    rows: Sequence[PackRow], *, columns: Iterable[str]
) -> dict[str, Any]:
    """Return a column of codes for each category, and the words they stand for."""
    names: dict[str, list[str]] = {}
    found: dict[str, Any] = {"names": names}
    for column in columns:
        values = [str(getattr(row, column)) for row in rows]
        names[column] = sorted(set(values))
        code = {name: place for place, name in enumerate(names[column])}
        found[column] = np.array([code[value] for value in values], "<u2")
    return found


def make_sessions(rows: Sequence[PackRow]) -> dict[str, Any]:
    """Return the session of each row as a place in the list of all; -1 for none."""
    found = sorted({row.session for row in rows if row.session is not None})
    code: dict[UUID | None, int] = {value: place for place, value in enumerate(found)}
    codes = np.array([code.get(row.session, -1) for row in rows], "<i4")
    return {"session": codes, "sessions": make_ids(found)}


def make_evidence(rows: Sequence[PackRow]) -> dict[str, Any]:
    """Return the messages of all rows in one column, and where each row's end."""
    flat = [message for row in rows for message in row.evidence]
    borders = make_ends(len(row.evidence) for row in rows)
    return {"evidence": make_ids(flat), "evidence_ends": borders}


def make_strings(rows: Sequence[PackRow]) -> dict[str, Any]:
    """Return text, key and value of all rows as UTF-8 in one column, and their ends."""
    flat = [value.encode() for row in rows for value in (row.text, row.key, row.value)]
    blob = np.frombuffer(b"".join(flat), "|u1")
    return {"strings": blob, "string_ends": make_ends(map(len, flat))}


def make_vectors(rows: Sequence[PackRow]) -> dict[str, Any]:
    """Return the vectors (n, d) float16, brought to unit length, and which there are.

    Raises:
        VectorSizeMismatch: two rows have vectors of different sizes.
    """
    found = [(at, row.embedding) for at, row in enumerate(rows)]
    given = [(at, vector) for at, vector in found if vector is not None]
    sizes = {vector.shape for _, vector in given}
    if len(sizes) > 1:
        raise VectorSizeMismatch("vectors of one pack have different sizes")
    vectors = np.zeros((len(rows), *(sizes or {(0,)}).pop()), "<f2")
    has_vector = np.zeros(len(rows), np.bool_)
    if given:
        places = np.array([at for at, _ in given])
        vectors[places] = _unit(np.stack([vector for _, vector in given]))
        has_vector[places] = True
    return {"vectors": vectors, "has_vector": has_vector}


def _unit(vectors: Array) -> Array:
    vectors = vectors.astype(np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(norms > 0.0, norms, 1.0)
