"""The measures of a ranking, against values worked out by hand."""

import pytest

from memsys.evaluation.metrics import (
    Scores,
    mean,
    ndcg_at,
    recall_at,
    reciprocal_rank,
    score_ranking,
)

# log2 of 2, 3, 4, 5, 6: 1, 1.58496, 2, 2.32193, 2.58496
CASES = [
    # ranking, gold, recall at 1, 3, 5 and 10, MRR, nDCG at 5
    ("a", "a", (1, 1, 1, 1), 1, 1),
    ("xa", "a", (0, 1, 1, 1), 1 / 2, 0.63093),
    ("xyza", "a", (0, 0, 1, 1), 1 / 4, 0.43068),
    ("vwxyza", "a", (0, 0, 0, 1), 1 / 6, 0),
    ("uvwxyzrstqa", "a", (0, 0, 0, 0), 1 / 11, 0),
    ("xyz", "a", (0, 0, 0, 0), 0, 0),
    ("", "a", (0, 0, 0, 0), 0, 0),
    ("ab", "ab", (1 / 2, 1, 1, 1), 1, 1),
    ("axb", "ab", (1 / 2, 1, 1, 1), 1, 0.91972),  # 1.5 / 1.63093
    ("xaxb", "abc", (0, 1 / 3, 2 / 3, 2 / 3), 1 / 2, 0.49819),  # 1.06161 / 2.13093
    ("abcdefg", "abcdefg", (1 / 7, 3 / 7, 5 / 7, 1), 1, 1),
]


@pytest.mark.parametrize(("ranking", "gold", "recalls", "mrr", "ndcg"), CASES)
def test_it_scores_a_ranking(
    ranking: str, gold: str, recalls: tuple[float, ...], mrr: float, ndcg: float
) -> None:
    scores = score_ranking(list(ranking), gold=set(gold))

    found = (scores.recall_1, scores.recall_3, scores.recall_5, scores.recall_10)
    assert found == pytest.approx(recalls)
    assert scores.mrr == pytest.approx(mrr)
    assert scores.ndcg_5 == pytest.approx(ndcg, abs=1e-5)
    assert scores.queries == 1


def test_it_counts_gold_that_is_named_twice_once() -> None:
    gold = ["a", "a", "b"]

    assert recall_at(1, ["a"], gold) == 0.5
    assert ndcg_at(5, ["a", "b"], gold) == 1.0
    assert reciprocal_rank(["a"], gold) == 1.0


def test_it_refuses_a_query_that_nothing_answers() -> None:
    with pytest.raises(ValueError, match="without gold"):
        score_ranking(["a"], gold=[])


def test_it_takes_means_and_adds_queries_up() -> None:
    one = score_ranking(["a"], gold={"a"})
    other = score_ranking(["x", "a"], gold={"a"})

    assert mean([one, other]) == Scores(
        recall_1=0.5,
        recall_3=1.0,
        recall_5=1.0,
        recall_10=1.0,
        mrr=0.75,
        ndcg_5=pytest.approx(0.815465, abs=1e-6),
        queries=2,
    )


def test_it_has_no_mean_of_nothing() -> None:
    assert mean([]) is None
