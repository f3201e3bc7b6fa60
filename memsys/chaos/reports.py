"""Shows the result of a rehearsal: as JSON with fixed keys, or as tables.

Owns the words and the keys. Computes nothing.

>>> as_json(result)["kept"]  # doctest: +SKIP
True
"""

from dataclasses import asdict
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table

from memsys.chaos.results import Result


def as_json(result: Result) -> dict[str, Any]:
    """Return a result as what is printed with `--json`."""
    order = asdict(result.order)
    return {
        "order": order.pop("size") | order,
        "counts": asdict(result.counts),
        "blows": {
            "kills": result.blows.kills,
            "wipes": result.blows.wipes,
            "worker_processes": result.blows.processes,
            "worker_ends": result.worker_ends,
        },
        "calls": {"made": result.calls, "again": result.calls_again},
        "fallbacks_by_chance": round(result.fallbacks_by_chance, 1),
        "troubles": dict(result.troubles),
        "errors": dict(result.errors),
        "promises": {
            one.name: {
                "kept": one.is_kept,
                "found": one.found,
                "expected": one.expected,
            }
            for one in result.promises
        },
        "kept": not result.broken,
        "seconds": round(result.seconds, 1),
    }


def as_sheets(result: Result) -> Group:
    """Return a result as tables for a terminal: what happened, and what held."""
    return Group(_list_happenings(result), _list_promises(result))


def _list_happenings(result: Result) -> Table:
    counts, blows = result.counts, result.blows
    sheet = _sheet(f"A week, seed {result.order.seed}", "what happened", "count")
    rows = {
        "relationships": counts.relationships,
        "sessions sent": counts.sessions_sent,
        "  that needed an answer": counts.needing,
        "messages sent": counts.messages_sent,
        "  stored": counts.messages_stored,
        "calls of the API": result.calls,
        "  made again after an error": result.calls_again,
        "worker killed": blows.kills,
        "broker wiped": blows.wipes,
        "worker ended by itself": result.worker_ends,
        "good answers that the model served": counts.served,
        "  at most, with one more a kill": counts.needing + blows.kills,
        "  recorded": counts.recorded,
        "  lost with a worker, and served again": counts.served - counts.recorded,
        "unusable answers that it served": counts.served_unusable,
        "calls that workers died with": counts.calls_lost,
        "sessions left to the rules": counts.fell_back,
        "  after unusable answers": counts.fell_back_unusable,
        "  after lost calls": counts.fell_back_lost,
        "memories": counts.memories,
        "  facts that must hold what was said last": counts.facts_expected,
    }
    for name, number in rows.items():
        sheet.add_row(name, f"{number:,}")
    sheet.add_row("unusable to the end, by chance", f"{result.fallbacks_by_chance:.1f}")
    sheet.add_section()
    for trouble, number in sorted(result.troubles.items()):
        sheet.add_row(f"model: {trouble}", f"{number:,}")
    for error, number in sorted(result.errors.items()):
        sheet.add_row(f"logged: {error}", f"{number:,}")
    sheet.add_section()
    sheet.add_row("seconds", f"{result.seconds:.0f}")
    return sheet


def _list_promises(result: Result) -> Table:
    sheet = _sheet("What must hold", "promise", "found", "expected", "")
    for one in result.promises:
        verdict = "kept" if one.is_kept else "[bold red]BROKEN[/bold red]"
        sheet.add_row(one.name, f"{one.found:,}", one.expected, verdict)
    return sheet


def _sheet(title: str, first: str, *others: str) -> Table:
    sheet = Table(title=title, box=box.SIMPLE_HEAD, padding=(0, 1))
    sheet.add_column(first)
    for name in others:
        sheet.add_column(name, justify="right", no_wrap=True)
    return sheet
