"""The pack: one relationship's memories as arrays that recall can score.

Owns the columns of a pack, how it is built from rows, and reading one row back. Does
not own its form in bytes (`pack_codec`), where it is kept, nor scores. Texts are
decoded only for the rows that are asked for.

>>> pack = build_pack([], relationship=UUID(int=1), version=7, embedding_model="m")
>>> pack.version, len(pack)
(7, 0)
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt

from recall.pack_columns import (
    Array,
    make_categories,
    make_ends,
    make_evidence,
    make_ids,
    make_sessions,
    make_strings,
    make_vectors,
)
from recall.types import MemoryFacts, PackRow

NEVER = np.iinfo(np.int64).max  # an end that is open, a date that is not set
ALWAYS = np.iinfo(np.int64).min
CATEGORIES = (
    "kind", "tier", "dimension", "subject", "visibility", "sensitive_category", "status"
)  # fmt: skip
TIMES = (
    "recorded_at", "recorded_to", "occurred_at", "valid_from", "valid_to", "due_at",
    "due_until", "last_said_at",
)  # fmt: skip

Mask = npt.NDArray[np.bool_]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MAX_COUNT = np.iinfo(np.uint16).max


@dataclass(frozen=True, eq=False, kw_only=True)
class Pack:
    """n memories of one relationship, ordered by (recorded_at, id).

    It holds all that views from `since` on may show, in microseconds since 1970 UTC;
    what was over by then may be missing.

    Times are (n,) int64 microseconds since 1970 UTC, `NEVER` for none. Categories are
    (n,) codes into `names`. `*_ends` are borders into a flat column: evidence ids,
    UTF-8 of (text, key, value), index words. `terms` are places in `vocabulary`, the
    sorted 64-bit codes of the words; `counts` says how often, `lengths` (n,) how many
    words a row has. `tie_order` lists the rows newest first, then by id. `vectors` is
    (n, d) float16 of unit length, zero where `has_vector` is false.
    """

    relationship: UUID
    version: int
    since: int
    embedding_model: str
    names: dict[str, list[str]]
    ids: Array
    recorded_at: Array
    recorded_to: Array
    occurred_at: Array
    valid_from: Array
    valid_to: Array
    due_at: Array
    due_until: Array
    last_said_at: Array
    importance: Array
    stability_days: Array
    polarity: Array
    kind: Array
    tier: Array
    dimension: Array
    subject: Array
    visibility: Array
    sensitive_category: Array
    status: Array
    session: Array
    sessions: Array
    evidence: Array
    evidence_ends: Array
    strings: Array
    string_ends: Array
    vocabulary: Array
    terms: Array
    counts: Array
    term_ends: Array
    lengths: Array
    tie_order: Array
    has_vector: Array
    vectors: Array

    def __len__(self) -> int:
        return len(self.ids)

    def id(self, row: int) -> UUID:
        """Return the id of a row."""
        return _uuid(self.ids[row])

    def text(self, row: int) -> str:
        """Return the text of a row, decoded now."""
        return self._string(row, 0)

    def about(self, row: int) -> tuple[int, str]:
        """Return what a row is about: its kind by its code, and its key."""
        return int(self.kind[row]), self._string(row, 1)

    def terms_of(self, row: int) -> Array:
        """Return the places in the vocabulary of a row's words, each once, sorted."""
        return self.terms[self.term_ends[row] : self.term_ends[row + 1]]

    def is_in(self, column: str, *values: str) -> Mask:
        """Return (n,) whether a category column holds one of the values."""
        wanted = np.array([name in values for name in self.names[column]], np.bool_)
        codes: Array = getattr(self, column)
        return wanted[codes] if len(wanted) else np.zeros(len(self), np.bool_)

    def facts(self, row: int) -> MemoryFacts:
        """Return one row in full, as it was built but for its words and vector."""
        return MemoryFacts(**self.values([row])[0])

    def values(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return the fields of `facts` by name, for records that have more fields.

        Columns are read once for all rows: an array gives up single values slowly.
        """
        at = np.array(rows, np.int64)
        columns: dict[str, list[Any]] = {
            name: getattr(self, name)[at].tolist()
            for name in ("polarity", "importance", "stability_days")
        }
        for name in CATEGORIES:
            known = self.names[name]
            columns[name] = [known[code] for code in getattr(self, name)[at].tolist()]
        for name in TIMES:
            times = getattr(self, name)[at].tolist()
            columns[name] = list(map(_from_microseconds, times))
        columns["id"] = list(map(_uuid, self.ids[at]))
        columns["session"] = list(map(self._session, self.session[at].tolist()))
        columns["evidence"] = list(map(self._evidence, rows))
        for which, name in enumerate(("text", "key", "value")):
            columns[name] = [self._string(row, which) for row in rows]
        return [
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        ]

    def _session(self, place: int) -> UUID | None:
        return _uuid(self.sessions[place]) if place >= 0 else None

    def _evidence(self, row: int) -> tuple[UUID, ...]:
        first, last = self.evidence_ends[row : row + 2].tolist()
        return tuple(map(_uuid, self.evidence[first:last]))

    def _string(self, row: int, which: int) -> str:
        place = 3 * row + which
        first, last = self.string_ends[place : place + 2].tolist()
        return self.strings[first:last].tobytes().decode()


def build_pack(
    rows: Sequence[PackRow],
    *,
    relationship: UUID,
    version: int,
    embedding_model: str,
    since: datetime | None = None,
) -> Pack:
    """Return the pack of some rows, whatever order they come in.

    Rows that were over before `since` may be left out; None says that none are.

    Raises:
        VectorSizeMismatch: two rows have vectors of different sizes.
    """
    rows = sorted(rows, key=lambda row: (row.recorded_at, row.id))
    ids = make_ids([row.id for row in rows])
    times: dict[str, Any] = {
        name: _times([getattr(row, name) for row in rows]) for name in TIMES
    }
    return Pack(
        relationship=relationship,
        version=version,
        since=ALWAYS if since is None else to_microseconds(since),
        embedding_model=embedding_model,
        ids=ids,
        importance=np.array([row.importance for row in rows], "<f8"),
        stability_days=np.array([row.stability_days for row in rows], "<f8"),
        polarity=np.array([row.polarity for row in rows], "|i1"),
        tie_order=_tie_order(ids, times["occurred_at"]),
        **times,
        **make_categories(rows, columns=CATEGORIES),
        **make_sessions(rows),
        **make_evidence(rows),
        **make_strings(rows),
        **_index(rows),
        **make_vectors(rows),
    )


def code_words(words: Iterable[str]) -> Array:
    """Return the 64-bit codes of words, in their order.

    Codes stand in for the words: two words of one relationship meet in one code about
    once in 10^11 vocabularies of 20,000 words.
    """
    digests = (blake2b(word.encode(), digest_size=8).digest() for word in words)
    return np.frombuffer(b"".join(digests), "<u8")


def to_microseconds(moment: datetime) -> int:
    """Return an aware moment as microseconds since 1970 UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def _from_microseconds(value: int) -> datetime | None:
    return None if value == NEVER else _EPOCH + timedelta(microseconds=value)


def _uuid(row: Array) -> UUID:
    return UUID(bytes=row.tobytes())


def _times(moments: Sequence[datetime | None]) -> Array:
    values = (NEVER if value is None else to_microseconds(value) for value in moments)
    return np.fromiter(values, "<i8", len(moments))


def _tie_order(ids: Array, occurred_at: Array) -> Array:
    halves = np.ascontiguousarray(ids).view(">u8").reshape(-1, 2)
    order = np.lexsort((halves[:, 1], halves[:, 0], -occurred_at))
    return order.astype("<u4")


def _index(rows: Sequence[PackRow]) -> dict[str, Any]:
    places: dict[str, int] = {}
    flat = [places.setdefault(word, len(places)) for row in rows for word in row.tokens]
    codes = code_words(places)
    order = np.argsort(codes)
    rank = np.empty(len(codes), np.int64)
    rank[order] = np.arange(len(codes))
    lengths = np.array([len(row.tokens) for row in rows], "<u4")
    owner = np.repeat(np.arange(len(rows), dtype=np.int64), lengths)
    base = max(len(codes), 1)
    pairs, counts = np.unique(
        owner * base + rank[np.array(flat, np.int64)], return_counts=True
    )
    return {
        "vocabulary": codes[order],
        "terms": (pairs % base).astype("<u4"),
        "counts": np.minimum(counts, _MAX_COUNT).astype("<u2"),
        "term_ends": make_ends(np.bincount(pairs // base, minlength=len(rows))),
        "lengths": lengths,
    }
