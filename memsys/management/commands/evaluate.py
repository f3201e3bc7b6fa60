"""`manage.py evaluate`: measure recall, personal data, time words or budgets.

It is called without settings. Recall needs a database: it makes an installation of its
own and removes it afterwards, so it runs with or without `up` beside it. Standard
output holds the result alone.

    manage.py evaluate recall companion.jsonl memorybank.jsonl --legs lexical
    manage.py evaluate privacy pii.jsonl --json
    manage.py evaluate time times.jsonl
    manage.py evaluate budget --count 10000
"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from memsys.evaluation.budgets import measure_budget
from memsys.evaluation.errors import EvaluationError
from memsys.evaluation.files import read_records
from memsys.evaluation.labelled import read_relationships
from memsys.evaluation.privacy import PrivacyLine, measure_privacy
from memsys.evaluation.reports import Result, as_json, as_sheet
from memsys.evaluation.times import TimeLine, measure_times
from memsys.evaluation.trials import Ingredient, Legs, Trial
from memsys.running.scratch import scratch_installation
from memsys.running.service import ServiceError

# The request path gives a late vector up; here a busy machine must change no rank.
_SETTINGS = {"EMBEDDING_DEADLINE_MS": "60000"}
_INTERRUPTED = 130


class Command(BaseCommand):
    help = "Measure recall, the privacy filter or time words on a labelled file."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True)
        recall = kinds.add_parser("recall", help="Rank labelled memories.")
        recall.add_argument("files", metavar="FILE", type=Path, nargs="+")
        recall.add_argument(
            "--legs",
            choices=list(Legs),
            type=Legs,
            default=Legs.BOTH,
            help="rank by words, by vectors, or by both (the default)",
        )
        recall.add_argument(
            "--without",
            choices=list(Ingredient),
            type=Ingredient,
            action="append",
            default=[],
            help="leave an ingredient out, to see its worth; may be given again",
        )
        privacy = kinds.add_parser("privacy", help="Mask labelled sentences.")
        times = kinds.add_parser("time", help="Read the time words of sentences.")
        budget = kinds.add_parser("budget", help="Assemble random contexts.")
        budget.add_argument("--count", type=int, default=10_000)
        budget.add_argument("--seed", type=int, default=1)
        for one in (privacy, times):
            one.add_argument("file", metavar="FILE", type=Path)
        for one in (recall, privacy, times, budget):
            one.add_argument(
                "--json", action="store_true", help="print one JSON object"
            )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            result = self._measure(options)
        except (EvaluationError, ServiceError) as exc:
            raise CommandError(str(exc)) from exc
        except KeyboardInterrupt:
            raise CommandError("Stopped.", returncode=_INTERRUPTED) from None
        if options["json"]:
            text = json.dumps(as_json(result), ensure_ascii=False, indent=2)
            self.stdout.write(text)
        else:
            Console().print(as_sheet(result, title=_title(options)))

    def _measure(self, options: dict[str, Any]) -> Result:
        if options["kind"] == "privacy":
            return measure_privacy(read_records(options["file"], PrivacyLine))
        if options["kind"] == "budget":
            return measure_budget(count=options["count"], seed=options["seed"])
        if options["kind"] == "time":
            return measure_times(read_records(options["file"], TimeLine))
        return _measure_recall(options["files"], _trial(options))


def _trial(options: dict[str, Any]) -> Trial:
    return Trial(legs=options["legs"], without=frozenset(options["without"]))


def _title(options: dict[str, Any]) -> str:
    if options["kind"] == "recall":
        return f"Recall, {_trial(options).name}"
    titles = {"privacy": "Personal data", "time": "Time words", "budget": "Budgets"}
    return titles[options["kind"]]


def _measure_recall(files: list[Path], trial: Trial) -> Result:
    lines = read_relationships(files)
    with scratch_installation(_SETTINGS):
        # Models can be imported only now that the settings can be read.
        from memsys.evaluation.recall import count_steps, measure_recall

        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn())
        with Progress(
            *columns, TimeRemainingColumn(), console=Console(stderr=True)
        ) as progress:
            bar = progress.add_task("evaluating", total=count_steps(lines))
            return measure_recall(
                lines, trial=trial, advance=lambda: progress.advance(bar)
            )
