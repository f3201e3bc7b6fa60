"""`manage.py retention`: what is kept no longer, told or deleted now.

`--dry-run` tells what the next night would delete and what stays and why; it changes
nothing. `run` does the work of the night at once, again if it was done before; the job
of the next night then has less to do. Both look at every relationship that is due.

    manage.py retention --dry-run
    manage.py retention run
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.translation import override
from rich.console import Console
from rich.table import Table

from consent import retention
from consent.models import RetentionRun
from consent.retention import Plan

Rows = Iterator[tuple[str, str, int]]


class Command(BaseCommand):
    help = "Tell or delete what is kept no longer."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "deed", nargs="?", choices=["run"], help="delete it, as the night does"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="tell what would go, do nothing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if (options["deed"] is None) != options["dry_run"]:
            raise CommandError("Say either `run` or `--dry-run`.")
        if options["dry_run"]:
            now = timezone.now()
            made = retention.plan(now=now, until=now)
            self._print("Would go now", made.looked, _tell_plan(made))
        else:
            night = self._run()
            self._print(f"Night of {night}", night.looked, _tell_night(night))

    def _run(self) -> RetentionRun:
        night = retention.begin_night(now=timezone.now(), is_again=True)
        while due := retention.list_due(night):
            for one in due:
                retention.look(one, night, now=timezone.now())
        while not retention.finish_night(night, now=timezone.now()):
            pass
        return RetentionRun.objects.get(pk=night.pk)

    def _print(self, title: str, looked: int, rows: Rows) -> None:
        table = Table(title=title)
        table.add_column("Class of data")
        table.add_column("What")
        table.add_column("Count", justify="right")
        table.add_row("relationships", "looked at", f"{looked:,}")
        with override("en"):
            for code, what, count in rows:
                table.add_row(retention.get_class(code).title, what, f"{count:,}")
        console = Console()
        with console.capture() as printed:
            console.print(table)
        self.stdout.write(printed.get())


def _tell_plan(made: Plan) -> Rows:
    for code, count in made.counts.items():
        yield code, "would go", count
    for why, counts in made.kept.items():
        for code, count in counts.items():
            yield code, f"would stay ({why})", count
    yield "inactive_relationship", "users would be told", made.told
    yield "inactive_notice", "would be erased", made.over


def _tell_night(night: RetentionRun) -> Rows:
    for code, count in night.counts.items():
        yield code, "gone", count
    for code, count in night.kept.items():
        yield code, "kept", count
