"""`manage.py ingest FILE.jsonl`: replays a chat export through the real pipeline."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from consent.gate import GateClosed
from identity.errors import PersonaNotFound
from identity.services import PersonaForm, get_persona, put_persona
from memories.errors import InvalidMessage
from memories.processing import process_session
from memories.sessions import count_unfinished, list_sessions
from memsys.chat_log import ChatLine, ChatLogError, read_lines
from memsys.kernel.text.clean import InvalidIdentifier
from memsys.replay import Summary, replay

WAIT_SECONDS = 600


class Command(BaseCommand):
    help = "Replay a chat log, one JSON object a line, as if it had been posted."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--create-personas",
            action="store_true",
            help="make personas that do not exist, named by their key",
        )
        parser.add_argument(
            "--process-here",
            action="store_true",
            help="process the ended sessions in this command, not in the worker",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        console = Console()
        lines = self._read(options["file"])
        self._check_personas(lines, create=options["create_personas"])
        with Progress(console=console) as progress:
            stored = progress.add_task("messages", total=len(lines))
            try:
                summary = replay(
                    lines,
                    now=timezone.now(),
                    advance=lambda count: progress.advance(stored, count),
                )
            except (InvalidMessage, InvalidIdentifier, GateClosed) as exc:
                raise CommandError(str(exc)) from exc
            self._finish(progress, summary, here=options["process_here"])
        console.print(_table(summary))

    def _read(self, path: Path) -> list[ChatLine]:
        try:
            lines = list(read_lines(path))
        except OSError as exc:
            raise CommandError(f"{path} cannot be read: {exc.strerror}.") from exc
        except (ChatLogError, UnicodeDecodeError, InvalidIdentifier) as exc:
            raise CommandError(f"{path}: {exc} Nothing was stored.") from exc
        if not lines:
            raise CommandError(f"{path} holds no message.")
        return lines

    def _check_personas(self, lines: list[ChatLine], *, create: bool) -> None:
        for creator, key in sorted({(one.creator, one.persona) for one in lines}):
            try:
                get_persona(creator=creator, key=key)
            except PersonaNotFound as exc:
                if not create:
                    raise CommandError(
                        f"There is no persona {key} of {creator}; make it by the API, "
                        "or pass --create-personas. Nothing was stored."
                    ) from exc
                put_persona(PersonaForm(creator, key, key), by="system:ingest")

    def _finish(self, progress: Progress, summary: Summary, *, here: bool) -> None:
        """Process the sessions, or wait until the worker has."""
        total = len(summary.sessions)
        bar = progress.add_task("sessions", total=total)
        if here:
            for session_id in sorted(summary.sessions):
                process_session(session_id, now=timezone.now())
                progress.advance(bar)
            return
        deadline = time.monotonic() + WAIT_SECONDS
        while (left := count_unfinished(summary.sessions)) > 0:
            progress.update(bar, completed=total - left)
            if time.monotonic() > deadline:
                raise CommandError(
                    f"All messages are stored, but {left} sessions still wait for the "
                    "worker; it goes on with them."
                )
            time.sleep(0.5)
        progress.update(bar, completed=total)


def _table(summary: Summary) -> Table:
    table = Table(title="Replayed")
    table.add_column("What")
    table.add_column("Count", justify="right")
    made = sum(
        session.memories_made
        for relationship in summary.relationships
        for session in list_sessions(relationship.id, limit=10_000)
        if session.pk in summary.sessions
    )
    rows = {
        "relationships": len(summary.relationships),
        "messages": summary.lines,
        "stored": summary.stored,
        "duplicates": summary.duplicates,
        "sessions": len(summary.sessions),
        "memories made": made,
        **{f"masked: {kind}": count for kind, count in sorted(summary.masked.items())},
    }
    for what, count in rows.items():
        table.add_row(what, f"{count:,}")
    return table
