"""How the steps of a request are recorded, and how it ends.

Owns the deeds in the chain `governance`. The words of people go to the payload of the
deed, which can be erased.
"""

from datetime import datetime
from typing import Any

from consent.models import ChangeRequest
from consent.types import ChangeState
from memsys.kernel.audit.chain import Deed, record

GOVERNANCE_CHAIN = "governance"
BY_SYSTEM = "system:approvals"


def staff(person: int) -> str:
    """Return how the audit names a person at the desk."""
    return f"staff:{person}"


def record_step(
    request: ChangeRequest, action: str, *, by: str, words: str = "", code: str = ""
) -> None:
    """Record a step of a request in the open transaction."""
    record(
        Deed(
            chain=GOVERNANCE_CHAIN,
            action=action,
            actor=by,
            object_ref=f"change_request:{request.pk}",
            field_names=tuple(request.payload),
            reason_code=code or request.kind,
            details={"payload_hash": request.payload_hash, "reason": words},
        )
    )


def close(
    request: ChangeRequest, result: dict[str, Any], *, by: str, now: datetime
) -> None:
    """End a locked request as done, or as failed when its result holds an error."""
    error = str(result.get("error", ""))
    request.state = ChangeState.FAILED if error else ChangeState.DONE
    request.result, request.finished_at = result, now
    request.save(update_fields=["state", "result", "finished_at"])
    action = "change.failed" if error else "change.carried_out"
    record_step(request, action, by=by, code=error)
