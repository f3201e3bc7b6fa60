"""A verification from start to end: chains, files of heads, and the note that it ran.

Owns what is compared by default, and the table that says what was found last. What is
wrong with a chain is `replay`'s, with a file `publishing`'s.

>>> check_chains(by="command:audit").fault_count  # doctest: +SKIP
0
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from memsys.kernel.audit.models import AuditCheck
from memsys.kernel.audit.publishing import read_published
from memsys.kernel.audit.replay import ChainReport, Head
from memsys.kernel.audit.verification import list_heads, verify_chains

HEADS_FILES = "(published heads)"
FINDINGS_KEPT = 50
# More than these are not walked while somebody waits for a page.
INLINE_ENTRIES = 20_000


@dataclass(frozen=True)
class Checked:
    """What one verification found, chain by chain."""

    reports: tuple[ChainReport, ...]

    @property
    def entries(self) -> int:
        return sum(one.entries for one in self.reports)

    @property
    def fault_count(self) -> int:
        return sum(one.fault_count for one in self.reports)


def check_chains(
    *,
    by: str,
    chain: str | None = None,
    published: Iterable[Head] = (),
    tell: Callable[[ChainReport], None] = lambda report: None,
) -> Checked:
    """Verify one chain or all against themselves and all published heads; note it.

    `published` are further heads from elsewhere. `tell` hears of each chain as soon as
    it is done.

    Raises:
        ChainNotFound: there is no such chain, and none was published.
        RuntimeError: a transaction is open.
    """
    kept = read_published()
    reports = []
    for report in verify_chains(chain=chain, published=[*kept.heads, *published]):
        reports.append(report)
        tell(report)
    if kept.faults:
        count = len(kept.faults)
        reports.append(ChainReport(HEADS_FILES, 0, 0, count, kept.faults))
        tell(reports[-1])
    if chain is None:
        for report in _verify_others():
            reports.append(report)
            tell(report)
    checked = Checked(tuple(reports))
    _note(checked, by=by, chain=chain or "")
    return checked


def _verify_others() -> Iterator[ChainReport]:
    """Yield what the apps find in what they sealed into chains: `AUDIT_CHECKS`."""
    for path in settings.AUDIT_CHECKS:
        yield from import_string(path)()


def is_short() -> bool:
    """Say whether all chains together are short enough to be walked at once."""
    return sum(head.seq for head in list_heads()) <= INLINE_ENTRIES


def find_last_check() -> AuditCheck | None:
    """Return the last verification of all chains, or None. One query."""
    return AuditCheck.objects.filter(chain="").order_by("-at", "-pk").first()


def _note(checked: Checked, *, by: str, chain: str) -> None:
    findings = [
        {"chain": one.chain, "kind": fault.kind, "seq": fault.seq, "text": fault.text}
        for one in checked.reports
        for fault in one.faults
    ]
    with transaction.atomic():
        AuditCheck.objects.create(
            by=by,
            chain=chain,
            chains=len(checked.reports),
            entries=checked.entries,
            fault_count=checked.fault_count,
            findings=findings[:FINDINGS_KEPT],
        )
