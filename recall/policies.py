"""Which ranking a relationship follows.

Owns the choice of the most particular policy, and the seed of the global one.

>>> find_policy(persona_id, scenario="AI-01")  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django.db.models import Q

from recall.models import RecallPolicy
from recall.types import Fusion, Policy


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
