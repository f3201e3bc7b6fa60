"""When the worker dies and the broker forgets: at random moments over all of the work.

Owns the moments, which a seed decides. They are shares of the work done and not times
of a clock, so that a slow machine is hit as often as a fast one.

>>> [blow.kind.value for blow in plan_blows(kills=1, wipes=0, seed=1)]
['kill']
"""

from dataclasses import dataclass
from enum import StrEnum
from random import Random

# The last blows leave work to do: a dead worker that had none would prove nothing.
_LATEST = 0.97
_LONGEST_DELAY_SECONDS = 0.6


class Blow(StrEnum):
    """What hits: the worker killed by force, or the broker emptied."""

    KILL = "kill"
    WIPE = "wipe"


@dataclass(frozen=True)
class PlannedBlow:
    """A blow that falls `delay_seconds` after this share of the sessions is done."""

    share: float
    delay_seconds: float
    kind: Blow


def plan_blows(*, kills: int, wipes: int, seed: int) -> list[PlannedBlow]:
    """Plan the blows in their order; one in each stretch of the work of equal length."""
    random = Random(f"{seed}/blows")
    blows = []
    for kind, count in ((Blow.KILL, kills), (Blow.WIPE, wipes)):
        for place in range(count):
            share = _LATEST * (place + random.random()) / count
            delay = random.uniform(0, _LONGEST_DELAY_SECONDS)
            blows.append(PlannedBlow(share, delay, kind))
    return sorted(blows, key=lambda blow: blow.share)
