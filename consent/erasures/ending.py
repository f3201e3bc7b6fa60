"""The status of a relationship and its erasure: neither may undo the other.

Owns that what is being erased, or waits for it, is not opened again by the desk; and
that the end of a relationship brings an erasure with it. This one waits, so that a
mistake can be undone, but never so long that a day passes before everything is gone.
When it is done the relationship stays ended. Undone, it takes the end back too: what
has ended and is kept all the same is what the law forbids.

Source: PIPL, articles 15 and 47.

>>> end(relationship, by="service:ab12", reason_code="user-request", now=now).state
... # doctest: +SKIP
'waiting'
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from consent.erasures.targets import Target
from consent.erasures.wishes import OPEN_STATES, lock_user, request
from consent.models import ErasureRun
from consent.types import ErasureTarget
from identity.errors import StatusConflict
from identity.models import Relationship
from identity.statuses import carry_wish, set_status
from identity.types import RelationshipRef, RelationshipStatus

REASON = "relationship-ended"
# Everything is gone within a day; the last hour of it is for the work.
LONGEST_WAIT = timedelta(hours=23)


def end(
    relationship: RelationshipRef, *, by: str, reason_code: str, now: datetime
) -> ErasureRun | None:
    """End a relationship and have its content erased; None when it has ended before.

    An erasure of it that waits already becomes this one, and waits no longer than it. A
    legal hold bars the erasure, not the end.

    Raises:
        RelationshipNotFound: there is no such relationship.
    """
    target = Target(relationship.user_id, relationship.id)
    with transaction.atomic():
        lock_user(target)
        rows = Relationship.objects.filter(status=RelationshipStatus.ENDED)
        if rows.filter(pk=relationship.id).exists():
            return None
        # First, so that it remembers the status from before the end.
        run = request(
            target,
            by=by,
            reason_code=REASON,
            at_once=False,
            now=now,
            longest=LONGEST_WAIT,
        )
        carry_wish(relationship.id, "end", by=by, reason_code=reason_code)
    return run


def change_status(
    relationship: RelationshipRef,
    to: str,
    *,
    by: str,
    reason_code: str,
    come_from: Collection[str],
) -> bool:
    """Give a relationship a status, one of `come_from` before; False when it has it.

    Raises:
        RelationshipNotFound: there is no such relationship.
        StatusConflict: its status allows it not, or an erasure of it is not over.
    """
    with transaction.atomic():
        lock_user(Target(relationship.user_id, relationship.id))
        about = Q(target=ErasureTarget.USER) | Q(
            target=ErasureTarget.RELATIONSHIP, relationship_id=relationship.id
        )
        runs = ErasureRun.objects.filter(
            about, global_user_id=relationship.user_id, state__in=OPEN_STATES
        )
        if runs.exists():
            raise StatusConflict("An erasure of it is not over; it can be undone.")
        return set_status(
            relationship.id, to, by=by, reason_code=reason_code, come_from=come_from
        )
