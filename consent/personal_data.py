"""What this app holds of a person, for erasure; for export see `consent.exports`.

What expires by itself is in `consent.retention`.

Owns the steps over profile values, grants, exports, words of requests and the payloads
of the audit chain. The ledger of consent, receipts and access rows stay: they hold no
words of a person; see `consent.erasures.stores`.

>>> [step.name for step in ERASURE_STEPS][0]
'consent.exports'
"""

from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.consents import ConsentForm, record
from consent.exports.sections import export_sections
from consent.models import (
    ConsentGrant,
    ExportChunk,
    ExportRun,
    ProfileValue,
    SubjectRequestNote,
)
from consent.retention.own import RULES as RETENTION_RULES
from consent.types import ConsentAction, ExportState, GrantStatus, TargetKind
from memsys.kernel.audit.models import AuditPayload
from memsys.kernel.erasing import (
    ANY_TARGET,
    RELATIONSHIP,
    USER,
    WHOLE_TARGETS,
    Erasure,
    ErasureStep,
)

__all__ = ["ERASURE_STEPS", "RETENTION_RULES", "export_sections"]

OF_USER = frozenset({USER})
WITH_FILE = (
    ExportState.QUEUED, ExportState.RUNNING, ExportState.READY, ExportState.TAKEN,
)  # fmt: skip


def erase_exports(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Delete the files of exports that hold what is erased; one under way ends.

    It ends before its pieces are deleted: whoever makes it adds none without its row.
    """
    runs = _exports(erasure)
    runs.filter(state__in=WITH_FILE).update(
        state=ExportState.EXPIRED, expires_at=now, lease_until=None, progress=0
    )
    chunks = ExportChunk.objects.filter(
        global_user_id=erasure.user_id, export__in=runs.values("id")
    )
    return {"export_chunks": chunks.delete()[0]}


def count_exports(erasure: Erasure) -> dict[str, int]:
    """Return how many pieces of files there are."""
    chunks = ExportChunk.objects.filter(
        global_user_id=erasure.user_id, export__in=_exports(erasure).values("id")
    )
    return {"export_chunks": chunks.count()}


def _exports(erasure: Erasure) -> QuerySet[ExportRun]:
    """Return the exports that what is erased may be in: of it, or of all of a user."""
    rows = ExportRun.objects.filter(global_user_id=erasure.user_id)
    if erasure.target != USER:
        rows = rows.filter(
            Q(relationship=None) | Q(relationship_id=erasure.relationship_id)
        )
    if erasure.until is not None:
        rows = rows.filter(requested_at__lte=erasure.until)
    return rows


def erase_notes(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Delete the words of requests about what is erased; their numbers stay."""
    return {"request_notes": _notes(erasure).delete()[0]}


def count_notes(erasure: Erasure) -> dict[str, int]:
    """Return how many notes there are."""
    return {"request_notes": _notes(erasure).count()}


def _notes(erasure: Erasure) -> QuerySet[SubjectRequestNote]:
    rows = SubjectRequestNote.objects.filter(global_user_id=erasure.user_id)
    if erasure.target == RELATIONSHIP:
        of_it = {"request__relationship_id": erasure.relationship_id}
        rows = rows.filter(**of_it)
    if erasure.until is not None:
        rows = rows.filter(written_at__lte=erasure.until)
    return rows


def erase_profile(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Delete the values of a user's profile."""
    return {"profile_values": _values(erasure).delete()[0]}


def count_profile(erasure: Erasure) -> dict[str, int]:
    """Return how many values there are."""
    return {"profile_values": _values(erasure).count()}


def _values(erasure: Erasure) -> QuerySet[ProfileValue]:
    rows = ProfileValue.objects.filter(global_user_id=erasure.user_id)
    if erasure.until is not None:
        rows = rows.filter(updated_at__lte=erasure.until)
    return rows


def end_grants(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Withdraw every grant that a user still gives; a wide one ends the narrow ones."""
    rows = list(_grants(erasure).select_related("last_event").order_by("id"))
    for row in sorted(rows, key=lambda one: one.target_kind != TargetKind.ALL):
        if not _grants(erasure).filter(pk=row.pk).exists():
            continue
        at = max(now, row.last_event.acted_at)
        form = ConsentForm(
            user_id=erasure.user_id,
            scope=row.scope,
            action=ConsentAction.WITHDRAW,
            target_kind=row.target_kind,
            target_id=row.target_id,
            acted_at=at,
            evidence_id="erasure",
        )
        record(form, by=erasure.by, now=at)
    return {"grants": len(rows)}


def count_grants(erasure: Erasure) -> dict[str, int]:
    """Return how many grants a user still gives."""
    return {"grants": _grants(erasure).count()}


def _grants(erasure: Erasure) -> QuerySet[ConsentGrant]:
    rows = ConsentGrant.objects.filter(
        global_user_id=erasure.user_id, status=GrantStatus.GRANTED
    )
    if erasure.until is not None:
        rows = rows.filter(granted_at__lte=erasure.until)
    return rows


def erase_payloads(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Delete what audit entries about a user held beside ids; the chain still verifies."""
    return {"audit_payloads": _payloads(erasure).delete()[0]}


def count_payloads(erasure: Erasure) -> dict[str, int]:
    """Return how many payloads there are."""
    return {"audit_payloads": _payloads(erasure).count()}


def _payloads(erasure: Erasure) -> QuerySet[AuditPayload]:
    rows = AuditPayload.objects.filter(subject=erasure.user_id)
    if erasure.until is not None:
        # The ids of entries begin with the time, in milliseconds.
        first = UUID(int=int(erasure.until.timestamp() * 1000) << 80)
        rows = rows.filter(entry_id__lt=first)
    return rows


ERASURE_STEPS = (
    ErasureStep(
        "consent.exports", ANY_TARGET, erase_exports, count_exports, is_of_user=True
    ),
    ErasureStep(
        "consent.request-notes",
        WHOLE_TARGETS,
        erase_notes,
        count_notes,
        is_of_user=True,
    ),
    ErasureStep(
        "consent.profile", OF_USER, erase_profile, count_profile, is_of_user=True
    ),
    ErasureStep("consent.grants", OF_USER, end_grants, count_grants, is_of_user=True),
    ErasureStep(
        "consent.audit-payloads",
        OF_USER,
        erase_payloads,
        count_payloads,
        is_of_user=True,
    ),
)
