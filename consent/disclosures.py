"""What users were really told about AI, and when: the first time, and the reminders.

Owns the rows, which are only ever added, and what follows for the relationship: when it
was told, by which version of the words, and when it was told again. A reminder that was
due and that nobody has confirmed has its row too. Whether one is due is said with each
context.

Source: Order 21, article 18: a reminder every two hours of continuous use.

>>> note_shown(relationship, shown, by="service:ab12", now=now)  # doctest: +SKIP
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q, Value
from django.db.models.functions import Greatest

from consent.models import DisclosureReminder
from consent.types import ReminderKind
from identity.models import Relationship
from identity.types import RelationshipRef
from memsys.kernel.audit.chain import Deed, deed_chain, record
from memsys.kernel.scope import require_scope

BY_SYSTEM = "system:disclosures"

Position = tuple[datetime, UUID]


@dataclass(frozen=True)
class ShownReminder:
    """What was shown: the first telling or a reminder, in which words, and when."""

    kind: str
    version: str
    shown_at: datetime


def reminder_after() -> timedelta:
    """Return after how much use without a pause a reminder is due."""
    return timedelta(minutes=settings.DISCLOSURE_REMINDER_MINUTES)


def note_shown(
    relationship: RelationshipRef, shown: ShownReminder, *, by: str, now: datetime
) -> DisclosureReminder:
    """Keep that something was shown; told late, it sets nothing back.

    Raises:
        ScopeMissing, ScopeConflict: no scope of the relationship and user is open.
    """
    require_scope(relationship=relationship.id, user=relationship.user_id)
    shown_at = min(shown.shown_at, now)
    row = DisclosureReminder.objects.create(
        global_user_id=relationship.user_id,
        relationship_id=relationship.id,
        kind=shown.kind,
        version=shown.version,
        shown_at=shown_at,
        actor=by,
    )
    own = Relationship.objects.filter(pk=relationship.id)
    # PostgreSQL's GREATEST passes over null.
    own.update(reminded_at=Greatest("reminded_at", Value(shown_at)))
    if shown.kind == ReminderKind.FIRST:
        _note_first(relationship.id, shown.version, shown_at)
    record(
        Deed(
            chain=deed_chain(relationship.user_id),
            action="disclosure.shown",
            actor=by,
            object_ref=f"relationship:{relationship.id}",
            reason_code=shown.kind,
        )
    )
    return row


def note_missed(relationship: RelationshipRef, *, due_at: datetime) -> bool:
    """Keep that a reminder was due and not confirmed; False when that is kept already.

    It stays when the confirmation comes late: the list then shows both.

    Raises:
        ScopeMissing, ScopeConflict: no scope of the relationship and user is open.
    """
    require_scope(relationship=relationship.id, user=relationship.user_id)
    due = {
        "global_user_id": relationship.user_id,
        "relationship_id": relationship.id,
        "kind": ReminderKind.MISSED,
        "shown_at": due_at,
    }
    if DisclosureReminder.objects.filter(**due).exists():
        return False
    DisclosureReminder.objects.create(**due, actor=BY_SYSTEM)
    record(
        Deed(
            chain=deed_chain(relationship.user_id),
            action="disclosure.missed",
            actor=BY_SYSTEM,
            object_ref=f"relationship:{relationship.id}",
            reason_code=ReminderKind.MISSED,
        )
    )
    return True


def _note_first(relationship_id: UUID, version: str, shown_at: datetime) -> None:
    """Keep when the newest version was first told; the same one again changes nothing."""
    rows = Relationship.objects.filter(
        Q(disclosed_at=None)
        | ~Q(disclosure_version=version) & Q(disclosed_at__lt=shown_at),
        pk=relationship_id,
    )
    rows.update(disclosed_at=shown_at, disclosure_version=version)


def list_reminders(
    relationship: RelationshipRef, *, after: Position | None = None, limit: int
) -> list[DisclosureReminder]:
    """Return what was shown in a relationship, the newest first. One query."""
    require_scope(relationship=relationship.id, user=relationship.user_id)
    rows = DisclosureReminder.objects.filter(
        global_user_id=relationship.user_id, relationship_id=relationship.id
    )
    if after is not None:
        at, last = after
        rows = rows.filter(Q(shown_at__lt=at) | Q(shown_at=at, id__lt=last))
    return list(rows.order_by("-shown_at", "-id")[:limit])
