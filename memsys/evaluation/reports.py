"""Shows results of evaluations: as JSON with fixed keys, or as tables.

Owns the names of the keys and the columns. Computes nothing.

>>> as_json(TimeResult(total=2, right=1, no_window=3, false_hits=0))["right"]
1
"""

from typing import Any

from rich import box
from rich.table import Table as Sheet

from memsys.evaluation.budgets import BudgetResult
from memsys.evaluation.extraction import ExtractionResult
from memsys.evaluation.metrics import Scores
from memsys.evaluation.privacy import PrivacyResult
from memsys.evaluation.summaries import RecallResult, Table
from memsys.evaluation.times import TimeResult

Result = RecallResult | PrivacyResult | TimeResult | BudgetResult | ExtractionResult

DECIMALS = 4
COLUMNS = {
    "recall@1": "recall_1",
    "recall@3": "recall_3",
    "recall@5": "recall_5",
    "recall@10": "recall_10",
    "mrr": "mrr",
    "ndcg@5": "ndcg_5",
}
_HEADS = ("R@1", "R@3", "R@5", "R@10", "MRR", "nDCG@5")


def as_json(result: Result) -> dict[str, Any]:
    """Return a result as what is printed with `--json`; fractions, not per cent."""
    if isinstance(result, RecallResult):
        return {
            **_table_as_json(result.ranked),
            "trimmed": _table_as_json(result.trimmed),
            "halves": {
                "tuning": _table_as_json(result.tuning),
                "other": _table_as_json(result.other),
            },
            "dated": _table_as_json(result.dated),
        }
    if isinstance(result, PrivacyResult):
        return {
            "spans": result.spans,
            "found": result.found,
            "negatives": result.negatives,
            "negatives_hit": result.negatives_hit,
            "by_kind": {
                kind: {"spans": count.spans, "found": count.found}
                for kind, count in result.by_kind.items()
            },
        }
    if isinstance(result, ExtractionResult):
        return _extraction_as_json(result)
    if isinstance(result, BudgetResult):
        return {
            "prompts": result.prompts,
            "over": result.over,
            "fullest": result.fullest,
        }
    return {
        "total": result.total,
        "right": result.right,
        "false_hits": result.false_hits,
        "no_window": result.no_window,
    }


def as_sheet(result: Result, *, title: str) -> Sheet:
    """Return a result as a table for a terminal."""
    if isinstance(result, RecallResult):
        return _recall_sheet(result, title)
    if isinstance(result, PrivacyResult):
        return _privacy_sheet(result, title)
    if isinstance(result, ExtractionResult):
        return _extraction_sheet(result, title)
    if isinstance(result, BudgetResult):
        sheet = _sheet(title, "prompts", "over", "fullest")
        sheet.add_row(
            f"{result.prompts:,}", f"{result.over:,}", f"{result.fullest:.3f}"
        )
        return sheet
    return _times_sheet(result, title)


def _extraction_as_json(result: ExtractionResult) -> dict[str, Any]:
    return {
        "facts": result.facts,
        "found": result.found,
        "made": result.made,
        "right": result.right,
        "traps": result.traps,
        "traps_hit": result.traps_hit,
        "by_kind": {
            kind: {"facts": share.facts, "found": share.found}
            for kind, share in result.by_kind.items()
        },
    }


def _table_as_json(table: Table) -> dict[str, Any]:
    return {
        "sets": {name: _scores_as_json(one) for name, one in table.sets.items()},
        "macro": None if table.macro is None else _scores_as_json(table.macro),
    }


def _scores_as_json(scores: Scores) -> dict[str, float]:
    fractions = {
        key: round(getattr(scores, name), DECIMALS) for key, name in COLUMNS.items()
    }
    return fractions | {"queries": scores.queries}


def _recall_sheet(result: RecallResult, title: str) -> Sheet:
    sheet = _sheet(title, "set", "queries", *_HEADS)
    parts = {
        "as ranked": result.ranked,
        "in the prompt": result.trimmed,
        "tuning half": result.tuning,
        "other half": result.other,
        "dated questions": result.dated,
    }
    for part, table in parts.items():
        sheet.add_row(f"[bold]{part}[/bold]")
        for name, scores in table.sets.items():
            sheet.add_row(*_cells(name, scores))
        if table.macro is not None:
            sheet.add_row(*_cells("macro", table.macro))
        sheet.add_section()
    return sheet


def _cells(name: str, scores: Scores) -> list[str]:
    figures = [f"{getattr(scores, column):.3f}" for column in COLUMNS.values()]
    return [f"  {name}", str(scores.queries), *figures]


def _privacy_sheet(result: PrivacyResult, title: str) -> Sheet:
    sheet = _sheet(title, "kind", "spans", "found", "share")
    for kind, count in result.by_kind.items():
        sheet.add_row(*_shares(kind, count.spans, count.found))
    sheet.add_section()
    sheet.add_row(*_shares("all", result.spans, result.found))
    hit = result.negatives_hit
    sheet.add_row(*_shares("negatives, hit", result.negatives, hit))
    return sheet


def _extraction_sheet(result: ExtractionResult, title: str) -> Sheet:
    sheet = _sheet(title, "kind", "facts", "found", "share")
    for kind, share in result.by_kind.items():
        sheet.add_row(*_shares(kind, share.facts, share.found))
    sheet.add_section()
    sheet.add_row(*_shares("recall: facts found", result.facts, result.found))
    sheet.add_row(*_shares("precision: memories right", result.made, result.right))
    sheet.add_row(*_shares("traps hit", result.traps, result.traps_hit))
    return sheet


def _times_sheet(result: TimeResult, title: str) -> Sheet:
    sheet = _sheet(title, "sentences", "count", "right", "share")
    sheet.add_row(*_shares("with a window", result.total, result.right))
    silent = result.no_window - result.false_hits
    sheet.add_row(*_shares("without one", result.no_window, silent))
    return sheet


def _shares(name: str, total: int, part: int) -> list[str]:
    return [name, str(total), str(part), f"{part / total:.3f}" if total else "-"]


def _sheet(title: str, first: str, *others: str) -> Sheet:
    sheet = Sheet(title=title, box=box.SIMPLE_HEAD, padding=(0, 1))
    sheet.add_column(first)
    for name in others:
        sheet.add_column(name, justify="right", no_wrap=True)
    return sheet
