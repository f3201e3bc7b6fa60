"""What each memory earns by itself: words, meaning, age, importance, date.

Owns the raw legs of a score. Does not own how they are weighed (`fusion`) nor which
rows are asked (`candidates`). Every number depends on the eligible rows alone, not on
what else the pack holds, so that archiving a row that was forgotten changes nothing.

>>> from uuid import UUID
>>> from recall.pack import build_pack
>>> pack = build_pack([], relationship=UUID(int=1), version=1, embedding_model="m")
>>> bm25(pack, ["猫"], eligible=np.zeros(0, np.bool_)).attainable
0.0
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memories.decay import MICROSECONDS_PER_DAY
from recall.errors import VectorSizeMismatch
from recall.pack import NEVER, Mask, Pack, code_words, to_microseconds
from recall.types import Policy, Question, TimeWindow, Vector, View

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

SATURATION = 1.2  # BM25's k1
LENGTH_SHARE = 0.75  # BM25's b
COSINE_DECIMALS = 6  # float16 vectors carry no more; hides the order of summation


@dataclass(frozen=True, eq=False, kw_only=True)
class Lexical:
    """BM25 of all rows (n,), zero where nothing matched.

    `attainable` is what a row could earn at most if it held every word of the question.
    """

    scores: Floats
    attainable: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Legs:
    """The legs of the m eligible rows, newest first, then by id; each (m,).

    `rows` are places in the pack, `cosine` is NaN for a row without a vector and None
    when no vector was asked with, `window` the place of the first window that holds
    the row, -1 for none. `session` is the number of the row's session, -1 for none,
    and `said_at` when it was said, both None unless the last time is asked about.
    """

    rows: Places
    bm25: Floats
    attainable: float
    cosine: Floats | None
    recency: Floats
    importance: Floats
    window: Places
    is_blank: bool
    session: Places | None = None
    said_at: Places | None = None


def measure(
    pack: Pack, question: Question, *, view: View, policy: Policy, eligible: Mask
) -> Legs:
    """Return the legs of the eligible rows.

    Raises:
        VectorSizeMismatch: the question's vector has another size than the pack's.
    """
    order = pack.tie_order.astype(np.int64)
    rows = order[eligible[order]]
    lexical = bm25(pack, question.words, eligible=eligible)
    vector = question.vector
    age = (to_microseconds(view.true_at) - pack.occurred_at[rows]).clip(min=0)
    return Legs(
        rows=rows,
        bm25=lexical.scores[rows],
        attainable=lexical.attainable,
        cosine=None if vector is None else cosine(pack, vector)[rows],
        recency=np.exp(-age / (MICROSECONDS_PER_DAY * policy.recency_days)),
        importance=pack.importance[rows],
        window=find_window(pack, question.windows)[rows],
        is_blank=question.is_blank,
        session=pack.session[rows] if question.is_last_time else None,
        said_at=pack.valid_from[rows] if question.is_last_time else None,
    )


def bm25(pack: Pack, words: Sequence[str], *, eligible: Mask) -> Lexical:
    """Return BM25 with document frequencies and mean length of the eligible rows.

    A word that the question repeats weighs as often as it stands there.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009).
    """
    asked = Counter(words)
    total = int(eligible.sum())
    scores = np.zeros(len(pack))
    if not asked or not total:
        return Lexical(scores=scores, attainable=0.0)
    repeats = np.array(list(asked.values()), np.float64)
    hits, word = _find_postings(pack, asked)
    owner = np.searchsorted(pack.term_ends, hits, "right") - 1
    kept = eligible[owner]
    hits, word, owner = hits[kept], word[kept], owner[kept]
    found_in = np.bincount(word, minlength=len(asked))
    idf = np.log1p((total - found_in + 0.5) / (found_in + 0.5)) * repeats
    mean = pack.lengths[eligible].mean() or 1.0
    lengths = pack.lengths[owner] / mean
    count = pack.counts[hits].astype(np.float64)
    bend = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * lengths)
    earned = idf[word] * count * (SATURATION + 1.0) / (count + bend)
    return Lexical(
        scores=np.bincount(owner, earned, len(pack)).astype(np.float64),
        attainable=float(idf.sum() * (SATURATION + 1.0)),
    )


def find_words(
    pack: Pack, words: Iterable[str], *, rows: Iterable[int]
) -> list[tuple[str, ...]]:
    """Return for each row which words it holds, each once, in the order asked."""
    asked = list(dict.fromkeys(words))
    places, known = _look_up(pack, asked)
    at = {
        int(place): word
        for place, word, is_known in zip(places, asked, known, strict=True)
        if is_known
    }
    return [
        tuple(word for place, word in at.items() if place in held)
        for held in (set(pack.terms_of(row).tolist()) for row in rows)
    ]


def cosine(pack: Pack, vector: Vector) -> Floats:
    """Return the cosine of each row (n,) with a vector (d,), NaN without a vector."""
    if pack.has_vector.any() and vector.shape != pack.vectors.shape[1:]:
        raise VectorSizeMismatch("the question's vector has another size")
    result = np.full(len(pack), np.nan)
    if pack.has_vector.any():
        unit = vector.astype(np.float32) / (float(np.linalg.norm(vector)) or 1.0)
        found = np.einsum("ij,j->i", pack.vectors.astype(np.float32), unit)
        np.copyto(result, found.round(COSINE_DECIMALS), where=pack.has_vector)
    return result


def find_window(pack: Pack, windows: Sequence[TimeWindow]) -> Places:
    """Return for each row (n,) the first window it happened or is due in, or -1."""
    result = np.full(len(pack), -1)
    for place in reversed(range(len(windows))):
        first = to_microseconds(windows[place].start)
        last = to_microseconds(windows[place].end)
        for column in (pack.occurred_at, pack.due_at):
            result[(first <= column) & (column < last)] = place
        lasts = (pack.due_until != NEVER) & (pack.due_at < last)
        result[lasts & (first < pack.due_until)] = place
    return result


def _find_postings(pack: Pack, asked: Iterable[str]) -> tuple[Places, Places]:
    """Return where in `terms` the words stand, and which word of `asked` it is."""
    places, known = _look_up(pack, asked)
    numbers = np.full(len(pack.vocabulary), -1)
    numbers[places[known]] = np.flatnonzero(known)
    per_posting = numbers[pack.terms]
    hits = np.flatnonzero(per_posting >= 0)
    return hits, per_posting[hits]


def _look_up(pack: Pack, words: Iterable[str]) -> tuple[Places, Mask]:
    codes = code_words(words)
    if not len(pack.vocabulary):
        return np.zeros(len(codes), np.int64), np.zeros(len(codes), np.bool_)
    places = np.searchsorted(pack.vocabulary, codes)
    places = np.minimum(places, len(pack.vocabulary) - 1)
    return places, pack.vocabulary[places] == codes
