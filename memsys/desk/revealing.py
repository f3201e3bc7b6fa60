"""Opening one memory or message to one person, for ten minutes, with a reason.

Owns what it takes (a right, and for some a second person), the window, and that the
audit has the deed, committed, before a value is read. Pages are in `views.reveals`.

>>> open_window(item, staff_id=3, reason=form, now=now)  # doctest: +SKIP
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from consent import approvals, minor_access
from consent.models import AccessRecord, ChangeRequest
from consent.types import ChangeState
from identity.types import AgeBand, RelationshipRef
from memories.models import Memory, Message
from memories.types import Visibility
from memsys.desk.models import Reveal
from memsys.desk.permissions import Permission
from memsys.desk.reasons import ReasonForm
from memsys.desk.sensitive_reveal import SensitiveReveal
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import Purpose, access_scope

WINDOW = timedelta(minutes=10)
AGREED_FOR = minor_access.LASTS
MINORS = (AgeBand.MINOR_14_17, AgeBand.UNDER_14)
MINOR_ACCESS, SENSITIVE_REVEAL = minor_access.MinorAccess.code, SensitiveReveal.code
READS_LOOKED_THROUGH = 5000
SHOWN = {
    "memory": ("text", "key", "value", "polarity"),
    "message": ("text", "external_id"),
}


@dataclass(frozen=True)
class Item:
    """A memory, by the id that its versions share, or a message of a relationship."""

    kind: str
    relationship: RelationshipRef
    id: UUID

    @property
    def ref(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True)
class Demand:
    """What it takes to open an item: rights, and which agreement of a second person."""

    permissions: tuple[Permission, ...]
    agreement: str = ""


def find_demand(item: Item) -> Demand:
    """Return what it takes to open an item; its words are not read.

    Raises:
        Http404: there is no such item in the relationship.
    """
    wanted = [Permission.REVEAL]
    agreement = ""
    with access_scope(Purpose.DESK, relationship=item.relationship.id):
        standing = _find_standing(item)
    if standing == Visibility.CREATOR_PRIVATE:
        wanted.append(Permission.REVEAL_PRIVATE)
    if standing == Visibility.SENSITIVE:
        wanted.append(Permission.REVEAL_SENSITIVE)
        agreement = SENSITIVE_REVEAL
    if _is_minor(item.relationship):
        wanted.append(Permission.REVEAL_MINOR)
        agreement = MINOR_ACCESS
    return Demand(tuple(wanted), agreement)


def find_agreement(
    item: Item, kind: str, *, staff_id: int, now: datetime
) -> ChangeRequest | None:
    """Return the agreement of a second person that holds for an item. One query."""
    return (
        ChangeRequest.objects.filter(
            kind=kind,
            # The first finds the row, the second is what was approved.
            object_ref=_agreement_ref(item, kind),
            payload=_payload(item, kind),
            requested_by=staff_id,
            state=ChangeState.DONE,
            finished_at__gt=now - AGREED_FOR,
        )
        .order_by("-finished_at", "-pk")
        .first()
    )


def ask_for_agreement(
    item: Item, kind: str, *, staff_id: int, words: str, now: datetime
) -> ChangeRequest:
    """Ask a second person to agree."""
    return approvals.propose(
        kind,
        _payload(item, kind),
        object_ref=_agreement_ref(item, kind),
        reason=words,
        by=staff_id,
        now=now,
    )


def find_window(item: Item, *, staff_id: int, now: datetime) -> Reveal | None:
    """Return the window in which this person may read the item now. One query."""
    rows = Reveal.objects.filter(
        staff=staff_id, item=item.ref, relationship=item.relationship.id, until__gt=now
    )
    return rows.order_by("-until", "-pk").first()


def open_window(
    item: Item,
    *,
    staff_id: int,
    reason: ReasonForm,
    agreement: ChangeRequest | None,
    now: datetime,
) -> Reveal:
    """Record the deed and open the window, in one transaction. Nothing is read."""
    agreed = agreement.pk if agreement is not None else None
    with transaction.atomic(durable=True):
        window = Reveal.objects.create(
            staff=staff_id,
            subject=item.relationship.user_id,
            relationship=item.relationship.id,
            item=item.ref,
            reason_code=reason.code,
            change_request=agreed,
            revealed_at=now,
            until=now + WINDOW,
        )
        record(
            _deed(
                item,
                "desk.revealed",
                staff_id,
                reason_code=reason.code,
                words=reason.words,
                change_request=str(agreed or ""),
            )
        )
    return window


def read_item(item: Item, window: Reveal) -> tuple[Any, ...]:
    """Return the versions of an item with their words, after recording the look.

    The look is committed before anything is read.

    Raises:
        Http404: it was erased meanwhile.
    """
    with transaction.atomic(durable=True):
        record(_deed(item, "desk.reveal_read", window.staff))
    with access_scope(Purpose.DESK, relationship=item.relationship.id):
        found = tuple(_rows(item).defer(*_unread(item))[:50])
    if not found:
        raise Http404
    return found


def list_reveals(item: Item) -> list[Reveal]:
    """Return to whom an item was opened, the latest first; the last hundred."""
    rows = Reveal.objects.filter(relationship=item.relationship.id, item=item.ref)
    return list(rows.order_by("-revealed_at", "-pk")[:100])


def list_reads(item: Item) -> list[AccessRecord]:
    """Return the last hundred reads of a memory by services, the latest first.

    Looks through the last five thousand reads of its relationship. One query.
    """
    if item.kind != "memory":
        return []
    user_id = item.relationship.user_id
    with access_scope(Purpose.DESK, user=user_id):
        rows = AccessRecord.objects.filter(
            global_user_id=user_id, relationship_id=item.relationship.id
        ).order_by("-read_at", "-pk")
        found = AccessRecord.objects.filter(
            global_user_id=user_id,
            pk__in=rows.values("pk")[:READS_LOOKED_THROUGH],
            memory_ids__contains=[item.id],
        )
        return list(found.order_by("-read_at", "-pk")[:100])


def _agreement_ref(item: Item, kind: str) -> str:
    """Return what the second person agrees to: one item, or all of a minor."""
    is_minor = kind == MINOR_ACCESS
    return f"user:{item.relationship.user_id}" if is_minor else item.ref


def _payload(item: Item, kind: str) -> dict[str, str]:
    if kind == MINOR_ACCESS:
        return {"user": str(item.relationship.user_id)}
    return {"relationship": str(item.relationship.id), "item": item.ref}


def _find_standing(item: Item) -> str:
    if item.kind == "message":
        if not _rows(item).exists():
            raise Http404
        return str(Visibility.NORMAL)
    found = _rows(item).values_list("visibility", "sensitive_category")
    standings = {
        Visibility.SENSITIVE.value if category else visibility
        for visibility, category in found[:200]
    }
    if not standings:
        raise Http404
    order = (Visibility.SENSITIVE, Visibility.CREATOR_PRIVATE, Visibility.NORMAL)
    return next(str(one) for one in order if one in standings)


def _rows(item: Item) -> QuerySet[Any]:
    if item.kind == "memory":
        rows: QuerySet[Any] = Memory.objects.filter(
            relationship_id=item.relationship.id, lineage=item.id
        )
        return rows.order_by("-recorded_at", "-pk")
    return Message.objects.filter(
        relationship_id=item.relationship.id, pk=item.id
    ).order_by("pk")


def _unread(item: Item) -> tuple[str, ...]:
    return ("embedding", "tokens") if item.kind == "memory" else ()


def _is_minor(relationship: RelationshipRef) -> bool:
    if relationship.age_band == AgeBand.UNKNOWN:
        return bool(settings.MINORS_UNKNOWN_COUNT_AS_MINOR)
    return relationship.age_band in MINORS


def _deed(item: Item, action: str, staff_id: int, **details: str) -> Deed:
    user_id = item.relationship.user_id
    return Deed(
        chain=deed_chain(user_id),
        action=action,
        actor=f"staff:{staff_id}",
        object_ref=item.ref,
        field_names=SHOWN[item.kind],
        reason_code=details.pop("reason_code", ""),
        subject=user_id,
        details={"relationship": str(item.relationship.id), **details},
    )
