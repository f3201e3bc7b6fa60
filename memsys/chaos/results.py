"""What is ordered of a rehearsal, what is told of it on the way, and how it ended.

>>> Order(Size(relationships=2, sessions=4)).failing_percent
20
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memsys.chaos.counting import Counts
from memsys.chaos.promises import Blows, Promise
from memsys.chaos.week import Size


@dataclass(frozen=True)
class Order:
    """What to rehearse; the same order meets the same week, moods and moments."""

    size: Size
    kills: int = 30
    wipes: int = 2
    failing_percent: int = 20
    seed: int = 1


@dataclass(frozen=True)
class Standing:
    """How far a rehearsal is."""

    messages: int
    sessions_done: int
    sessions: int
    kills: int
    wipes: int


Report = Callable[[Standing], None]


@dataclass(frozen=True)
class Result:
    """How a rehearsal ended.

    `fallbacks_by_chance` are those that a model like this one must be expected to
    bring about; `troubles` counts its failures by kind, `errors` what the programs
    logged as one, `worker_ends` how often a worker ended that nobody killed.
    """

    order: Order
    counts: Counts
    blows: Blows
    promises: Sequence[Promise]
    fallbacks_by_chance: float
    troubles: Mapping[str, int]
    errors: Mapping[str, int]
    calls: int
    calls_again: int
    worker_ends: int
    seconds: float

    @property
    def broken(self) -> Sequence[Promise]:
        return [one for one in self.promises if not one.is_kept]
