"""Legal holds for tests.

>>> make_hold(ann.user_id, relationship_id=ann.id).lifted_at  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.utils import timezone

from consent import approvals, holds
from consent.models import ChangeRequest, LegalHold

OFFICER, REVIEWER = 31, 32


def make_hold(user_id: UUID, **told: Any) -> LegalHold:
    """Place a hold on a user, or on what `told` names of them."""
    given = {
        "reason_code": "court-order",
        "case_ref": "2026-民初-114",
        "by": f"staff:{OFFICER}",
        "now": timezone.now(),
    }
    return holds.place(user_id, **given | told)


def lift(
    hold: LegalHold, *, by: int = OFFICER, second: int = REVIEWER
) -> ChangeRequest:
    """Have a hold lifted by two persons."""
    request = holds.propose_lifting(
        hold.pk, reason="案件已结", by=by, now=timezone.now()
    )
    return approvals.approve(
        request.pk, by=second, payload_hash=request.payload_hash, now=timezone.now()
    )
