"""The probes: is the process alive, can it serve, and how is it doing.

Owns what an orchestrator and a monitoring system ask. No key, no content: counts and
ages only. Ready means that the database answers; what does not stop the service, such
as late sessions or a Valkey that is away, is told as `degraded`.

>>> readyz(request).status_code  # doctest: +SKIP
200
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Min, Q
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from consent.erasures import count_late
from consent.errors import LedgerDamaged
from consent.ledger import is_behind
from memories.models import ChatSession
from memories.presence import list_unreminded
from memories.types import SessionStatus
from memsys.api.webhooks.upkeep import measure_lag
from memsys.kernel.valkey import Unreachable, get_valkey

logger = logging.getLogger("memsys.probes")

# A session that has waited longer is late: a worker is missing or stuck.
LATE_AFTER = timedelta(minutes=10)
# An erasure that is due for longer: the sweep of every minute does not get it done.
ERASURE_LATE_AFTER = timedelta(minutes=30)


@dataclass(frozen=True)
class Health:
    """What the process sees of the services that it stands on."""

    database: bool
    valkey: bool
    erasures_known: bool = True
    erasures_late: int = 0
    pending_sessions: int = 0
    oldest_pending_seconds: int = 0
    dead_sessions: int = 0
    sessions_without_model: int = 0
    webhooks_waiting_seconds: int = 0
    webhooks_dead: int = 0
    reminders_unconfirmed: int = 0

    @property
    def may_serve(self) -> bool:
        """Say whether the database answers, with all erased that the ledger knows."""
        return self.database and self.erasures_known

    @property
    def status(self) -> str:
        """Return ready, degraded or unavailable."""
        if not self.may_serve:
            return "unavailable"
        is_late = self.oldest_pending_seconds > LATE_AFTER.total_seconds()
        is_late = is_late or self.erasures_late > 0
        is_whole = self.valkey and not is_late and not self.dead_sessions
        return "ready" if is_whole else "degraded"


def check_health(*, now: datetime) -> Health:
    """Ask the database (five queries), Valkey (one call), and the ledger."""
    has_valkey = _has_valkey()
    try:
        queue = _count_queue()
        lag = measure_lag(now=now)
        unreminded = len(list_unreminded(now=now))
        is_known = _knows_erasures()
        late = count_late(before=now - ERASURE_LATE_AFTER)
    except (DatabaseError, InterfaceError):
        logger.exception("probe.database_unreachable")
        return Health(database=False, valkey=has_valkey)
    oldest = queue["oldest"]
    age = max(now - oldest, timedelta()) if oldest else timedelta()
    return Health(
        database=True,
        valkey=has_valkey,
        erasures_known=is_known,
        erasures_late=late,
        pending_sessions=queue["pending"],
        oldest_pending_seconds=int(age.total_seconds()),
        dead_sessions=queue["dead"],
        sessions_without_model=queue["without_model"],
        webhooks_waiting_seconds=lag.waiting_seconds,
        webhooks_dead=lag.dead,
        reminders_unconfirmed=unreminded,
    )


def _count_queue() -> dict[str, Any]:
    is_pending = Q(status=SessionStatus.PENDING)
    is_dead = Q(status=SessionStatus.DEAD)
    counted: dict[str, Any] = ChatSession.objects.filter(
        is_pending | is_dead
    ).aggregate(
        pending=Count("id", filter=is_pending),
        oldest=Min("ended_at", filter=is_pending),
        dead=Count("id", filter=is_dead),
        without_model=Count("id", filter=is_pending & Q(extraction="provisional")),
    )
    return counted


def _knows_erasures() -> bool:
    """Say whether the database has done what the erasure ledger knows."""
    try:
        return not is_behind()
    except LedgerDamaged:
        logger.exception("probe.ledger_damaged")
        return False


def _has_valkey() -> bool:
    try:
        return bool(get_valkey().ping())
    except Unreachable:
        return False


@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """Say that the process answers; asks nobody else."""
    return JsonResponse({"status": "alive"})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """Say whether requests can be served, and what is late or broken."""
    health = check_health(now=timezone.now())
    return JsonResponse(
        {"status": health.status, **vars(health)},
        status=200 if health.may_serve else 503,
    )


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Show the same as numbers for Prometheus; alike from every process."""
    registry = CollectorRegistry()
    registry.register(HealthCollector(check_health(now=timezone.now())))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class HealthCollector:
    """Turns one look at the health into gauges."""

    def __init__(self, health: Health) -> None:
        self._health = health

    def collect(self) -> Iterator[GaugeMetricFamily]:
        seen = self._health
        yield _gauge("database_up", "The database answers.", seen.database)
        yield _gauge("valkey_up", "Valkey answers.", seen.valkey)
        if not seen.database:
            return
        yield _gauge("erasures_known", "The ledger is followed.", seen.erasures_known)
        yield _gauge("erasures_late", "Erasures long due.", seen.erasures_late)
        yield _gauge("sessions_pending", "Waiting sessions.", seen.pending_sessions)
        yield _gauge(
            "sessions_oldest_pending_seconds",
            "How long the oldest waiting session waits.",
            seen.oldest_pending_seconds,
        )
        yield _gauge("sessions_dead", "Sessions given up.", seen.dead_sessions)
        yield _gauge(
            "sessions_without_model",
            "Sessions that wait for the model to answer again.",
            seen.sessions_without_model,
        )
        yield _gauge(
            "webhooks_waiting_seconds",
            "How long the oldest event waits to be taken.",
            seen.webhooks_waiting_seconds,
        )
        yield _gauge("webhooks_dead", "Deliveries given up.", seen.webhooks_dead)
        yield _gauge(
            "reminders_unconfirmed",
            "Users here now who should have been reminded of the AI.",
            seen.reminders_unconfirmed,
        )


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"memsys_{name}", help_text, value=value)
