"""What must hold after the week, whatever happened in it.

Owns the promises. Pure: from counts to verdicts.

>>> [one.name for one in judge(counts, blows) if not one.is_kept]  # doctest: +SKIP
[]
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memsys.chaos.counting import Counts


@dataclass(frozen=True)
class Blows:
    """What was done to the system, of what was asked for.

    A kill ends all processes of a worker, and each of them may be in a call.
    """

    kills: int
    kills_asked: int
    wipes: int
    wipes_asked: int
    processes: int


@dataclass(frozen=True)
class Promise:
    """One promise: what was found, and what it must be."""

    name: str
    found: int
    expected: str
    is_kept: bool


def judge(counts: Counts, blows: Blows) -> Sequence[Promise]:
    """Return every promise, kept or broken."""
    answers = counts.needing - counts.fell_back
    most = counts.needing + blows.kills * blows.processes
    return [
        _none("messages lost", counts.messages_lost),
        _none("messages stored twice", counts.messages_twice),
        _none("sessions parted, joined or missing", counts.sessions_unlike),
        _none("sessions stuck", counts.sessions_unfinished),
        _none("sessions given up", counts.sessions_dead),
        _equal("answers recorded", counts.recorded, answers),
        _none("sessions without their one answer", counts.answers_unaccounted),
        _none("fallbacks without a cause", counts.fell_back_unexplained),
        _none("sessions asked about for nothing", counts.asked_needlessly),
        _most("answers served", counts.served, most),
        _none("answers served again without a lost call", counts.served_unaccounted),
        _none("calls left under way", counts.calls_under_way),
        _none("memories twice in a slot", counts.slots_twice),
        _none("memories twice in a session", counts.loose_twice),
        _none("facts that are not what was said last", counts.facts_wrong),
        _equal("kills", blows.kills, blows.kills_asked),
        _equal("wipes of the broker", blows.wipes, blows.wipes_asked),
    ]


def _none(name: str, found: int) -> Promise:
    return Promise(name, found, "0", found == 0)


def _equal(name: str, found: int, expected: int) -> Promise:
    return Promise(name, found, f"{expected:,}", found == expected)


def _most(name: str, found: int, most: int) -> Promise:
    return Promise(name, found, f"≤ {most:,}", found <= most)
