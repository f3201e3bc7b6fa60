"""The charts of the start page: bars, each from a query whose cost has a bound.

Owns what is charted and for whom. No content and no grant is read: that takes one
person's scope; consents are counted by the events that told of their change.

>>> list_charts(request.user, now=now)  # doctest: +SKIP
[Chart(title='Requests by what is left', ...), ...]
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Count, Min, Q
from django.urls import reverse
from django.utils.timesince import timesince
from django.utils.timezone import localdate, localtime
from django.utils.translation import gettext as _

from consent.models import ChangeRequest, ErasureRun, SubjectRequest
from consent.types import ChangeState, ErasureState, RequestState
from memsys.desk.chains import read_status
from memsys.desk.models import Reveal
from memsys.desk.permissions import Permission
from memsys.desk.registers.marks import SOON_DAYS, kind_label
from memsys.desk.roles import may
from memsys.desk.views.costs import list_days
from memsys.kernel.outbox import OutboxEvent
from memsys.kernel.pages.columns import list_url

DAYS = 7
MOST = 8
# So many rows are counted at most; more are told as this many.
LIMIT = 10_000


@dataclass(frozen=True)
class Bar:
    """One bar: its words, its number as words, its length in per cent, its tone."""

    label: str
    value: str
    percent: int
    tone: str = ""


@dataclass(frozen=True)
class Chart:
    """Bars below each other, and where to look further."""

    title: str
    bars: tuple[Bar, ...]
    note: str
    url: str
    is_alarm: bool = False


def list_charts(user: Any, *, now: datetime) -> list[Chart]:
    """Return the charts that this person may see. At most eleven queries."""
    makers: tuple[tuple[Permission, Callable[[datetime], Chart]], ...] = (
        (Permission.SEE_REQUESTS, _requests),
        (Permission.SEE_CHANGES, _changes),
        (Permission.SEE_GOVERNANCE, _erasures),
        (Permission.SEE_GOVERNANCE, _consents),
        (Permission.SEE_AUDIT, _reveals),
        (Permission.SEE_AUDIT, _chains),
        (Permission.SEE_COSTS, _costs),
    )
    return [make(now) for permission, make in makers if may(user, permission)]


def _requests(now: datetime) -> Chart:
    today = localdate(now)
    soon = today + timedelta(days=SOON_DAYS)
    rows = SubjectRequest.objects.filter(state=RequestState.OPEN)
    counts = rows.order_by().aggregate(
        late=Count("pk", filter=Q(due_date__lt=today)),
        soon=Count("pk", filter=Q(due_date__gte=today, due_date__lte=soon)),
        later=Count("pk", filter=Q(due_date__gt=soon)),
    )
    return Chart(
        title=_("Open requests by what is left"),
        bars=_bars(
            (
                (_("Late"), counts["late"], "bad"),
                (_("Within three days"), counts["soon"], "warn"),
                (_("Later"), counts["later"], "good"),
            )
        ),
        note=_("Nothing is late.") if not counts["late"] else _("Answer these first."),
        url=f"{list_url(SubjectRequest)}?state__exact=open",
    )


def _changes(now: datetime) -> Chart:
    rows = ChangeRequest.objects.filter(state=ChangeState.OPEN, expires_at__gt=now)
    kinds = rows.order_by().values_list("kind").annotate(Count("pk"))
    counts = sorted(kinds[:MOST], key=lambda one: -one[1])
    return Chart(
        title=_("Waiting for a second person"),
        bars=_bars((kind_label(kind), count, "") for kind, count in counts),
        note=_("Each lapses 72 hours after it was asked for.")
        if counts
        else _("Nothing waits."),
        url=f"{list_url(ChangeRequest)}?state__exact=open",
    )


def _erasures(now: datetime) -> Chart:
    states = (ErasureState.WAITING, ErasureState.RUNNING, ErasureState.BLOCKED)
    rows = ErasureRun.objects.filter(state__in=states).order_by()
    counts = dict(rows.values_list("state").annotate(Count("pk")))
    late = rows.filter(state=ErasureState.RUNNING, run_from__lt=now)
    oldest = late.aggregate(oldest=Min("run_from"))["oldest"]
    tones = {ErasureState.BLOCKED: "warn", ErasureState.RUNNING: "", None: ""}
    return Chart(
        title=_("Erasures not done yet"),
        bars=_bars(
            (str(one.label), counts.get(one.value, 0), tones.get(one, ""))
            for one in states
        ),
        note=_("The oldest runs for %(time)s.") % {"time": timesince(oldest, now)}
        if oldest is not None
        else _("None lags behind."),
        url=list_url(ErasureRun),
    )


def _consents(now: datetime) -> Chart:
    since = _id_from(now - timedelta(days=DAYS))
    rows = OutboxEvent.objects.filter(pk__gte=since, name="consent.changed")
    days: dict[date, int] = {}
    moments = rows.order_by("-pk").values_list("happened_at", flat=True)
    for moment in moments[:LIMIT]:
        day = localtime(moment).date()
        days[day] = days.get(day, 0) + 1
    return Chart(
        title=_("Changes of consent in a week"),
        bars=_bars(
            (f"{day:%m-%d}", days[day], "") for day in sorted(days, reverse=True)
        ),
        note="" if days else _("Nobody granted or withdrew anything."),
        url=reverse("admin:consent_policyversion_changelist"),
    )


def _reveals(now: datetime) -> Chart:
    rows = Reveal.objects.filter(revealed_at__gt=now - timedelta(days=DAYS))
    latest = rows.order_by("-revealed_at", "-pk").values("pk")[:LIMIT]
    counted = Reveal.objects.filter(pk__in=latest).order_by().values_list("staff")
    counts = list(
        counted.annotate(count=Count("pk")).order_by("-count", "staff")[:MOST]
    )
    staff = {one for one, _count in counts}
    names = dict(User.objects.filter(pk__in=staff).values_list("pk", "username"))
    return Chart(
        title=_("Memories opened in a week, by person"),
        bars=_bars(
            (names.get(one, f"staff:{one}"), count, "") for one, count in counts
        ),
        note="" if counts else _("Nobody opened any."),
        url=reverse("admin:kernel_auditentry_changelist"),
    )


def _chains(now: datetime) -> Chart:
    status = read_status(now=now)
    return Chart(
        title=_("Audit chains"),
        bars=(),
        note=_("%(verified)s %(published)s")
        % {"verified": status.verified, "published": status.published},
        url=reverse("admin:chains"),
        is_alarm=status.is_alarm or status.is_publishing_late,
    )


def _costs(now: datetime) -> Chart:
    days = list_days(now=now, days=DAYS)
    most = max((day.cost_micros for day in days), default=0)
    return Chart(
        title=_("Cost of the model by day"),
        bars=tuple(
            Bar(f"{day.date:%m-%d}", day.cost, _percent(day.cost_micros, most))
            for day in days
        ),
        note="" if days else _("The model was not called."),
        url=reverse("admin:costs"),
    )


def _bars(rows: Iterable[tuple[str, int, str]]) -> tuple[Bar, ...]:
    told = list(rows)
    most = max((count for _label, count, _tone in told), default=0)
    return tuple(
        Bar(label, str(count), _percent(count, most), tone)
        for label, count, tone in told
    )


def _percent(part: int, most: int) -> int:
    return round(100 * part / most) if most else 0


def _id_from(moment: datetime) -> UUID:
    """Return the least id that can have been made from a moment on."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)
