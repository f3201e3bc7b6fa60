"""What the page of the audit chains tells: verified when, published when, how long.

Owns the sentences, and when somebody should look. Reads as the staff's role.

>>> read_status(now=now).is_alarm  # doctest: +SKIP
False
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils.formats import number_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memsys.kernel.audit.checking import find_last_check
from memsys.kernel.audit.models import AuditCheck
from memsys.kernel.audit.publishing import Mark, find_last_mark
from memsys.kernel.audit.replay import FaultKind, Head
from memsys.kernel.audit.verification import list_heads

# Heads are published every night; a verification is due every week.
PUBLISHED_LATE = timedelta(hours=26)
VERIFIED_LATE = timedelta(days=7)

KINDS: Mapping[str, Any] = {
    FaultKind.CHANGED_ENTRY: gettext_lazy("An entry was changed"),
    FaultKind.CHANGED_PAYLOAD: gettext_lazy("A payload was changed"),
    FaultKind.MISSING_ENTRIES: gettext_lazy("Entries are missing"),
    FaultKind.SWAPPED_ENTRIES: gettext_lazy("Entries were swapped"),
    FaultKind.FORK: gettext_lazy("Two entries have one place"),
    FaultKind.BROKEN_LINK: gettext_lazy("An entry does not follow the one before"),
    FaultKind.CUT_TAIL: gettext_lazy("The end was cut off"),
    FaultKind.WRONG_HEAD: gettext_lazy("The head is wrong"),
    FaultKind.REWRITTEN: gettext_lazy("The chain was rewritten"),
    FaultKind.STRAY_PAYLOAD: gettext_lazy("A payload has lost its entry"),
    FaultKind.MISSING_FILE: gettext_lazy("A file of published heads is gone"),
    FaultKind.CUT_FILE: gettext_lazy("A file of published heads was cut"),
    FaultKind.EDITED_FILE: gettext_lazy("A file of published heads was edited"),
    FaultKind.CHANGED_READS: gettext_lazy("Reads were changed after they were sealed"),
    FaultKind.MISSING_READS: gettext_lazy("Reads are missing from a sealed batch"),
    FaultKind.CHANGED_BATCH: gettext_lazy("A batch of reads was changed"),
    FaultKind.MISSING_BATCH: gettext_lazy("A sealed batch of reads is gone"),
    FaultKind.STRAY_BATCH: gettext_lazy("A batch of reads was never sealed"),
}


# Reports that are about no chain.
OUTSIDE: Mapping[str, Any] = {
    "(access rows)": gettext_lazy("(access rows)"),
    "(published heads)": gettext_lazy("(published heads)"),
}


@dataclass(frozen=True)
class Finding:
    """One fault of the last verification, in words."""

    chain: str
    place: str
    kind: Any
    text: str


@dataclass(frozen=True)
class ChainStatus:
    """What is known of all chains: sentences, faults, heads."""

    verified: str
    published: str
    is_alarm: bool
    is_publishing_late: bool
    findings: tuple[Finding, ...]
    heads: tuple[Head, ...]


def read_status(*, now: datetime) -> ChainStatus:
    """Return what the page tells. Four queries, whatever the chains' length."""
    check, mark = find_last_check(), find_last_mark()
    heads = tuple(sorted(list_heads(), key=lambda one: one.chain))
    is_late = check is None or now - check.at > VERIFIED_LATE
    return ChainStatus(
        verified=_tell_check(check),
        published=_tell_mark(mark),
        is_alarm=is_late or bool(check and check.fault_count),
        is_publishing_late=mark is None or now - mark.at > PUBLISHED_LATE,
        findings=tuple(_finding(one) for one in check.findings) if check else (),
        heads=heads,
    )


def _tell_check(check: AuditCheck | None) -> str:
    if check is None:
        return _("The chains have never been verified.")
    values = {
        "time": f"{localtime(check.at):%Y-%m-%d %H:%M}",
        "who": _name(check.by),
        "chains": check.chains,
        "entries": number_format(check.entries, force_grouping=True),
        "faults": number_format(check.fault_count, force_grouping=True),
    }
    if check.fault_count:
        return (
            _(
                "Verified on %(time)s by %(who)s: %(faults)s faults in %(entries)s "
                "entries of %(chains)s chains."
            )
            % values
        )
    return (
        _(
            "Verified on %(time)s by %(who)s: all %(entries)s entries of %(chains)s "
            "chains are intact."
        )
        % values
    )


def _tell_mark(mark: Mark | None) -> str:
    if mark is None:
        return _("No heads have been published outside of the database yet.")
    return _(
        "The heads were last published on %(time)s, into the file %(file)s. The next "
        "time is at two in the night."
    ) % {"time": f"{localtime(mark.at):%Y-%m-%d %H:%M}", "file": mark.file}


def _finding(told: Mapping[str, Any]) -> Finding:
    return Finding(
        chain=str(OUTSIDE.get(told["chain"], told["chain"])),
        place="" if told["seq"] is None else str(told["seq"]),
        kind=KINDS.get(told["kind"], told["kind"]),
        text=str(told["text"]),
    )


def _name(actor: str) -> str:
    """Return who it was; a member of staff by the name of the account too."""
    kind, _colon, key = actor.partition(":")
    if kind == "staff" and key.isdecimal():
        user = User.objects.filter(pk=int(key)).first()
        if user is not None:
            return f"{user.get_username()} ({actor})"
    return actor
