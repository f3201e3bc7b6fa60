"""Which ranking a relationship follows.

Owns the choice of the most particular policy, the short memory of it in each process,
and the seed of the global one.

>>> policies.get(persona_id, scenario="AI-01")  # doctest: +SKIP
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import Q

from recall.models import RecallPolicy
from recall.types import Fusion, Policy

# A policy that was changed is followed everywhere at the latest after this time.
CACHE_SECONDS = 5.0
CACHE_ENTRIES = 4096


def find_policy(persona_id: UUID, *, scenario: str) -> Policy:
    """Return the most particular policy: persona and scenario, persona, scenario, all.

    One query; the defaults when no row applies.
    """
    rows = RecallPolicy.objects.filter(
        Q(persona_id=persona_id) | Q(persona_id=None), scenario__in={"", scenario}
    )
    chosen = max(
        rows,
        key=lambda row: (row.persona_id is not None, row.scenario != ""),
        default=None,
    )
    return _to_policy(chosen) if chosen is not None else Policy()


class PolicyCache:
    """Remembers for a few seconds which policy was found, the last `max_entries`."""

    def __init__(
        self,
        *,
        seconds: float = CACHE_SECONDS,
        max_entries: int = CACHE_ENTRIES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._max_entries = max_entries
        self._clock = clock
        self._entries: OrderedDict[tuple[UUID, str], tuple[float, Policy]]
        self._entries = OrderedDict()
        self._lock = threading.Lock()

    def get(self, persona_id: UUID, *, scenario: str) -> Policy:
        """Return what `find_policy` finds, or found just now. No query, or one."""
        known = self._entries.get((persona_id, scenario))
        if known is not None and self._clock() - known[0] < self._seconds:
            return known[1]
        # The time from before it is read: a change meanwhile makes it no fresher.
        read_at = self._clock()
        policy = find_policy(persona_id, scenario=scenario)
        with self._lock:
            self._entries[persona_id, scenario] = read_at, policy
            self._entries.move_to_end((persona_id, scenario))
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)
        return policy

    def clear(self) -> None:
        """Forget all, in this process alone; the others need their few seconds."""
        with self._lock:
            self._entries.clear()


policies = PolicyCache()


def _to_policy(row: RecallPolicy) -> Policy:
    return Policy(
        fusion=Fusion(row.fusion),
        weight_vector=row.weight_vector,
        weight_recency=row.weight_recency,
        weight_importance=row.weight_importance,
        date_bonus=row.date_bonus,
        rrf_k=row.rrf_k,
        top_k=row.top_k,
        per_session=row.per_session,
    )


def seed_global_policy(using: str, **kwargs: Any) -> None:
    """Make the policy for all if there is none; after each migration."""
    RecallPolicy.objects.using(using).get_or_create(persona=None, scenario="")
