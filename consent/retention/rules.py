"""The rules of all apps by which data expires, and one look with them.

Owns where rules are found: `RETENTION_RULES` of each module of `PERSONAL_DATA_MODULES`.

>>> [one.name for one in list_rules()]  # doctest: +SKIP
['memories.content', 'consent.profile', 'consent.requests']
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib import import_module

from django.conf import settings

from memsys.kernel.expiring import Keeping, Lapsed, RetentionRule


@dataclass(frozen=True)
class Found:
    """What all rules together found or deleted in one look."""

    counts: Mapping[str, int] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)
    next_at: datetime | None = None
    active_at: datetime | None = None
    has_more: bool = False


def list_rules() -> list[RetentionRule]:
    """Return the rules of all apps, in the order of `PERSONAL_DATA_MODULES`."""
    return [
        rule
        for path in settings.PERSONAL_DATA_MODULES
        for rule in getattr(import_module(path), "RETENTION_RULES", ())
    ]


def apply_rules(
    keeping: Keeping, *, is_kept: bool, is_user_kept: bool, is_first: bool
) -> tuple[Found, Found]:
    """Let each rule delete, or count only what is kept; return both apart.

    What is of the user goes with their first relationship alone, so that it is counted
    once. Runs in the open scope of the relationship and its user.
    """
    gone: list[Lapsed] = []
    kept: list[Lapsed] = []
    for rule in list_rules():
        if rule.is_of_user and not is_first:
            continue
        if is_user_kept if rule.is_of_user else is_kept:
            kept.append(rule.expire(replace(keeping, is_dry=True)))
        else:
            gone.append(rule.expire(keeping))
    return _sum(gone), _sum(kept)


def _sum(parts: Sequence[Lapsed]) -> Found:
    return Found(
        counts=add_up([one.counts for one in parts]),
        kept=add_up([one.kept for one in parts]),
        next_at=min((one.next_at for one in parts if one.next_at), default=None),
        active_at=max((one.active_at for one in parts if one.active_at), default=None),
        has_more=any(one.has_more for one in parts),
    )


def add_up(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of counts by class; what is zero is left out."""
    found: Counter[str] = Counter()
    for one in counts:
        found.update(one)
    return {code: number for code, number in sorted(found.items()) if number}
