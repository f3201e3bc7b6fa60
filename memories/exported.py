"""What this app gives a person as a copy: memories, sessions and messages.

Of a memory all that was ever known is told, what it said before as well. Notes that
only the creator's side sees, and for the staff what is sensitive, are parts of their
own, which a user's copy never has: there what is sensitive is among the memories.

>>> [section.name for section in export_sections(subject)]  # doctest: +SKIP
['memories', 'earlier_wordings', 'sessions', 'messages']
"""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from django.db import models
from django.db.models import Count, F, Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from identity.exported import PERSONA, RELATIONSHIP, name_persona
from memories.models import ChatSession, Memory, Message
from memories.reading import MemoryView, to_view
from memories.types import (
    AuthorKind,
    EndReason,
    Extraction,
    Kind,
    MemoryAuthor,
    MemoryStatus,
    Visibility,
)
from memsys.kernel.exporting import (
    AI_GENERATED,
    FLAG,
    ID,
    LIST,
    NUMBER,
    TIME,
    WORDS,
    Column,
    ExportPart,
    ExportSubject,
    Row,
    Section,
    open_for,
    read_each,
    read_pages,
)

MADE_BY_AI = frozenset({AuthorKind.AI, AuthorKind.AI_EDITED})


class Origin(models.TextChoices):
    """The authors of memories, as a person reads who they are."""

    RULES = MemoryAuthor.RULES.value, _("From what was said, by fixed rules")
    MODEL = MemoryAuthor.MODEL.value, _("From what was said, by a language model")
    STAFF = MemoryAuthor.STAFF.value, _("Written by the staff")
    USER = MemoryAuthor.USER.value, _("Told by the user")
    SERVICE = MemoryAuthor.SERVICE.value, _("Told by the chat platform")


IS_PRIVATE = Q(visibility=Visibility.CREATOR_PRIVATE)
IS_SENSITIVE = Q(visibility=Visibility.SENSITIVE) | ~Q(sensitive_category="")
LABEL = Column(AI_GENERATED, _("Made by an AI"), FLAG)
ABOUT_MEMORY = (
    RELATIONSHIP,
    PERSONA,
    Column("id", _("Id"), ID),
    Column("statement", _("What is remembered"), WORDS),
    Column("kind", _("Kind"), choices=Kind),
    Column("about", _("About"), codes="subject"),
    LABEL,
    Column("author", _("Where it comes from"), choices=Origin),
    Column("said_at", _("Said on"), LIST),
    Column("messages", _("Said in these messages"), LIST),
    Column("valid_from", _("True from"), TIME),
    Column("valid_to", _("True until"), TIME),
    Column("due_at", _("Due"), TIME),
    Column("recorded_at", _("Remembered since"), TIME),
    Column("recorded_to", _("Remembered in these words until"), TIME),
    Column("status", _("Status"), choices=MemoryStatus),
    Column("visibility", _("Visibility"), choices=Visibility),
    Column("sensitive_category", _("Sensitive category"), codes="sensitive_category"),
    Column("importance", _("Importance"), NUMBER),
)


def export_sections(subject: ExportSubject) -> list[Section]:
    """Return the sections; the last two parts are for the staff alone."""
    sections = [
        _memories(subject, "memories", _("What is remembered"), is_current=True),
        _memories(
            subject,
            "earlier_wordings",
            _("How it was remembered before"),
            is_current=False,
        ),
        _sessions(subject),
        _messages(subject),
    ]
    if subject.for_staff:
        sections += [_sensitive(subject), _private_notes(subject)]
    return sections


def _memories(
    subject: ExportSubject, name: str, label: Any, *, is_current: bool
) -> Section:
    seen = ~IS_PRIVATE & ~IS_SENSITIVE if subject.for_staff else ~IS_PRIVATE
    # A version that was replaced since then was the current one at the time.
    is_known = Q(recorded_to=None) | Q(recorded_to__gt=subject.until)
    wanted = seen & (is_known if is_current else ~is_known)
    rows = _read_memories(subject, wanted)
    return Section(name, ExportPart.MEMORIES, label, ABOUT_MEMORY, rows)


def _sensitive(subject: ExportSubject) -> Section:
    rows = _read_memories(subject, IS_SENSITIVE & ~IS_PRIVATE)
    label = ExportPart.SENSITIVE.label
    return Section(
        "sensitive_memories", ExportPart.SENSITIVE, label, ABOUT_MEMORY, rows
    )


def _private_notes(subject: ExportSubject) -> Section:
    rows = _read_memories(subject, IS_PRIVATE & ~IS_SENSITIVE)
    label = ExportPart.PRIVATE.label
    return Section("private_notes", ExportPart.PRIVATE, label, ABOUT_MEMORY, rows)


def _read_memories(subject: ExportSubject, wanted: Q) -> Callable[[], Iterator[Row]]:
    def read(relationship_id: UUID) -> Iterator[Row]:
        persona = name_persona(relationship_id)
        found = Memory.objects.of(relationship_id).filter(
            wanted, recorded_at__lte=subject.until
        )
        light = found.defer("embedding", "tokens")
        opened = open_for(subject, relationship_id)
        for one in read_pages(light, moment="recorded_at", opened=opened):
            yield _tell_memory(subject, one, persona)

    return read_each(subject, read)


def _tell_memory(subject: ExportSubject, row: Memory, persona: str) -> Row:
    view: MemoryView = to_view(row)
    until = view.recorded_to
    if until is not None and until > subject.until:
        until = None
    return (
        row.relationship_id, persona, view.id, view.text, view.kind, view.subject,
        view.author == MemoryAuthor.MODEL, view.author, list(row.evidence_at),
        list(view.evidence), view.valid_from, view.valid_to, view.due_at,
        view.recorded_at, until, view.status, view.visibility,
        row.sensitive_category, round(view.importance, 3),
    )  # fmt: skip


def _sessions(subject: ExportSubject) -> Section:
    def read(relationship_id: UUID) -> Iterator[Row]:
        persona = name_persona(relationship_id)
        # A session goes on after the asking, or is one of old messages that came since.
        newer = Count("messages", filter=Q(messages__received_at__gt=subject.until))
        found: QuerySet[Any] = (
            ChatSession.objects.of(relationship_id)
            .filter(first_message_at__lte=subject.until)
            .annotate(newer=newer)
            .filter(Q(newer=0) | Q(newer__lt=F("message_count")))
        )
        opened = open_for(subject, relationship_id)
        for one in read_pages(found, moment="first_message_at", opened=opened):
            yield (
                relationship_id, persona, one.pk, one.first_message_at,
                one.last_message_at, one.message_count - one.newer, one.ended_at, one.end_reason,
                one.extraction, one.memories_made,
            )  # fmt: skip

    return Section(
        "sessions",
        ExportPart.MESSAGES,
        _("Conversations"),
        (
            RELATIONSHIP,
            PERSONA,
            Column("id", _("Id"), ID),
            Column("first_message_at", _("First message"), TIME),
            Column("last_message_at", _("Last message"), TIME),
            Column("messages", _("Messages"), NUMBER),
            Column("ended_at", pgettext_lazy("time", "Ended"), TIME),
            Column("end_reason", _("Why it ended"), choices=EndReason),
            Column("read_by", _("Memories made by"), choices=Extraction),
            Column("memories", _("Memories"), NUMBER),
        ),
        read_each(subject, read),
    )


def _messages(subject: ExportSubject) -> Section:
    def read(relationship_id: UUID) -> Iterator[Row]:
        persona = name_persona(relationship_id)
        found = Message.objects.filter(
            relationship_id=relationship_id, received_at__lte=subject.until
        )
        opened = open_for(subject, relationship_id)
        for one in read_pages(found, moment="sent_at", opened=opened):
            yield (
                relationship_id, persona, one.pk, one.session_id, one.sent_at,
                one.author_kind, one.author_kind in MADE_BY_AI, one.text,
                sorted(one.masked), one.payment_signal,
            )  # fmt: skip

    return Section(
        "messages",
        ExportPart.MESSAGES,
        _("Messages"),
        (
            RELATIONSHIP,
            PERSONA,
            Column("id", _("Id"), ID),
            Column("session", _("Conversation"), ID),
            Column("sent_at", _("Sent"), TIME),
            Column("author", _("Author"), choices=AuthorKind),
            LABEL,
            Column("text", _("Text"), WORDS),
            Column(
                "taken_out",
                _("Taken out before it was stored"),
                LIST,
                codes="masked",
            ),
            Column("came_with_payment", _("Came with a payment"), FLAG),
        ),
        read_each(subject, read),
    )
