"""What would go tonight: the same rules as at night, and nothing is changed.

>>> plan(now=now, until=tonight, limit=200).counts  # doctest: +SKIP
{'raw_message': 120}
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from consent.retention.classes import read_days
from consent.retention.looking import Looked, foresee
from consent.retention.nights import iterate_due
from consent.retention.payloads import expire_payloads
from consent.retention.rules import add_up


@dataclass(frozen=True)
class Plan:
    """Rows that would go by class, and those that stay, by reason and class.

    `looked` relationships were looked at; `has_more` were not, since there are more.
    """

    looked: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    told: int = 0
    over: int = 0
    has_more: bool = False


def plan(*, now: datetime, until: datetime, limit: int | None = None) -> Plan:
    """Return what a night that begins at `until` would do, as things stand `now`.

    Opens a scope for each relationship that is due then, at most `limit` of them.
    """
    looked: list[Looked] = []
    has_more = False
    for relationship_id in iterate_due(until=until):
        if limit is not None and len(looked) == limit:
            has_more = True
            break
        looked.append(foresee(relationship_id, now=until))
    payloads = expire_payloads(read_days()["audit_payload"], now=until, is_dry=True)
    kept: dict[str, list[Mapping[str, int]]] = {}
    for one in looked:
        kept.setdefault(one.reason_code, []).append(one.kept)
    kept.setdefault("legal-hold", []).append(payloads.kept)
    return Plan(
        looked=len(looked),
        counts=add_up([*(one.counts for one in looked), payloads.counts]),
        kept={why: sums for why, part in kept.items() if (sums := add_up(part))},
        told=Counter(one.is_told for one in looked)[True],
        over=Counter(one.is_over for one in looked)[True],
        has_more=has_more,
    )
