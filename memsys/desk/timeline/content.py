"""Events of the conversation: memories and their versions, sessions, custody.

>>> [source.kind.value for source in CONTENT_SOURCES]
['memory', 'session', 'session', 'custody']
"""

from typing import Any

from django.db.models import Min, QuerySet
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from identity.models import CustodyTransfer
from identity.types import RelationshipRef
from memories.models import ChatSession, Memory, Message
from memories.types import MemoryAuthor, MemoryStatus
from memsys.desk.timeline.events import (
    Event,
    EventKind,
    Opening,
    Source,
    each,
    reason_words,
    say,
)
from memsys.kernel.pages.actors import actor_words
from memsys.kernel.pages.columns import CHARACTERS, list_url, page_url
from memsys.kernel.pages.content import with_sizes

EVIDENCE_SHOWN = 3
WORDS = ("text", "key", "value", "polarity", "tokens", "embedding")


def _memories(relationship: RelationshipRef) -> QuerySet[Any]:
    rows = Memory.objects.filter(relationship_id=relationship.id)
    return with_sizes(rows, ("text",)).defer(*WORDS)


def _tell_memories(relationship: RelationshipRef, rows: list[Any]) -> list[Event]:
    """Tell versions; the first of each memory is told apart. One query."""
    firsts = dict(
        Memory.objects.filter(
            relationship_id=relationship.id, lineage__in={row.lineage for row in rows}
        )
        .values_list("lineage")
        .annotate(Min("recorded_at"))
    )
    return [
        _tell_memory(row, is_first=row.recorded_at == firsts.get(row.lineage))
        for row in rows
    ]


def _tell_memory(row: Any, *, is_first: bool) -> Event:
    size = CHARACTERS % {"count": row.size_of_text}
    return Event(
        kind=EventKind.MEMORY,
        at=row.recorded_at,
        key=row.pk,
        what=format_html(
            '{} <span class="desk-masked">•••• <i>{}</i></span>',
            say(
                _("%(step)s: %(kind)s"),
                step=_name_step(row, is_first),
                kind=row.get_kind_display(),
            ),
            size,
        ),
        who=row.get_author_display(),
        why=row.get_visibility_display() if row.visibility != "normal" else "",
        links=(*_doors(row), *_causes(row)),
    )


def _name_step(row: Any, is_first: bool) -> Any:
    if row.author == MemoryAuthor.STAFF:
        return _("Put right by staff")
    if row.author == MemoryAuthor.USER and not is_first:
        return _("Put right by the user")
    if is_first:
        return _("Remembered")
    if row.status == MemoryStatus.ARCHIVED:
        return _("Archived")
    if row.status == MemoryStatus.RESTRICTED:
        return _("Restricted")
    if row.superseded_by is not None or row.valid_to is not None:
        return _("Superseded")
    return _("New version")


def _doors(row: Any) -> tuple[tuple[Any, str], ...]:
    key = ["memory", row.relationship_id, row.lineage]
    return (
        (_("Open"), reverse("admin:reveal", args=key)),
        (_("Who saw it"), reverse("admin:readers", args=key)),
    )


def _causes(row: Any) -> tuple[tuple[Any, str], ...]:
    """Return the ways to what a memory follows from, and to what followed it."""
    choice = f"?relationship={row.relationship_id}"
    links: list[tuple[Any, str]] = [
        (
            say(_("From message %(number)d"), number=number),
            page_url(Message, one) + choice,
        )
        for number, one in enumerate(row.evidence[:EVIDENCE_SHOWN], start=1)
    ]
    if row.source_session_id is not None:
        links.append((_("From session"), page_url(ChatSession, row.source_session_id)))
    if row.superseded_by is not None:
        url = f"{list_url(Memory)}{choice}&lineage={row.superseded_by}"
        links.append((_("Superseded by"), url))
    return tuple(links)


def _sessions(relationship: RelationshipRef) -> QuerySet[Any]:
    return ChatSession.objects.of(relationship.id)


def _tell_begin(row: ChatSession) -> Event:
    return Event(
        kind=EventKind.SESSION,
        at=row.first_message_at,
        key=row.pk,
        what=_("A session began"),
        links=((_("Session"), page_url(ChatSession, row.pk)),),
    )


def _tell_end(row: ChatSession) -> Event:
    what = say(
        _(
            "The session ended: %(messages)d messages, %(memories)d memories (%(status)s)"
        ),
        messages=row.message_count,
        memories=row.memories_made,
        status=row.get_status_display(),
    )
    return Event(
        kind=EventKind.SESSION,
        at=row.ended_at or row.last_message_at,
        key=row.pk,
        what=what,
        why=row.get_end_reason_display(),
        links=((_("Session"), page_url(ChatSession, row.pk)),),
    )


def _moves(relationship: RelationshipRef) -> QuerySet[Any]:
    return CustodyTransfer.objects.filter(relationship_id=relationship.id)


def _tell_move(row: CustodyTransfer) -> Event:
    return Event(
        kind=EventKind.CUSTODY,
        at=row.moved_at,
        key=row.pk,
        what=say(
            _("Custody moved from %(before)s to %(after)s"),
            before=row.get_from_custody_display(),
            after=row.get_to_custody_display(),
        ),
        who=actor_words(row.actor),
        why=reason_words(row.reason_code),
        links=((_("Move"), page_url(CustodyTransfer, row.pk)),),
    )


CONTENT_SOURCES = (
    Source(EventKind.MEMORY, Opening.CONTENT, "recorded_at", _memories, _tell_memories),
    Source(
        EventKind.SESSION,
        Opening.NOTHING,
        "first_message_at",
        _sessions,
        each(_tell_begin),
    ),
    Source(EventKind.SESSION, Opening.NOTHING, "ended_at", _sessions, each(_tell_end)),
    Source(EventKind.CUSTODY, Opening.NOTHING, "moved_at", _moves, each(_tell_move)),
)
