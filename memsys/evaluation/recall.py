"""Measures recall: labelled relationships are written, asked, and scored.

Owns the run over all lines, and which half of its set a query belongs to.

>>> measure_recall(lines, trial=Trial()).ranked.macro.recall_5  # doctest: +SKIP
0.87
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from memsys.evaluation.labelled import LabelledQuery, RecallLine
from memsys.evaluation.metrics import score_ranking
from memsys.evaluation.relationships import Remembered, ask, write_relationship
from memsys.evaluation.summaries import Asked, RecallResult, summarise
from memsys.evaluation.trials import Trial

# With fewer relationships than this, a set is halved by its queries.
MIN_TO_HALVE = 4


def count_steps(lines: Iterable[RecallLine]) -> int:
    """Return how often `measure_recall` calls `advance`."""
    return sum(len(line.memories) + len(line.answerable) for line in lines)


def measure_recall(
    lines: Sequence[RecallLine],
    *,
    trial: Trial,
    advance: Callable[[], None] = lambda: None,
) -> RecallResult:
    """Write and ask all relationships; queries without gold are left out.

    It commits what it writes: call it once, in an installation made for it.

    Raises:
        VectorMissing: the embedder gave no vector.
    """
    asked: list[Asked] = []
    for number, (line, queries) in enumerate(zip(lines, halve(lines), strict=True)):
        remembered = write_relationship(
            line, number=number, trial=trial, advance=advance
        )
        for query, is_tuning in queries:
            asked.append(
                _ask(line.dataset, remembered, query, is_tuning=is_tuning, trial=trial)
            )
            advance()
    return summarise(asked)


def _ask(
    dataset: str,
    remembered: Remembered,
    query: LabelledQuery,
    *,
    is_tuning: bool,
    trial: Trial,
) -> Asked:
    answer = ask(remembered, query, trial=trial)
    return Asked(
        dataset=dataset,
        is_tuning=is_tuning,
        is_dated=answer.is_dated,
        ranked=score_ranking(answer.ranking, gold=query.gold),
        trimmed=score_ranking(answer.used, gold=query.gold),
    )


def halve(lines: Sequence[RecallLine]) -> Iterator[list[tuple[LabelledQuery, bool]]]:
    """Yield for each relationship its queries, and whether each is of the tuning half.

    Even relationships of a set are, counted from 0; of a set with few relationships,
    the even ones of all its queries that have gold.
    """
    relationships = Counter(line.dataset for line in lines)
    lines_seen: Counter[str] = Counter()
    queries_seen: Counter[str] = Counter()
    for line in lines:
        dataset = line.dataset
        is_small = relationships[dataset] < MIN_TO_HALVE
        first = queries_seen[dataset] if is_small else lines_seen[dataset]
        step = 1 if is_small else 0
        yield [
            (query, (first + step * place) % 2 == 0)
            for place, query in enumerate(line.answerable)
        ]
        lines_seen[dataset] += 1
        queries_seen[dataset] += len(line.answerable)
