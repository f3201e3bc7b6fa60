"""`manage.py erasures`: the ledger of erasures, and doing them again after a restore.

`list` checks every line and says what the database knows of it. `replay` empties the
caches, which hold copies of the database that there was before, and erases again what a
restored one does not know; until it has, nothing serves. Both end with 1 when the ledger
is missing, cut or edited; `replay` also when the caches cannot be reached.

    manage.py erasures list
    manage.py erasures replay
"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from consent import erasures, ledger
from consent.errors import LedgerError
from consent.models import ErasureRun, LegalHold
from memsys.kernel.valkey import Unreachable, drop_copies


class Command(BaseCommand):
    help = "List the ledger of erasures and holds, or do again what a restore undid."
    # It must work when nothing else may: of the checks it needs none.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True)
        shown = deeds.add_parser("list", help="Check every line and show it.")
        shown.add_argument("--json", action="store_true", help="Print JSON lines.")
        deeds.add_parser("replay", help="Erase again what the database does not know.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["deed"] == "list":
                self._list(is_json=options["json"])
            else:
                self._replay()
        except LedgerError as exc:
            raise CommandError(str(exc)) from exc

    def _list(self, *, is_json: bool) -> None:
        known, count = ledger.read_known(), 0
        for line in ledger.read_lines():
            told = _tell(line, known=known)
            text = json.dumps(told) if is_json else "  ".join(map(str, told.values()))
            self.stdout.write(text)
            count += 1
        if not is_json:
            self.stdout.write(
                f"Intact: {count} lines in {ledger.path_of()}, {count - known} of them "
                "not known to this database."
            )

    def _replay(self) -> None:
        try:
            drop_copies()
        except Unreachable as exc:
            raise CommandError("Valkey does not answer, and must be emptied.") from exc
        outcomes: dict[str, int] = {}
        for done in erasures.replay(now=timezone.now()):
            outcomes[done.outcome] = outcomes.get(done.outcome, 0) + 1
            self.stdout.write(f"{done.number}: {done.target}, {done.outcome}")
        if blocked := outcomes.get("blocked"):
            self.stdout.write(
                f"{blocked} are held by law: restricted now, erased once that ends."
            )
        self.stdout.write(
            f"Replayed: {sum(outcomes.values())}. The database follows the ledger."
        )


def _tell(line: ledger.Line, *, known: int) -> dict[str, Any]:
    return {
        "number": line.number,
        "written": line.entry.covers_until.isoformat(timespec="seconds"),
        "target": line.entry.target,
        "run": str(line.entry.run),
        "user": str(line.entry.user),
        "known": line.number <= known,
        "state": _state_of(line.entry),
    }


def _state_of(entry: ledger.Entry) -> str:
    if entry.target in (ledger.HOLD_PLACED, ledger.HOLD_LIFTED):
        hold = LegalHold.objects.filter(pk=entry.run).first()
        if hold is not None:
            return "held" if hold.lifted_at is None else "lifted"
        return "nobody"
    run = ErasureRun.objects.filter(pk=entry.run).first()
    return str(run.state) if run is not None else "nobody"
