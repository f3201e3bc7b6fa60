"""Events of the staff: what they opened, and their deeds and looks.

>>> [source.kind.value for source in STAFF_SOURCES]
['reveal', 'staff']
"""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from identity.types import RelationshipRef
from memsys.desk.models import Reveal
from memsys.desk.reasons import ReasonCode
from memsys.desk.timeline.events import Event, EventKind, Opening, Source
from memsys.kernel.audit.models import AuditEntry
from memsys.kernel.pages.columns import page_url, visible_text

# What the audit calls a deed, and what staff read; other codes are shown as they are.
DEEDS: Mapping[str, Any] = {
    "desk.detail_viewed": _("Looked at this page"),
    "desk.list_viewed": _("Looked at a list of its content, masked"),
    "desk.words_searched": _("Looked for words in it"),
    "relationship.status_set": _("Changed its standing"),
    "relationship.standing_reason": _("Said why the standing was changed"),
    "relationship.consolidated": _("Merged and archived at night"),
    "relationship.erased": _("Erased its content"),
    "custody.moved": _("Moved custody"),
    "disclosure.shown": _("Noted that the user was told of the AI"),
    "memory.noted": _("Wrote a note"),
}


def _reveals(relationship: RelationshipRef) -> QuerySet[Reveal]:
    return Reveal.objects.filter(relationship=relationship.id)


def _tell_reveals(relationship: RelationshipRef, rows: list[Reveal]) -> list[Event]:
    """Tell who opened what; their names take one query."""
    staff = {row.staff for row in rows}
    names = dict(User.objects.filter(pk__in=staff).values_list("pk", "username"))
    return [_tell_reveal(row, names.get(row.staff, "")) for row in rows]


def _tell_reveal(row: Reveal, name: str) -> Event:
    kind, _colon, key = row.item.partition(":")
    known = row.reason_code in ReasonCode.values
    return Event(
        kind=EventKind.REVEAL,
        at=row.revealed_at,
        key=row.pk,
        what=_("A memory was opened")
        if kind == "memory"
        else _("A message was opened"),
        who=format_html("{} ({})", visible_text(name), f"staff:{row.staff}"),
        why=ReasonCode(row.reason_code).label if known else row.reason_code,
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
    """Tell deeds; the names of staff take one query."""
    numbers = {row.actor.removeprefix("staff:") for row in rows}
    staff = {int(one) for one in numbers if one.isdecimal() and len(one) < 10}
    names = dict(User.objects.filter(pk__in=staff).values_list("pk", "username"))
    known = {f"staff:{key}": f"{name} (staff:{key})" for key, name in names.items()}
    return [_tell_entry(row, known.get(row.actor, row.actor)) for row in rows]


def _tell_entry(row: AuditEntry, who: str) -> Event:
    assert row.at is not None
    return Event(
        kind=EventKind.STAFF,
        at=row.at,
        key=row.pk,
        what=DEEDS.get(row.action) or visible_text(row.action),
        who=visible_text(who),
        why=visible_text(row.reason_code) if row.reason_code else "",
        links=((_("Audit entry"), page_url(AuditEntry, row.pk)),),
    )


STAFF_SOURCES = (
    Source(EventKind.REVEAL, Opening.NOTHING, "revealed_at", _reveals, _tell_reveals),
    Source(EventKind.STAFF, Opening.AUDIT, "at", _entries, _tell_entries),
)
