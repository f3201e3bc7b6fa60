"""`manage.py ingest FILE.jsonl`: replays a chat export through the real pipeline."""

import time
from argparse import ArgumentParser
from collections.abc import Callable
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
from memories.errors import SessionFailed
from memories.sessions import count_made, count_unfinished
from memories.tasks import process
from memsys.chat_log import ChatLine, ChatLogError, read_lines
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
        try:
            with Progress(console=console) as progress:
                summary = self._replay(progress, lines)
                self._finish(progress, summary, here=options["process_here"])
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. What was stored stays; run it again to store the rest."
            ) from None
        console.print(_table(summary))

    def _read(self, path: Path) -> list[ChatLine]:
        try:
            lines = list(read_lines(path, now=timezone.now()))
        except OSError as exc:
            raise CommandError(f"{path} cannot be read: {exc.strerror}.") from exc
        except (ChatLogError, UnicodeDecodeError) as exc:
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

    def _replay(self, progress: Progress, lines: list[ChatLine]) -> Summary:
        bar = progress.add_task("messages", total=len(lines))
        try:
            return replay(
                lines,
                now=timezone.now(),
                advance=lambda count: progress.advance(bar, count),
            )
        except GateClosed as exc:
            raise CommandError(
                f"A relationship takes no messages ({exc.code}). Nothing was stored."
            ) from exc

    def _finish(self, progress: Progress, summary: Summary, *, here: bool) -> None:
        """Process the sessions, or wait until the worker has."""
        total = len(summary.sessions)
        bar = progress.add_task("sessions", total=total)
        if here:
            self._process(summary, advance=lambda: progress.advance(bar))
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

    def _process(self, summary: Summary, *, advance: Callable[[], None]) -> None:
        failed = 0
        for session_id in sorted(summary.sessions):
            try:
                process(session_id=str(session_id))
            except SessionFailed:
                failed += 1
            advance()
        if failed:
            raise CommandError(
                f"All messages are stored, but {failed} sessions failed; the worker "
                "tries them again, and so does this command, in a minute."
            )


def _table(summary: Summary) -> Table:
    table = Table(title="Replayed")
    table.add_column("What")
    table.add_column("Count", justify="right")
    rows = {
        "relationships": len(summary.relationships),
        "messages": summary.lines,
        "stored": summary.stored,
        "duplicates": summary.duplicates,
        "sessions": len(summary.sessions),
        "memories made": count_made(summary.sessions),
        **{f"masked: {kind}": count for kind, count in sorted(summary.masked.items())},
    }
    for what, count in rows.items():
        table.add_row(what, f"{count:,}")
    return table
