"""Relationships that lie idle: the user is told, and later they are erased.

Owns what follows from the last activity, as a pure function of times.

>>> from datetime import UTC
>>> t = datetime(2026, 1, 1, tzinfo=UTC)
>>> judge(active_at=t, noticed_at=None, now=t + timedelta(days=400), idle_days=365,
...       notice_days=30).is_told
True
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

AGAIN = timedelta(days=1)


@dataclass(frozen=True)
class Idleness:
    """Since when the user knows, what is to be done now, and when to look again."""

    noticed_at: datetime | None = None
    is_told: bool = False
    is_over: bool = False
    next_at: datetime | None = None


def judge(
    *,
    active_at: datetime | None,
    noticed_at: datetime | None,
    now: datetime,
    idle_days: int,
    notice_days: int,
) -> Idleness:
    """Return what is to be done about a relationship; None of it when nothing is kept.

    A notice is void once there was activity after it.
    """
    if active_at is None:
        return Idleness()
    idle_from = active_at + timedelta(days=idle_days)
    if noticed_at is None or active_at > noticed_at:
        if now < idle_from:
            return Idleness(next_at=idle_from)
        notice_ends = now + timedelta(days=notice_days)
        return Idleness(noticed_at=now, is_told=True, next_at=notice_ends)
    notice_ends = noticed_at + timedelta(days=notice_days)
    if now < notice_ends:
        return Idleness(noticed_at=noticed_at, next_at=notice_ends)
    return Idleness(noticed_at=noticed_at, is_over=True, next_at=now + AGAIN)
