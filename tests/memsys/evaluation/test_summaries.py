"""Which queries are counted together, and how results are printed."""

from datetime import UTC, datetime

from memsys.evaluation.labelled import LabelledMemory, LabelledQuery, RecallLine
from memsys.evaluation.metrics import score_ranking
from memsys.evaluation.recall import count_steps, halve
from memsys.evaluation.reports import as_json
from memsys.evaluation.summaries import Asked, summarise

NOW = datetime(2026, 11, 30, tzinfo=UTC)
HIT = score_ranking(["a"], gold={"a"})
MISS = score_ranking(["x"], gold={"a"})
KEYS = {
    "recall@1", "recall@3", "recall@5", "recall@10", "mrr", "ndcg@5", "queries",
}  # fmt: skip


def make_line(dataset: str, *golds: tuple[str, ...]) -> RecallLine:
    return RecallLine(
        dataset=dataset,
        memories=(LabelledMemory(id="a", text="猫", ts=NOW),),
        queries=tuple(LabelledQuery(text="猫", gold=gold) for gold in golds),
    )


def list_halves(lines: list[RecallLine]) -> list[list[bool]]:
    return [[is_tuning for _, is_tuning in queries] for queries in halve(lines)]


def test_it_halves_a_set_by_its_relationships() -> None:
    lines = [make_line("d", ("a",), ("a",)) for _ in range(4)]

    assert list_halves(lines) == [[True] * 2, [False] * 2, [True] * 2, [False] * 2]


def test_it_halves_a_set_of_few_relationships_by_its_answerable_queries() -> None:
    lines = [make_line("d", ("a",), (), ("a",), ("a",)), make_line("d", ("a",), ("a",))]

    assert list_halves(lines) == [[True, False, True], [False, True]]


def test_it_counts_each_set_by_itself() -> None:
    many = [make_line("many", ("a",)) for _ in range(4)]
    few = make_line("few", ("a",))

    halves = list_halves([many[0], few, *many[1:]])

    assert halves == [[True], [True], [False], [True], [False]]


def test_it_counts_the_steps_of_a_run() -> None:
    assert count_steps([make_line("d", ("a",), (), ("a",))]) == 3


def test_it_takes_the_mean_of_sets_whatever_their_size() -> None:
    asked = [
        Asked(
            dataset=dataset,
            is_tuning=is_tuning,
            is_dated=dataset == "small",
            ranked=scores,
            trimmed=MISS,
        )
        for dataset, is_tuning, scores in [
            ("large", True, HIT),
            ("large", True, HIT),
            ("large", False, HIT),
            ("small", False, MISS),
        ]
    ]

    printed = as_json(summarise(asked))

    assert set(printed) == {"sets", "macro", "trimmed", "halves", "dated"}
    assert list(printed["sets"]) == ["large", "small"]
    assert set(printed["sets"]["large"]) == set(printed["macro"]) == KEYS
    assert printed["sets"]["large"]["recall@5"] == 1.0
    assert (printed["macro"]["recall@5"], printed["macro"]["queries"]) == (0.5, 4)
    assert printed["trimmed"]["macro"]["recall@5"] == 0.0
    assert printed["halves"]["tuning"]["macro"]["recall@5"] == 1.0
    assert printed["halves"]["other"]["macro"]["recall@5"] == 0.5
    assert list(printed["dated"]["sets"]) == ["small"]


def test_it_says_nothing_of_no_queries() -> None:
    assert as_json(summarise([]))["dated"] == {"sets": {}, "macro": None}
