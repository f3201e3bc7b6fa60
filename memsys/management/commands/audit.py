"""`manage.py audit`: verify the audit chains, publish their heads, export one chain.

Verification ends with 1 when anything is wrong. It compares with the heads that were
published into AUDIT_HEADS_DIR, and with those of a file that is kept elsewhere:

    manage.py audit publish
    manage.py audit verify --heads heads.jsonl
    manage.py audit export deeds-07 deeds-07.jsonl
"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.audit.checking import Checked, check_chains
from memsys.kernel.audit.errors import ChainNotFound
from memsys.kernel.audit.exporting import export_chain
from memsys.kernel.audit.publishing import (
    HeadsUnreadable,
    line_of,
    publish_heads,
    read_head,
)
from memsys.kernel.audit.replay import ChainReport, Head
from memsys.kernel.audit.verification import list_heads

BY = "command:audit"


class Command(BaseCommand):
    help = "Verify the audit chains, publish their heads, or export one chain."

    def add_arguments(self, parser: ArgumentParser) -> None:
        deeds = parser.add_subparsers(dest="deed", required=True)
        verify = deeds.add_parser("verify", help="Work out every digest again.")
        verify.add_argument("--chain", metavar="NAME", help="Verify one chain only.")
        verify.add_argument(
            "--heads",
            metavar="FILE",
            type=Path,
            help="Compare with these heads too, besides the published ones.",
        )
        verify.add_argument(
            "--json", action="store_true", help="Print one JSON object."
        )
        deeds.add_parser("heads", help="Print the head of each chain as a JSON line.")
        deeds.add_parser("publish", help="Add the heads to the month's file.")
        export = deeds.add_parser("export", help="Write a chain that proves itself.")
        export.add_argument("chain", metavar="CHAIN")
        export.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        deeds = {
            "verify": self._verify,
            "heads": self._print_heads,
            "publish": self._publish,
            "export": self._export,
        }
        try:
            deeds[options["deed"]](options)
        except ChainNotFound as exc:
            raise CommandError(str(exc)) from exc

    def _verify(self, options: dict[str, Any]) -> None:
        is_json = options["json"]
        heads = list(_read_heads(options["heads"])) if options["heads"] else []
        checked = check_chains(
            by=BY,
            chain=options["chain"],
            published=heads,
            tell=(lambda report: None) if is_json else self._print_report,
        )
        if is_json:
            self.stdout.write(json.dumps(_as_json(checked), indent=2))
        if checked.fault_count:
            faulty = sum(bool(one.fault_count) for one in checked.reports)
            raise CommandError(
                f"Faults found: {checked.fault_count}, in {faulty} chain(s)."
            )
        if not is_json:
            count = len(checked.reports)
            self.stdout.write(f"Intact: {count} chains, {checked.entries} entries.")

    def _print_heads(self, options: dict[str, Any]) -> None:
        now = timezone.now()
        for head in list_heads():
            self.stdout.write(json.dumps(line_of(head, read_at=now)))

    def _publish(self, options: dict[str, Any]) -> None:
        published = publish_heads(by=BY, now=timezone.now())
        self.stdout.write(f"Published {published.heads} heads into {published.file}.")

    def _export(self, options: dict[str, Any]) -> None:
        lines = export_chain(options["chain"])
        try:
            with options["file"].open("x", encoding="utf-8", newline="\n") as file:
                file.writelines(lines)
        except OSError as exc:
            raise CommandError(f"{options['file']} cannot be written: {exc}") from exc
        with transaction.atomic():
            record(
                Deed(
                    chain="governance",
                    action="audit.chain_exported",
                    actor=BY,
                    object_ref=f"audit_chain:{options['chain']}",
                )
            )
        self.stdout.write(f"Exported {options['chain']} into {options['file']}.")

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
            yield read_head(line)
        except HeadsUnreadable as exc:
            raise CommandError(f"{path}, line {number}: {exc}") from exc


def _as_json(checked: Checked) -> dict[str, Any]:
    return {
        "is_intact": not checked.fault_count,
        "chains": [asdict(report) for report in checked.reports],
    }
