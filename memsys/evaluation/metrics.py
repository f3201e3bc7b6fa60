"""How good a ranking is: recall at a few depths, MRR and nDCG.

Owns the arithmetic over ids that are in order. Does not own how they got there.

>>> score_ranking(["b", "a"], gold={"a"}).mrr
0.5
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields

NDCG_DEPTH = 5


@dataclass(frozen=True, kw_only=True)
class Scores:
    """The measures of one query, or their means over `queries` of them; 0..1."""

    recall_1: float
    recall_3: float
    recall_5: float
    recall_10: float
    mrr: float
    ndcg_5: float
    queries: int = 1


def score_ranking(ranking: Sequence[str], *, gold: Collection[str]) -> Scores:
    """Return the measures of one ranking, best first, against what was to be found.

    Raises:
        ValueError: nothing was to be found, so nothing can be measured.
    """
    if not gold:
        raise ValueError("a query without gold cannot be scored")
    return Scores(
        recall_1=recall_at(1, ranking, gold),
        recall_3=recall_at(3, ranking, gold),
        recall_5=recall_at(5, ranking, gold),
        recall_10=recall_at(10, ranking, gold),
        mrr=reciprocal_rank(ranking, gold),
        ndcg_5=ndcg_at(NDCG_DEPTH, ranking, gold),
    )


def recall_at(depth: int, ranking: Sequence[str], gold: Collection[str]) -> float:
    """Return which share of the gold is among the first `depth`.

    >>> recall_at(2, ["a", "x", "b"], {"a", "b"})
    0.5
    """
    return len(set(ranking[:depth]) & set(gold)) / len(set(gold))


def reciprocal_rank(ranking: Sequence[str], gold: Collection[str]) -> float:
    """Return one over the rank of the first gold, 0 when there is none.

    >>> reciprocal_rank(["x", "a"], {"a"})
    0.5
    """
    ranks = (rank for rank, one in enumerate(ranking, start=1) if one in gold)
    first = next(ranks, None)
    return 1.0 / first if first else 0.0


def ndcg_at(depth: int, ranking: Sequence[str], gold: Collection[str]) -> float:
    """Return the discounted gain against that of the best possible order.

    Each gold gains one. Source: Järvelin and Kekäläinen, Cumulated Gain-Based
    Evaluation of IR Techniques (2002).

    >>> ndcg_at(5, ["a", "b"], {"a", "b"})
    1.0
    """
    gained = sum(
        _discount(rank)
        for rank, one in enumerate(ranking[:depth], start=1)
        if one in gold
    )
    best = sum(_discount(rank) for rank in range(1, min(depth, len(set(gold))) + 1))
    return gained / best


def mean(scores: Sequence[Scores]) -> Scores | None:
    """Return the plain means of some scores, None of none; `queries` add up."""
    if not scores:
        return None
    names = [field.name for field in fields(Scores) if field.name != "queries"]
    means = {
        name: math.fsum(getattr(one, name) for one in scores) / len(scores)
        for name in names
    }
    return Scores(**means, queries=sum(one.queries for one in scores))


def _discount(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)
