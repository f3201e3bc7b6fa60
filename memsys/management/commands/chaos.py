"""`manage.py chaos week`: rehearse failure, and check what must hold whatever happens.

It is called without settings and makes an installation of its own, so it runs with or
without `up` beside it. Standard output holds the result alone; the exit code is 1 when
a promise is broken.

    manage.py chaos week
    manage.py chaos week --relationships 10 --sessions 100 --kills 3 --wipes 1 --json
"""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

from memsys.chaos.errors import ChaosError
from memsys.chaos.rehearsal import rehearse
from memsys.chaos.reports import as_json, as_sheets
from memsys.chaos.results import Order, Report, Result, Standing
from memsys.chaos.week import Size
from memsys.running.service import ServiceError

_INTERRUPTED = 130
_MOST_FAILING_PERCENT = 50


def _whole(low: int, high: int) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range."""

    def read(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise ArgumentTypeError(f"a whole number from {low} to {high}, please")
        return int(text)

    return read


class Command(BaseCommand):
    help = "Rehearse failure on servers of its own, and check what must hold."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True)
        week = kinds.add_parser(
            "week",
            help="A week of chats while workers die and the model misbehaves.",
        )
        numbers = {
            "relationships": (200, _whole(1, 10_000), "users times two personas"),
            "sessions": (3000, _whole(1, 100_000), "in all of the week"),
            "kills": (30, _whole(0, 1000), "of the worker, at random moments"),
            "wipes": (2, _whole(0, 100), "of the broker"),
            "failing-percent": (
                20,
                _whole(0, _MOST_FAILING_PERCENT),
                "of the model's answers",
            ),
            "seed": (1, _whole(0, 2**31), "decides the week, the moods, the moments"),
        }
        for name, (default, read, help_text) in numbers.items():
            week.add_argument(
                f"--{name}", type=read, default=default, help=f"{help_text} ({default})"
            )
        week.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with _progress() as report:
                result = rehearse(_order(options), now=datetime.now(UTC), report=report)
        except (ChaosError, ServiceError, ValueError) as exc:
            raise CommandError(str(exc)) from exc
        except KeyboardInterrupt:
            raise CommandError("Stopped.", returncode=_INTERRUPTED) from None
        self.show(result, is_json=options["json"])

    def show(self, result: Result, *, is_json: bool) -> None:
        """Print a result.

        Raises:
            CommandError: a promise is broken; each broken one is named.
        """
        if is_json:
            text = json.dumps(as_json(result), ensure_ascii=False, indent=2)
            self.stdout.write(text)
        else:
            Console().print(as_sheets(result))
        if result.broken:
            names = "; ".join(one.name for one in result.broken)
            raise CommandError(f"Broken: {names}.")


def _order(options: dict[str, Any]) -> Order:
    return Order(
        size=Size(options["relationships"], options["sessions"]),
        kills=options["kills"],
        wipes=options["wipes"],
        failing_percent=options["failing_percent"],
        seed=options["seed"],
    )


@contextmanager
def _progress() -> Iterator[Report]:
    """Show a bar on standard error; yield what moves it."""
    columns = (
        *Progress.get_default_columns()[:2],
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("starting", total=None)

        def report(standing: Standing) -> None:
            told = f"{standing.messages:,} messages, {standing.kills} kills"
            progress.update(
                bar,
                description=f"{told}, {standing.wipes} wipes, sessions",
                completed=standing.sessions_done,
                total=standing.sessions,
            )

        yield report
