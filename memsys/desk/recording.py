"""Records the words by which staff explain a deed, beside the deed's own audit row.

>>> note_reason(request, user_id=user_id, object_ref=f"hold:{hold_id}",
...             action="hold.reason", form=form)  # doctest: +SKIP
"""

from uuid import UUID

from django.db import transaction
from django.http import HttpRequest

from memsys.desk.reasons import ReasonForm
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.pages.read_only import actor_of


def note_reason(
    request: HttpRequest,
    *,
    user_id: UUID,
    object_ref: str,
    action: str,
    form: ReasonForm,
) -> None:
    """Record a reason: the code in the chain, the words where they can be erased."""
    with transaction.atomic():
        record(
            Deed(
                chain=deed_chain(user_id),
                action=action,
                actor=actor_of(request),
                object_ref=object_ref,
                reason_code=form.code,
                subject=user_id,
                details={"words": form.words},
            )
        )
