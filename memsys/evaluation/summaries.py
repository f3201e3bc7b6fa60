"""Which scored queries are counted together: all, those of each half, the dated ones.

Owns the tables of a result. Does not own how a query is asked or scored.

>>> summarise([]).ranked.macro is None
True
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memsys.evaluation.metrics import Scores, mean


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One query with its scores, before and after the trimming."""

    dataset: str
    is_tuning: bool
    is_dated: bool
    ranked: Scores
    trimmed: Scores


@dataclass(frozen=True)
class Table:
    """Mean scores per set, and `macro`, the mean of the sets; None without queries."""

    sets: Mapping[str, Scores]
    macro: Scores | None


@dataclass(frozen=True, kw_only=True)
class RecallResult:
    """All queries as ranked and as trimmed; the ranking of each half, and of dates.

    `tuning` holds the even relationships of each set, counted from 0, or the even
    queries of a set with few relationships; `other` the rest. `dated` holds the
    questions that name a time, without the chat lines that only hint.
    """

    ranked: Table
    trimmed: Table
    tuning: Table
    other: Table
    dated: Table


def summarise(asked: Sequence[Asked]) -> RecallResult:
    """Return the tables of some scored queries."""
    ranked = [(one, one.ranked) for one in asked]
    return RecallResult(
        ranked=tabulate(ranked),
        trimmed=tabulate((one, one.trimmed) for one in asked),
        tuning=tabulate(pair for pair in ranked if pair[0].is_tuning),
        other=tabulate(pair for pair in ranked if not pair[0].is_tuning),
        dated=tabulate(pair for pair in ranked if pair[0].is_dated),
    )


def tabulate(scored: Iterable[tuple[Asked, Scores]]) -> Table:
    """Return the means per set, in the order in which the sets come."""
    by_set: dict[str, list[Scores]] = {}
    for one, scores in scored:
        by_set.setdefault(one.dataset, []).append(scores)
    means = {dataset: mean(some) for dataset, some in by_set.items()}
    sets = {dataset: one for dataset, one in means.items() if one is not None}
    return Table(sets, mean(list(sets.values())))
