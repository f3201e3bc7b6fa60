"""`manage.py evaluate`: measure recall, extraction, personal data, time words, budgets.

It is called without settings. Recall needs a database: it makes an installation of its
own and removes it afterwards, so it runs with or without `up` beside it. Extraction
reads settings only to ask a model. Standard output holds the result alone.

    manage.py evaluate recall companion.jsonl memorybank.jsonl --legs lexical
    manage.py evaluate privacy pii.jsonl --json
    manage.py evaluate time times.jsonl
    manage.py evaluate budget --count 10000
    manage.py evaluate extraction sessions.jsonl --with-model
"""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from memsys.evaluation.budgets import measure_budget
from memsys.evaluation.errors import EvaluationError
from memsys.evaluation.extraction import measure_extraction
from memsys.evaluation.files import read_records
from memsys.evaluation.labelled import read_relationships
from memsys.evaluation.privacy import PrivacyLine, measure_privacy
from memsys.evaluation.reports import Result, as_json, as_sheet
from memsys.evaluation.sessions import SessionLine
from memsys.evaluation.times import TimeLine, measure_times
from memsys.evaluation.trials import Ingredient, Legs, Trial
from memsys.running.scratch import scratch_installation
from memsys.running.service import ServiceError

# The request path gives a late vector up; here a busy machine must change no rank.
_SETTINGS = {"EMBEDDING_DEADLINE_MS": "60000"}
_INTERRUPTED = 130


class Command(BaseCommand):
    help = "Measure recall, extraction, the privacy filter or time words on a file."
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
        extraction = kinds.add_parser("extraction", help="Read labelled sessions.")
        extraction.add_argument(
            "--with-model",
            action="store_true",
            help="ask the model of the settings too, once a session",
        )
        budget = kinds.add_parser("budget", help="Assemble random contexts.")
        budget.add_argument("--count", type=int, default=10_000)
        budget.add_argument("--seed", type=int, default=1)
        for one in (privacy, times, extraction):
            one.add_argument("file", metavar="FILE", type=Path)
        for one in (recall, privacy, times, extraction, budget):
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
        if options["kind"] == "extraction":
            lines = read_records(options["file"], SessionLine)
            if options["with_model"]:
                return _measure_with_model(lines)
            return measure_extraction(lines)
        return _measure_recall(options["files"], _trial(options))


def _trial(options: dict[str, Any]) -> Trial:
    return Trial(legs=options["legs"], without=frozenset(options["without"]))


def _title(options: dict[str, Any]) -> str:
    if options["kind"] == "recall":
        return f"Recall, {_trial(options).name}"
    if options["kind"] == "extraction":
        who = "rules and model" if options["with_model"] else "rules alone"
        return f"Extraction, {who}"
    titles = {"privacy": "Personal data", "time": "Time words", "budget": "Budgets"}
    return titles[options["kind"]]


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """Show a bar on standard error; give what moves it on."""
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=Console(stderr=True)
    ) as progress:
        bar = progress.add_task("evaluating", total=total)
        yield lambda: progress.advance(bar)


def _measure_with_model(lines: list[SessionLine]) -> Result:
    # What asks the model imports models: Django has to be there before it.
    from memsys.evaluation.model_reading import ModelReader, check_model

    check_model()
    reader = ModelReader()
    with _progress(len(lines)) as advance:
        result = measure_extraction(lines, reader=reader, advance=advance)
    if reader.unusable:
        left = f"{reader.unusable} of {len(lines)} answers could not be used; there "
        Console(stderr=True).print(f"{left}the rules' facts were counted.")
    return result


def _measure_recall(files: list[Path], trial: Trial) -> Result:
    lines = read_relationships(files)
    with scratch_installation(_SETTINGS):
        # Models can be imported only now that the settings can be read.
        from memsys.evaluation.recall import count_steps, measure_recall

        with _progress(count_steps(lines)) as advance:
            return measure_recall(lines, trial=trial, advance=advance)
