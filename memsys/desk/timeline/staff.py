"""Events of the staff: what they opened, and their deeds and looks.

>>> [source.kind.value for source in STAFF_SOURCES]
['reveal', 'staff']
"""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from identity.types import RelationshipRef
from memsys.desk.models import Reveal
from memsys.desk.timeline.events import (
    Event,
    EventKind,
    Opening,
    Source,
    reason_words,
)
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.pages.actions import ACTIONS
from memsys.kernel.pages.actors import actor_words, staff_words
from memsys.kernel.pages.columns import page_url, visible_text

# Of the words for deeds, those that are other on the page of a relationship.
DEEDS: Mapping[str, Any] = {"desk.detail_viewed": _("Looked at this page")}


def _reveals(relationship: RelationshipRef) -> QuerySet[Reveal]:
    return Reveal.objects.filter(relationship=relationship.id)


def _tell_reveals(relationship: RelationshipRef, rows: list[Reveal]) -> list[Event]:
    """Tell who opened what."""
    return [_tell_reveal(row) for row in rows]


def _tell_reveal(row: Reveal) -> Event:
    kind, _colon, key = row.item.partition(":")
    return Event(
        kind=EventKind.REVEAL,
        at=row.revealed_at,
        key=row.pk,
        what=_("A memory was opened")
        if kind == "memory"
        else _("A message was opened"),
        who=staff_words(row.staff),
        why=reason_words(row.reason_code),
        links=(
            (
                _("Who saw it"),
                reverse("admin:readers", args=[kind, row.relationship, key]),
            ),
        ),
    )


def _entries(relationship: RelationshipRef) -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(object_ref=f"relationship:{relationship.id}")


def _tell_entries(relationship: RelationshipRef, rows: list[AuditEntry]) -> list[Event]:
    """Tell deeds."""
    return [_tell_entry(row) for row in rows]


def _tell_entry(row: AuditEntry) -> Event:
    assert row.at is not None
    return Event(
        kind=EventKind.STAFF,
        at=row.at,
        key=row.pk,
        what=DEEDS.get(row.action) or visible_text(ACTIONS.get(row.action, row.action)),
        who=actor_words(row.actor),
        why=reason_words(row.reason_code),
        links=((_("Audit entry"), page_url(AuditEntry, row.pk)),),
    )


STAFF_SOURCES = (
    Source(EventKind.REVEAL, Opening.NOTHING, "revealed_at", _reveals, _tell_reveals),
    Source(EventKind.STAFF, Opening.AUDIT, "at", _entries, _tell_entries),
)
