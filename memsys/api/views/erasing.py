"""An erasure that is done before its request is answered.

Owns the one way in which DELETE and the requests for erasures of single memories erase:
in the transaction that keeps the answer. That a hold refused it is recorded apart.

>>> erase_at_once(view, request, relationship, target, "user-request")
... # doctest: +SKIP
"""

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from consent.erasures import Target, erase_now
from consent.errors import HeldByLaw
from consent.holds import note_refusal
from consent.models import ErasureRun
from identity.types import RelationshipRef
from memories.errors import MemoryNotFound
from memsys.api.idempotency import Answer, answer_once
from memsys.api.serializers.memories import ErasedOut
from memsys.api.views.base import ApiView

Show = Callable[[ErasureRun], Answer]


def erase_at_once(
    view: ApiView,
    request: Request,
    relationship: RelationshipRef,
    target: Target,
    reason_code: str,
    *,
    show: Show | None = None,
) -> Response:
    """Erase a memory or a relationship and answer with what is gone.

    Raises:
        MemoryNotFound: there is no such memory.
        HeldByLaw: a legal hold keeps it.
    """

    def erase() -> Answer:
        run = erase_now(target, by=view.actor, reason_code=reason_code, now=view.now)
        if target.memory_id is not None and not run.counts["memories"]:
            raise MemoryNotFound("There is no such memory.")
        return (show or _show)(run)

    try:
        return answer_once(request, erase, relationship=relationship)
    except HeldByLaw as exc:
        note_refusal(exc, by=view.actor)
        raise


def _show(run: ErasureRun) -> Answer:
    shown: dict[str, Any] = {
        "erased": run.counts,
        "erasure": run.pk,
        "receipt": run.receipt_code,
    }
    return Answer(ErasedOut(shown).data)
