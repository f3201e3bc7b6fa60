"""Sections about what a person asked for, and about who read what is theirs.

Services are told by the day, since they read at each message; nobody of the staff is
named. When somebody at the desk opened a memory is a section of the desk.

>>> [section.name for section in list_dealings(subject)]  # doctest: +SKIP
['requests', 'request_words', 'erasures', 'exports', 'service_reads']
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import models
from django.db.models import Count, Max, Min, Q, QuerySet
from django.db.models.functions import TruncDay
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from consent.models import (
    AccessRecord,
    ErasureRun,
    ExportRun,
    SubjectRequest,
    SubjectRequestNote,
)
from consent.types import (
    ErasureState,
    ErasureTarget,
    RequestKind,
    RequestState,
)
from identity.exported import RELATIONSHIP
from memsys.kernel.exporting import (
    FLAG,
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
    read_pages,
)

WINDOW = timedelta(days=31)


class Side(models.TextChoices):
    """Who did it: the kind of actor, never the person."""

    USER = "user", _("You")
    SERVICE = "service", _("The chat platform")
    STAFF = "staff", _("Staff")
    SYSTEM = "system", _("By itself")


def list_dealings(subject: ExportSubject) -> list[Section]:
    """Return the sections, of the user or of their relationship alone."""
    return [
        _requests(subject),
        _request_words(subject),
        _erasures(subject),
        _exports(subject),
        _service_reads(subject),
    ]


def side_of(actor: str) -> str:
    """Return which side an actor is of.

    >>> side_of("staff:7"), side_of("job:custody")
    ('staff', 'system')
    """
    kind = actor.partition(":")[0]
    return kind if kind in Side.values else Side.SYSTEM.value


def _requests(subject: ExportSubject) -> Section:
    requests: QuerySet[Any] = SubjectRequest.objects.filter(
        _own(subject), received_at__lte=subject.until
    )

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        for one in read_pages(requests, moment="received_at", opened=opened):
            state, closed_at, outcome = one.state, one.closed_at, one.outcome_code
            if closed_at is not None and closed_at > subject.until:
                state, closed_at, outcome = RequestState.OPEN.value, None, ""
            yield (
                one.number, one.kind, state, one.received_at, one.due_date,
                closed_at, outcome, one.relationship_id,
            )  # fmt: skip

    return Section(
        "requests",
        ExportPart.REQUESTS,
        _("What you asked for"),
        (
            Column("number", _("Number")),
            Column("kind", _("Kind"), choices=RequestKind),
            Column("state", _("State"), choices=RequestState),
            Column("received_at", _("Received"), TIME),
            Column("due_date", _("Due"), TIME),
            Column("closed_at", pgettext_lazy("time", "Closed"), TIME),
            Column("outcome", _("Outcome"), codes="outcome_code"),
            RELATIONSHIP,
        ),
        rows,
    )


def _request_words(subject: ExportSubject) -> Section:
    notes: QuerySet[Any] = SubjectRequestNote.objects.filter(
        global_user_id=subject.user_id, written_at__lte=subject.until
    ).select_related("request")
    if not subject.is_whole_user:
        notes = notes.filter(request__relationship_id__in=subject.relationships)

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        for one in read_pages(notes, moment="written_at", opened=opened):
            yield one.request.number, one.is_answer, one.written_at, one.text

    return Section(
        "request_words",
        ExportPart.REQUESTS,
        _("What was written about it"),
        (
            Column("number", _("Number")),
            Column("is_answer", _("Is an answer"), FLAG),
            Column("written_at", _("When"), TIME),
            Column("text", _("Text"), WORDS),
        ),
        rows,
    )


def _erasures(subject: ExportSubject) -> Section:
    runs: QuerySet[Any] = ErasureRun.objects.filter(
        _own(subject), requested_at__lte=subject.until
    )

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        for one in read_pages(runs, moment="requested_at", opened=opened):
            yield (
                one.requested_at, side_of(one.requested_by), one.target, one.state,
                one.finished_at, one.receipt_code, one.relationship_id,
            )  # fmt: skip

    return Section(
        "erasures",
        ExportPart.REQUESTS,
        _("Erasures"),
        (
            Column("requested_at", _("Asked for"), TIME),
            Column("by", _("By"), choices=Side),
            Column("target", _("What was erased"), choices=ErasureTarget),
            Column("state", _("State"), choices=ErasureState),
            Column("finished_at", _("Finished"), TIME),
            Column("receipt", _("Code of the receipt")),
            RELATIONSHIP,
        ),
        rows,
    )


def _exports(subject: ExportSubject) -> Section:
    runs: QuerySet[Any] = ExportRun.objects.filter(
        _own(subject), requested_at__lt=subject.until
    )

    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        for one in read_pages(runs, moment="requested_at", opened=opened):
            is_taken = one.taken_at is not None and one.taken_at <= subject.until
            yield (
                one.requested_at, side_of(one.requested_by), one.parts, one.for_staff,
                one.taken_at if is_taken else None, one.relationship_id,
            )  # fmt: skip

    return Section(
        "exports",
        ExportPart.REQUESTS,
        _("Exports before this one"),
        (
            Column("requested_at", _("Asked for"), TIME),
            Column("by", _("By"), choices=Side),
            Column("parts", _("Parts"), LIST, codes="parts"),
            Column("for_staff", _("For the staff"), FLAG),
            Column("taken_at", _("Taken"), TIME),
            RELATIONSHIP,
        ),
        rows,
    )


def _service_reads(subject: ExportSubject) -> Section:
    def rows() -> Iterator[Row]:
        opened = open_for(subject)
        with opened():
            ends = _reads(subject).aggregate(first=Min("read_at"), last=Max("read_at"))
        begin, last = ends["first"], ends["last"]
        if begin is None:
            return
        begin = timezone.localtime(begin).replace(hour=0, minute=0, second=0)
        begin = begin.replace(microsecond=0)
        while begin <= last:
            with opened():
                found = _count_days(subject, begin)
            for one in found:
                yield (
                    one["day"].date(), one["action"], one["reads"],
                    one["relationship_id"],
                )  # fmt: skip
            begin += WINDOW

    return Section(
        "service_reads",
        ExportPart.READS,
        _("Reads by the chat platform, by day"),
        (
            Column("day", _("Day"), TIME),
            Column("purpose", _("For what"), codes="read_action"),
            Column("reads", _("How often"), NUMBER),
            RELATIONSHIP,
        ),
        rows,
    )


def _count_days(subject: ExportSubject, begin: datetime) -> list[dict[str, Any]]:
    rows = _reads(subject).filter(read_at__gte=begin, read_at__lt=begin + WINDOW)
    days = rows.annotate(day=TruncDay("read_at")).values(
        "day", "action", "relationship_id"
    )
    counted = days.annotate(reads=Count("pk"))
    return list(counted.order_by("day", "action", "relationship_id"))


def _reads(subject: ExportSubject) -> QuerySet[AccessRecord]:
    return AccessRecord.objects.filter(_own(subject), read_at__lte=subject.until)


def _own(subject: ExportSubject) -> Q:
    own = Q(global_user_id=subject.user_id)
    if subject.is_whole_user:
        return own
    return own & Q(relationship_id__in=subject.relationships)
