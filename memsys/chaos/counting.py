"""Brings together what was sent, what the model served and what the tables hold.

Owns the counts. Pure: everything comes in as data, so that a false count can be tried
on the promises as well as a true one.

>>> Served(good={"waaa": 2}, unusable={}).total_good
2
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass

from memsys.chaos.findings import Findings, FoundSession, Said
from memsys.chaos.week import PlannedRelationship, PlannedSession

LOST_CALLS = 2  # so many workers may die with a session's call before it falls back


@dataclass(frozen=True)
class Sent:
    """What the caller sent: weeks by relationship's id, and the ids that were taken."""

    weeks: Mapping[str, PlannedRelationship]
    taken: Set[str]

    @property
    def planned(self) -> dict[str, PlannedSession]:
        """Return the planned sessions by label."""
        return {s.label: s for week in self.weeks.values() for s in week.sessions}


@dataclass(frozen=True)
class Served:
    """What the model server counted by session: good answers, and those that are none."""

    good: Mapping[str, int]
    unusable: Mapping[str, int]

    @property
    def total_good(self) -> int:
        return sum(self.good.values())

    @property
    def total_unusable(self) -> int:
        return sum(self.unusable.values())


@dataclass(frozen=True)
class Counts:
    """The numbers of a rehearsal.

    `sessions_unlike` were parted, joined or are missing. `answers_unaccounted` are
    sessions without their one answer and without a fallback, `served_unaccounted` good
    answers that were neither recorded nor lost with a worker. `facts_wrong` are slots
    that do not hold what was said last.
    """

    relationships: int
    sessions_sent: int
    sessions_stored: int
    sessions_unlike: int
    sessions_unfinished: int
    sessions_dead: int
    needing: int
    recorded: int
    fell_back_unusable: int
    fell_back_lost: int
    fell_back_unexplained: int
    answers_unaccounted: int
    asked_needlessly: int
    calls_lost: int
    calls_under_way: int
    served: int
    served_unusable: int
    served_unaccounted: int
    messages_sent: int
    messages_stored: int
    messages_lost: int
    messages_twice: int
    memories: int
    slots_twice: int
    loose_twice: int
    facts_expected: int
    facts_wrong: int

    @property
    def fell_back(self) -> int:
        return (
            self.fell_back_unusable + self.fell_back_lost + self.fell_back_unexplained
        )


def count(sent: Sent, served: Served, found: Findings, *, most_unusable: int) -> Counts:
    """Count everything; a session is known by the label that its messages carry."""
    planned = sent.planned
    by_label = {one.labels[0]: one for one in found.sessions if len(one.labels) == 1}
    asked = {label for label, one in planned.items() if one.needs_answer}
    reasons = _explain_fallbacks(found.sessions, served, most_unusable=most_unusable)
    stored = Counter(found.messages)
    statuses = Counter(one.status for one in found.sessions)
    wrong, expected = _count_wrong(sent.weeks, found.standing)
    return Counts(
        relationships=len(sent.weeks),
        sessions_sent=len(planned),
        sessions_stored=len(found.sessions),
        sessions_unlike=_count_unlike(planned, found.sessions),
        sessions_unfinished=statuses["open"] + statuses["pending"],
        sessions_dead=statuses["dead"],
        needing=len(asked),
        recorded=sum(one.answers for one in found.sessions),
        fell_back_unusable=reasons["unusable"],
        fell_back_lost=reasons["lost"],
        fell_back_unexplained=reasons[""],
        answers_unaccounted=sum(not _is_accounted(by_label.get(one)) for one in asked),
        asked_needlessly=_count_needless(found.sessions, asked),
        calls_lost=sum(one.lost for one in found.sessions),
        calls_under_way=sum(one.under_way for one in found.sessions),
        served=served.total_good,
        served_unusable=served.total_unusable,
        served_unaccounted=_count_served_unaccounted(served, by_label),
        messages_sent=len(sent.taken),
        messages_stored=len(found.messages),
        messages_lost=len(sent.taken - set(stored)),
        messages_twice=sum(times - 1 for times in stored.values()),
        memories=found.memories,
        slots_twice=found.slots_twice,
        loose_twice=found.loose_twice,
        facts_expected=expected,
        facts_wrong=wrong,
    )


def _explain_fallbacks(
    sessions: Sequence[FoundSession], served: Served, *, most_unusable: int
) -> Counter[str]:
    return Counter(
        _explain_fallback(one, served, most_unusable=most_unusable)
        for one in sessions
        if one.extraction == "fallback"
    )


def _count_unlike(planned: Collection[str], found: Sequence[FoundSession]) -> int:
    """Count sessions that are not what was sent: parted, joined or missing."""
    times = Counter(label for one in found for label in one.labels)
    joined = {label for one in found if len(one.labels) != 1 for label in one.labels}
    return sum(times[label] != 1 or label in joined for label in planned)


def _explain_fallback(one: FoundSession, served: Served, *, most_unusable: int) -> str:
    """Name why a session fell back, "" when neither side's count bears it out."""
    if one.lost >= LOST_CALLS:
        return "lost"
    counted = served.unusable.get(one.labels[0], 0) if one.labels else 0
    return "unusable" if min(one.unusable, counted) >= most_unusable else ""


def _is_accounted(one: FoundSession | None) -> bool:
    """Tell whether a session has its one answer, or fell back without one."""
    if one is None:
        return False
    if one.extraction == "model":
        return one.answers == one.answered == 1
    return one.extraction == "fallback" and one.answers == one.answered == 0


def _count_needless(found: Sequence[FoundSession], asked: Set[str]) -> int:
    return sum(one.attempts > 0 and asked.isdisjoint(one.labels) for one in found)


def _count_served_unaccounted(
    served: Served, by_label: Mapping[str, FoundSession]
) -> int:
    """Count good answers that are neither recorded nor of a call lost with a worker."""
    beyond = 0
    for label, times in served.good.items():
        one = by_label.get(label)
        allowed = one.answers + one.lost if one else 0
        beyond += max(0, times - allowed)
    return beyond


def _count_wrong(
    weeks: Mapping[str, PlannedRelationship], standing: Mapping[tuple[str, str], Said]
) -> tuple[int, int]:
    """Count slots that do not hold what was said last, and all that were filled."""
    expected = {
        (relationship, key): said
        for relationship, week in weeks.items()
        for key, said in week.last_said.items()
    }
    wrong = sum(standing.get(slot) != said for slot, said in expected.items())
    return wrong, len(expected)
