"""What the language model costs, by day; from the calls, of which none holds words.

>>> list_days(now=now, days=14)  # doctest: +SKIP
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from memories.models import ModelAttempt
from memories.types import AttemptStatus
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission

DAYS = 30
# So many calls are counted at most, the latest first.
CALLS = 200_000
MICROS = 1_000_000


@dataclass(frozen=True)
class Day:
    """The calls of one day: how many, how many gave an answer, and their cost."""

    date: date
    calls: int
    answered: int
    tokens: int
    cost_micros: int

    @property
    def cost(self) -> str:
        return number_format(self.cost_micros / MICROS, decimal_pos=4)


@page("costs/", name="costs", permission=Permission.SEE_COSTS)
def costs(request: HttpRequest) -> HttpResponseBase:
    """Show calls and cost of the last thirty days."""
    days = list_days(now=timezone.now(), days=DAYS)
    return show(
        request,
        "desk/costs.html",
        title=_("Cost of the model"),
        days=[(day, share(day.cost_micros, days)) for day in days],
        calls=sum(day.calls for day in days),
        cost=number_format(
            sum(day.cost_micros for day in days) / MICROS, decimal_pos=2
        ),
        limit=CALLS,
    )


def list_days(*, now: datetime, days: int) -> list[Day]:
    """Return each day with calls, the latest first. One query."""
    since = now - timedelta(days=days)
    latest = ModelAttempt.objects.filter(sent_at__gte=since).order_by("-sent_at", "-pk")
    rows: Any = (
        ModelAttempt.objects.filter(pk__in=latest.values("pk")[:CALLS])
        .annotate(date=TruncDate("sent_at"))
        .order_by()
        .values("date")
        .annotate(
            calls=Count("pk"),
            answered=Count("pk", filter=Q(status=AttemptStatus.ANSWERED)),
            tokens=Sum("input_tokens") + Sum("output_tokens"),
            cost_micros=Sum("cost_micros"),
        )
    )
    return sorted((Day(**row) for row in rows), key=lambda one: one.date, reverse=True)


def share(part: int, days: list[Day]) -> int:
    """Return how long a bar is, in per cent of the longest."""
    most = max((day.cost_micros for day in days), default=0)
    return round(100 * part / most) if most else 0
