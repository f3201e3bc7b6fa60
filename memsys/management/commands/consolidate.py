"""`manage.py consolidate`: the work of the night, now.

Takes the relationships that wait for it, or one that is named. A dry run tells exactly
what would be done, since it does it and takes it back; while it looks at a relationship,
whoever writes there waits.

    manage.py consolidate --dry-run
    manage.py consolidate --relationship 0192f0c1-2f6b-7c3e-9d4a-5b6c7d8e9f01
"""

from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from identity.errors import RelationshipNotFound
from identity.versions import list_due_consolidations
from memories.consolidation import Consolidated, consolidate

PAGE = 500


class Command(BaseCommand):
    help = "Merge, promote and archive the memories of relationships that wait for it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="tell what would be done, do nothing"
        )
        parser.add_argument(
            "--relationship", type=UUID, metavar="ID", help="this one, due or not"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        is_dry = options["dry_run"]
        named: UUID | None = options["relationship"]
        total, count = Consolidated(), 0
        try:
            for relationship_id in [named] if named else _list_due(now):
                total += consolidate(relationship_id, now=now, is_dry=is_dry)
                count += 1
        except RelationshipNotFound as exc:
            raise CommandError("There is no such relationship.") from exc
        except KeyboardInterrupt:
            raise CommandError(
                f"Stopped after {count} relationships; the others still wait."
            ) from None
        title = "Would be consolidated" if is_dry else "Consolidated"
        console = Console()
        with console.capture() as printed:
            console.print(_table(title, count, total))
        self.stdout.write(printed.get())


def _list_due(now: datetime) -> Iterator[UUID]:
    """Yield the relationships that wait at `now`, page by page."""
    after: tuple[datetime, UUID] | None = None
    while page := list_due_consolidations(now=now, limit=PAGE, after=after):
        yield from (relationship_id for _, relationship_id in page)
        after = page[-1]


def _table(title: str, count: int, total: Consolidated) -> Table:
    table = Table(title=title)
    table.add_column("What")
    table.add_column("Count", justify="right")
    table.add_row("relationships", f"{count:,}")
    for what, number in asdict(total).items():
        table.add_row(f"memories {what}", f"{number:,}")
    return table
