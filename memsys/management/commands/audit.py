"""`manage.py audit`: verify the audit chains, or print their heads.

Ends with 1 when anything is wrong. The heads are JSON lines; kept outside the
database they prove later that no tail was cut and nothing rewritten:

    manage.py audit heads >> heads.jsonl
    manage.py audit verify --heads heads.jsonl
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memsys.kernel.audit.errors import ChainNotFound
from memsys.kernel.audit.replay import ChainReport, Head
from memsys.kernel.audit.verification import list_heads, verify_chains


class Command(BaseCommand):
    help = "Verify the audit chains, or print their heads."

    def add_arguments(self, parser: ArgumentParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True)
        verify = deeds.add_parser("verify", help="Work out every digest again.")
        verify.add_argument("--chain", metavar="NAME", help="Verify one chain only.")
        verify.add_argument(
            "--heads",
            metavar="FILE",
            type=Path,
            help="Compare with heads that `audit heads` printed before.",
        )
        verify.add_argument(
            "--json", action="store_true", help="Print one JSON object."
        )
        deeds.add_parser("heads", help="Print the head of each chain as a JSON line.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["deed"] == "heads":
            self._print_heads()
            return
        published = list(_read_heads(options["heads"])) if options["heads"] else []
        reports = []
        try:
            for report in verify_chains(chain=options["chain"], published=published):
                reports.append(report)
                if not options["json"]:
                    self._print_report(report)
        except ChainNotFound as exc:
            raise CommandError(str(exc)) from exc
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(reports), indent=2))
        faulty = [report for report in reports if report.fault_count]
        if faulty:
            count = sum(report.fault_count for report in faulty)
            raise CommandError(f"Faults found: {count}, in {len(faulty)} chain(s).")
        if not options["json"]:
            entries = sum(report.entries for report in reports)
            self.stdout.write(f"Intact: {len(reports)} chains, {entries} entries.")

    def _print_heads(self) -> None:
        read_at = timezone.now().isoformat()
        for head in list_heads():
            line = {
                "chain": head.chain,
                "seq": head.seq,
                "digest": head.digest.hex(),
                "read_at": read_at,
            }
            self.stdout.write(json.dumps(line))

    def _print_report(self, report: ChainReport) -> None:
        verdict = f"{report.fault_count} FAULTS" if report.fault_count else "intact"
        self.stdout.write(
            f"{report.chain}: {verdict}, {report.entries} entries, "
            f"{report.erased_payloads} payloads erased"
        )
        for fault in report.faults:
            place = "" if fault.seq is None else f" at {fault.seq}"
            self.stdout.write(f"  {fault.kind}{place}: {fault.text}")
        if unnamed := report.fault_count - len(report.faults):
            self.stdout.write(f"  and {unnamed} more")


def _read_heads(path: Path) -> Iterator[Head]:
    """Yield the heads in a file of JSON lines.

    Raises:
        CommandError: the file cannot be read, or a line is not a head.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as exc:
        raise CommandError(f"{path} cannot be read: {exc}") from exc
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
            yield Head(
                str(told["chain"]), int(told["seq"]), bytes.fromhex(told["digest"])
            )
        except (ValueError, KeyError, TypeError) as exc:
            raise CommandError(
                f"{path}, line {number}: expected chain, seq and digest."
            ) from exc


def _as_json(reports: list[ChainReport]) -> dict[str, Any]:
    return {
        "is_intact": not any(report.fault_count for report in reports),
        "chains": [asdict(report) for report in reports],
    }
