"""Decay: how much of a memory is left after a time, by stored times alone.

Owns the forgetting curve and what makes a memory last. Does not own when rows are
archived, nor ranking: decay decides whether a memory is still there, never its rank.
Nothing here counts how often a job ran, so a job's having run changes no answer.

>>> from datetime import UTC, datetime, timedelta
>>> then = datetime(2026, 1, 1, tzinfo=UTC)
>>> round(retention(now=then + timedelta(days=100), t0=then, stability_days=100), 3)
0.368
"""

import math
from datetime import datetime, timedelta

RETENTION_FLOOR = 0.05  # below this a memory counts as forgotten
BASE_STABILITY_DAYS = 120.0  # of a trifle that was never used
IMPORTANCE_GAIN = 3.0
USE_GAIN = 0.5
MICROSECONDS_PER_DAY = 86_400_000_000

LASTING_KINDS = frozenset({"taboo"})
LASTING_DIMENSIONS = frozenset({"taboo", "identity"})

_MICROSECOND = timedelta(microseconds=1)


def retention(*, now: datetime, t0: datetime, stability_days: float) -> float:
    """Return what is left at `now` of a memory that began to fade at `t0`, 0..1.

    Before `t0` nothing has faded.
    Source: Ebbinghaus, Über das Gedächtnis (1885), in its exponential form.
    """
    _check_stability(stability_days)
    return math.exp(-max(age_days(now=now, t0=t0), 0.0) / stability_days)


def is_faded(
    *,
    now: datetime,
    t0: datetime,
    stability_days: float,
    floor: float = RETENTION_FLOOR,
) -> bool:
    """Tell whether the retention at `now` is at or below `floor`.

    It compares ages, not exponentials, so that one row asked alone and a column of
    rows asked together get the same answer to the last bit.
    """
    _check_stability(stability_days)
    return age_days(now=now, t0=t0) >= stability_days * lifetimes(floor=floor)


def lifetimes(*, floor: float) -> float:
    """Return after how many stabilities the retention has sunk to `floor`.

    >>> round(lifetimes(floor=0.05), 2)
    3.0
    """
    if not 0.0 < floor < 1.0:
        raise ValueError("the retention floor lies between 0 and 1")
    return -math.log(floor)


def fades_from(
    *,
    kind: str,
    occurred_at: datetime,
    waits_until: datetime | None,
    said_at: datetime | None = None,
) -> datetime:
    """Return when a memory begins to fade: when it was last said, at the earliest.

    A commitment waits for its date, the last one where it has several. `said_at` is when its newest evidence was sent.
    """
    begins = max(occurred_at, said_at or occurred_at)
    if kind == "commitment" and waits_until is not None:
        return max(begins, waits_until)
    return begins


def fades_at(*, t0: datetime, stability_days: float) -> datetime:
    """Return the first microsecond at which a memory that begins at `t0` is faded.

    >>> from datetime import UTC
    >>> fades_at(t0=datetime(2026, 1, 1, tzinfo=UTC), stability_days=120).date()
    datetime.date(2026, 12, 26)
    """
    _check_stability(stability_days)
    days = stability_days * lifetimes(floor=RETENTION_FLOOR)
    moment = t0 + math.floor(days * MICROSECONDS_PER_DAY) * _MICROSECOND
    while not is_faded(now=moment, t0=t0, stability_days=stability_days):
        moment += _MICROSECOND
    return moment


def is_lasting(*, kind: str, dimension: str) -> bool:
    """Tell whether a memory is kept however old: who the user is, and what hurts."""
    return kind in LASTING_KINDS or dimension in LASTING_DIMENSIONS


def stability_days(*, importance: float, uses: int) -> float:
    """Return the stability of a memory: it grows with importance and with each use.

    >>> stability_days(importance=0.0, uses=0)
    120.0
    """
    if not 0.0 <= importance <= 1.0:
        raise ValueError("importance lies between 0 and 1")
    if uses < 0:
        raise ValueError("uses are counted from 0")
    strength = 1.0 + IMPORTANCE_GAIN * importance
    practice = 1.0 + USE_GAIN * math.log1p(uses)
    return BASE_STABILITY_DAYS * strength * practice


def age_days(*, now: datetime, t0: datetime) -> float:
    """Return the days from `t0` to `now`, exact to the microsecond."""
    return ((now - t0) // _MICROSECOND) / MICROSECONDS_PER_DAY


def _check_stability(value: float) -> None:
    if not value > 0.0:
        raise ValueError("stability is a positive number of days")
