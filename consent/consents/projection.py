"""What the ledger amounts to: the rows of grants, changed by each event.

Owns the rule that the last word counts, for the target that it was about and all that
lies within. An event that comes late overturns no newer one. Under the lock of the
user's row, so that one consent of a user is recorded at a time.

>>> is_effective = apply(event, place, now=now)  # doctest: +SKIP
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Value
from django.db.models.functions import Least

from consent.consents.targets import Place, covers, find_places
from consent.models import ConsentEvent, ConsentGrant
from consent.types import (
    GUARDIAN,
    SENSITIVE,
    ConsentAction,
    GrantStatus,
    TargetKind,
    scope_document,
)
from identity.models import GlobalUser
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.outbox import emit

# When a consent of these ends, data goes that was kept by it.
CARRIES_DATA = (SENSITIVE, GUARDIAN)
PAST = {
    ConsentAction.GRANT: "consent.granted",
    ConsentAction.WITHDRAW: "consent.withdrawn",
    ConsentAction.REFUSE: "consent.refused",
    ConsentAction.EXPIRE: "consent.expired",
}


def lock_user(user_id: UUID) -> GlobalUser:
    """Return the user's row, locked until the transaction ends: one writer at a time."""
    return GlobalUser.objects.select_for_update(no_key=True).get(pk=user_id)


def apply(event: ConsentEvent, place: Place, *, now: datetime) -> bool:
    """Change the grants by an event that was just added; say whether any changed.

    Whoever writes by a grant of this scope is waited for.
    """
    rows = _lock_scope(event)
    own = next((row for row in rows if _is_for(row, event)), None)
    if event.action == ConsentAction.GRANT:
        return _grant(event, place, rows, own)
    is_ended = _end(event, place, rows, own)
    if is_ended and scope_document(event.scope) in CARRIES_DATA:
        note_due(event.global_user_id, at=now)
    return is_ended


def expire(grant: ConsentGrant, *, by: str, now: datetime) -> ConsentEvent:
    """End a locked grant whose time is over, by an event of its own."""
    assert grant.expires_at is not None
    event = ConsentEvent.objects.create(
        global_user_id=grant.global_user_id,
        scope=grant.scope,
        target_kind=grant.target_kind,
        target_id=grant.target_id,
        action=ConsentAction.EXPIRE,
        policy_version_id=grant.policy_version_id,
        acted_at=grant.expires_at,
        actor=by,
    )
    grant.status, grant.ended_at = GrantStatus.EXPIRED, grant.expires_at
    grant.last_event = event
    grant.save(update_fields=["status", "ended_at", "last_event"])
    tell(event, is_effective=True)
    return event


def note_due(user_id: UUID, *, at: datetime) -> None:
    """Have the user's grants looked at from a moment on; an earlier one stays."""
    GlobalUser.objects.filter(pk=user_id).update(
        # PostgreSQL's LEAST passes over null.
        consents_due_at=Least("consents_due_at", Value(at))
    )


def tell(event: ConsentEvent, *, is_effective: bool) -> None:
    """Record the deed of an event, and let outsiders hear of what it changed."""
    user_id = event.global_user_id
    told = {
        "scope": event.scope,
        "action": str(event.action),
        "target_kind": str(event.target_kind),
        "target_id": str(event.target_id) if event.target_id else None,
        "event": str(event.pk),
    }
    record(
        Deed(
            chain=deed_chain(user_id),
            action=PAST[ConsentAction(event.action)],
            actor=event.actor,
            object_ref=f"consent:{event.pk}",
            field_names=(event.scope,),
            subject=user_id,
            details=told | {"is_effective": is_effective},
        )
    )
    if is_effective:
        is_for_one = event.target_kind == TargetKind.RELATIONSHIP
        emit(
            "consent.changed",
            user_id=user_id,
            relationship_id=event.target_id if is_for_one else None,
            data=told,
        )


def _lock_scope(event: ConsentEvent) -> list[ConsentGrant]:
    rows = ConsentGrant.objects.filter(
        global_user_id=event.global_user_id, scope=event.scope
    )
    # The ledger's rows are never changed, and the app may not lock them.
    locked = rows.select_related("last_event").select_for_update(of=("self",))
    return list(locked.order_by("id"))


def _is_for(row: ConsentGrant, event: ConsentEvent) -> bool:
    return (row.target_kind, row.target_id) == (event.target_kind, event.target_id)


def _grant(
    event: ConsentEvent,
    place: Place,
    rows: Sequence[ConsentGrant],
    own: ConsentGrant | None,
) -> bool:
    if own is not None and _last_word_at(own) > event.acted_at:
        return False
    # Of two words in one moment, no is heard.
    if any(
        row.last_event.acted_at >= event.acted_at
        for row, there in _with_places(event.global_user_id, rows)
        if row.status == GrantStatus.WITHDRAWN and covers(there, place)
    ):
        return False
    row = own or _new_row(event)
    row.status, row.policy_version_id = GrantStatus.GRANTED, event.policy_version_id
    row.granted_at, row.expires_at = event.acted_at, event.expires_at
    row.ended_at, row.last_event = None, event
    row.save()
    if event.expires_at is not None:
        note_due(event.global_user_id, at=event.expires_at)
    return True


def _end(
    event: ConsentEvent,
    place: Place,
    rows: Sequence[ConsentGrant],
    own: ConsentGrant | None,
) -> bool:
    """End the grant for this target and those within; a wider one no longer reaches it.

    A target for which nothing was granted gets a row too: that is what stops the wider.
    """
    ended = [
        row
        for row, there in _with_places(event.global_user_id, rows)
        if row is not own and row.status == GrantStatus.GRANTED and covers(place, there)
    ]
    ended += [own] if own is not None else []
    ended = [row for row in ended if _last_word_at(row) <= event.acted_at]
    ended += [_new_row(event)] if own is None else []
    for row in ended:
        row.status, row.ended_at = GrantStatus.WITHDRAWN, event.acted_at
        row.last_event = event
        row.save()
    return bool(ended)


def _last_word_at(row: ConsentGrant) -> datetime:
    """Return when the user last said something; that time ran out is no word."""
    if row.status == GrantStatus.EXPIRED and row.granted_at is not None:
        return row.granted_at
    return row.last_event.acted_at


def _new_row(event: ConsentEvent) -> ConsentGrant:
    return ConsentGrant(
        global_user_id=event.global_user_id,
        scope=event.scope,
        target_kind=event.target_kind,
        target_id=event.target_id,
    )


def _with_places(
    user_id: UUID, rows: Sequence[ConsentGrant]
) -> Iterator[tuple[ConsentGrant, Place]]:
    """Yield each row with where its target lies; none whose target is gone."""
    places = find_places(user_id, [(row.target_kind, row.target_id) for row in rows])
    for row in rows:
        if (place := places.get((row.target_kind, row.target_id))) is not None:
            yield row, place
