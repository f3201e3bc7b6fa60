"""The numbers of the start page, each from a query whose cost has a bound.

Owns what is counted and how far. No content is counted: that takes a relationship.

>>> list_cards(request.user, now=now)  # doctest: +SKIP
[Card(label='Relationships', value='3', ...), ...]
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Min, QuerySet, Sum
from django.utils.formats import number_format
from django.utils.timesince import timesince
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from identity.models import Relationship
from memories.models import ChatSession
from memories.presence import list_unreminded
from memories.types import SessionStatus
from memsys.desk.subjects import within_reach
from memsys.kernel.audit.models import AuditEntry, AuditHead
from memsys.kernel.pages.columns import list_url
from memsys.kernel.scope.staff import staff_role

COUNT_LIMIT = 10_000


@dataclass(frozen=True)
class Card:
    """One number: what it is, where to look further, whether somebody should."""

    label: str
    value: str
    note: str
    url: str
    is_alarm: bool = False


def list_cards(
    user: Any, *, now: datetime, count_limit: int = COUNT_LIMIT
) -> list[Card]:
    """Return the numbers that this person may see. At most eight queries."""
    cards: list[Card] = []
    if user.has_perm("identity.view_relationship"):
        cards.append(_relationships(user, count_limit))
    if user.has_perm("memories.view_chatsession"):
        cards += _sessions(now, count_limit)
        cards.append(_unreminded(now, count_limit))
    if user.has_perm("kernel.view_auditentry"):
        cards.append(_audit())
    return cards


def _relationships(user: Any, limit: int) -> Card:
    return Card(
        label=_("Relationships"),
        value=_count(within_reach(user, Relationship.objects.all()), limit),
        note="",
        url=list_url(Relationship),
    )


def _sessions(now: datetime, limit: int) -> Iterable[Card]:
    pending = ChatSession.objects.filter(status=SessionStatus.PENDING)
    oldest = pending.aggregate(oldest=Min("ended_at"))["oldest"]
    dead = _count(ChatSession.objects.filter(status=SessionStatus.DEAD), limit)
    return (
        Card(
            label=_("Open sessions"),
            value=_count(ChatSession.objects.open(), limit),
            note=_("They still take messages."),
            url=_sessions_url(SessionStatus.OPEN),
        ),
        Card(
            label=_("Sessions waiting to be processed"),
            value=_count(pending, limit),
            note=_("The oldest has waited for %(time)s.")
            % {"time": timesince(oldest, now)}
            if oldest is not None
            else _("Nothing waits."),
            url=_sessions_url(SessionStatus.PENDING),
        ),
        Card(
            label=_("Sessions given up"),
            value=dead,
            note=_("Their messages made no memories; look at the error codes.")
            if dead != "0"
            else "",
            url=_sessions_url(SessionStatus.DEAD),
            is_alarm=dead != "0",
        ),
    )


def _unreminded(now: datetime, limit: int) -> Card:
    found = len(list_unreminded(now=now, limit=limit + 1))
    return Card(
        label=_("Reminders about AI not confirmed"),
        value=_up_to(found, limit),
        note=_("Users who are chatting now, and should have been reminded.")
        if found
        else "",
        url=_sessions_url(SessionStatus.OPEN),
        is_alarm=found > 0,
    )


def _audit() -> Card:
    with staff_role():
        entries = AuditHead.objects.aggregate(entries=Sum("seq"))["entries"] or 0
        last = AuditEntry.objects.order_by("-pk").values_list("at", flat=True).first()
    return Card(
        label=_("Audit entries"),
        value=number_format(entries, force_grouping=True),
        note=_("Last entry: %(time)s") % {"time": f"{localtime(last):%Y-%m-%d %H:%M}"}
        if last is not None
        else "",
        url=list_url(AuditEntry),
    )


def _sessions_url(status: SessionStatus) -> str:
    return f"{list_url(ChatSession)}?status__exact={status}"


def _count(rows: QuerySet[Any], limit: int) -> str:
    """Return how many rows there are, or that there are more than the limit."""
    return _up_to(rows.order_by()[: limit + 1].count(), limit)


def _up_to(found: int, limit: int) -> str:
    count = number_format(min(found, limit), force_grouping=True)
    return _("more than %(count)s") % {"count": count} if found > limit else count
