"""What the API holds of a person, for erasure: digests of what was sent in writes.

The kept answers are ids and counts and expire within a day. The digest of a request is
of its text, so it goes; the key stays taken, so that the request sent again is refused
and not carried out anew.

>>> erase_digests(Erasure(user_id, "relationship", relationship_id), now)
... # doctest: +SKIP
{'kept_answers': 3}
"""

from datetime import datetime

from django.db.models import QuerySet

from memsys.api.models import IdempotencyRecord
from memsys.kernel.erasing import USER, WHOLE_TARGETS, Erasure, ErasureStep

EMPTY = b""


def erase_digests(erasure: Erasure, now: datetime) -> dict[str, int]:
    """Empty the digests of the requests about a relationship, or about a user."""
    return {"kept_answers": _kept(erasure).update(request_digest=EMPTY)}


def count_digests(erasure: Erasure) -> dict[str, int]:
    """Return how many there are."""
    return {"kept_answers": _kept(erasure).count()}


def _kept(erasure: Erasure) -> QuerySet[IdempotencyRecord]:
    rows = IdempotencyRecord.objects.exclude(request_digest=EMPTY)
    if erasure.target == USER:
        rows = rows.filter(user_id=erasure.user_id)
    else:
        rows = rows.filter(relationship_id=erasure.relationship_id)
    if erasure.until is not None:
        rows = rows.filter(created_at__lte=erasure.until)
    return rows


ERASURE_STEPS = (
    ErasureStep(
        "api.kept-answers",
        WHOLE_TARGETS,
        erase_digests,
        count_digests,
        is_of_user=True,
    ),
)
