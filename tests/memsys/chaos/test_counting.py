"""The counts: each fault that could happen is seen as one, by a number of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memsys.chaos.counting import Counts, Sent, Served, count
from memsys.chaos.findings import Findings, FoundSession
from memsys.chaos.promises import Blows, judge
from memsys.chaos.week import PlannedMessage, PlannedRelationship, PlannedSession

NOW = datetime(2026, 3, 15, tzinfo=UTC)
BLOWS = Blows(kills=1, kills_asked=1, wipes=1, wipes_asked=1, processes=2)


def plan(label: str, *, needs_answer: bool) -> PlannedSession:
    messages = tuple(
        PlannedMessage(f"{label}-{number}", "user", "在吗", NOW) for number in range(2)
    )
    return PlannedSession(label, messages, needs_answer)


def found(label: str, **fields: Any) -> FoundSession:
    """Return a session that went well: one call, one answer."""
    well = FoundSession(
        id=f"id-{label}",
        relationship="r-1",
        status="done",
        extraction="model",
        labels=(label,),
        answers=1,
        answered=1,
        unusable=0,
        lost=0,
        unreachable=0,
        under_way=0,
    )
    return replace(well, **fields)


WEEK = PlannedRelationship(
    user="user-0",
    persona="yueying",
    sessions=(
        plan("waaa", needs_answer=True),
        plan("waab", needs_answer=True),
        plan("waac", needs_answer=False),
    ),
    steps=(),
    last_said={"city": ("成都", 1)},
)
MESSAGES = tuple(m.id for s in WEEK.sessions for m in s.messages)
NEVER_ASKED = {"extraction": "rules", "answers": 0, "answered": 0}
GAVE_UP = {"extraction": "fallback", "answers": 0, "answered": 0}


@dataclass(frozen=True)
class Trial:
    """A week in which all went well; a test changes what is to go wrong."""

    first: Mapping[str, Any] = field(default_factory=dict)
    third: Mapping[str, Any] = field(default_factory=dict)
    more: tuple[FoundSession, ...] = ()
    without_first: bool = False
    good: Mapping[str, int] = field(default_factory=lambda: {"waaa": 1, "waab": 1})
    unusable: Mapping[str, int] = field(default_factory=dict)
    messages: tuple[str, ...] = MESSAGES
    slots_twice: int = 0
    loose_twice: int = 0
    standing: Mapping[tuple[str, str], tuple[str, int]] = field(
        default_factory=lambda: {("r-1", "city"): ("成都", 1)}
    )

    def count(self) -> Counts:
        sessions = [
            found("waaa", **self.first),
            found("waab"),
            found("waac", **NEVER_ASKED | self.third),
            *self.more,
        ]
        findings = Findings(
            sessions=sessions[self.without_first :],
            messages=self.messages,
            memories=1,
            slots_twice=self.slots_twice,
            loose_twice=self.loose_twice,
            standing=self.standing,
        )
        sent = Sent({"r-1": WEEK}, frozenset(MESSAGES))
        served = Served(self.good, self.unusable)
        return count(sent, served, findings, most_unusable=3)

    def list_broken(self) -> set[str]:
        return {one.name for one in judge(self.count(), BLOWS) if not one.is_kept}


def test_it_breaks_no_promise_when_all_went_well() -> None:
    counts = Trial().count()

    assert Trial().list_broken() == set()
    assert (counts.sessions_sent, counts.needing, counts.recorded) == (3, 2, 2)
    assert (counts.messages_sent, counts.messages_stored) == (6, 6)


def test_it_lets_a_session_fall_back_after_unusable_answers() -> None:
    trial = Trial(
        first=GAVE_UP | {"unusable": 3}, good={"waab": 1}, unusable={"waaa": 3}
    )

    assert trial.list_broken() == set()
    assert trial.count().fell_back_unusable == 1


def test_it_lets_a_session_fall_back_after_two_lost_calls() -> None:
    trial = Trial(first=GAVE_UP | {"lost": 2}, good={"waaa": 2, "waab": 1})

    assert trial.list_broken() == set()
    assert trial.count().fell_back_lost == 1


def test_it_lets_the_model_answer_again_after_a_lost_call() -> None:
    trial = Trial(first={"lost": 1}, good={"waaa": 2, "waab": 1})

    assert trial.list_broken() == set()
    assert (trial.count().served, trial.count().calls_lost) == (3, 1)


@pytest.mark.parametrize(
    ("trial", "broken"),
    [
        (Trial(messages=MESSAGES[1:]), {"messages lost"}),
        (Trial(messages=(*MESSAGES, MESSAGES[0])), {"messages stored twice"}),
        (
            Trial(more=(found("waaa", **NEVER_ASKED),)),
            {
                "sessions parted, joined or missing",
                "sessions without their one answer",
                "answers served again without a lost call",
            },
        ),
        (
            Trial(without_first=True),
            {
                "sessions parted, joined or missing",
                "answers recorded",
                "sessions without their one answer",
                "answers served again without a lost call",
            },
        ),
        (
            Trial(third={"status": "open"}),
            {"sessions stuck"},
        ),
        (
            Trial(first={"status": "pending", "extraction": "provisional"}),
            {"sessions stuck", "sessions without their one answer"},
        ),
        (Trial(third={"status": "dead"}), {"sessions given up"}),
        (
            Trial(first=NEVER_ASKED, good={"waab": 1}),
            {"answers recorded", "sessions without their one answer"},
        ),
        (
            Trial(first={"answers": 2}),
            {"answers recorded", "sessions without their one answer"},
        ),
        (
            Trial(first=GAVE_UP | {"unusable": 2}, unusable={"waaa": 2}),
            {
                "fallbacks without a cause",
                "answers served again without a lost call",
            },
        ),
        (
            # The table says three, the server served two.
            Trial(first=GAVE_UP | {"unusable": 3}, good={"waab": 1}),
            {"fallbacks without a cause"},
        ),
        (Trial(third={"unreachable": 1}), {"sessions asked about for nothing"}),
        (
            Trial(good={"waaa": 2, "waab": 1}),
            {"answers served again without a lost call"},
        ),
        (
            Trial(good={"waaa": 5, "waab": 1}, first={"lost": 4}),
            {"answers served"},
        ),
        (
            Trial(good={"waaa": 1, "waab": 1, "waac": 1}),
            {"answers served again without a lost call"},
        ),
        (Trial(first={"under_way": 1}), {"calls left under way"}),
        (Trial(slots_twice=1), {"memories twice in a slot"}),
        (Trial(loose_twice=1), {"memories twice in a session"}),
        (Trial(standing={}), {"facts that are not what was said last"}),
        (
            Trial(standing={("r-1", "city"): ("杭州", 1)}),
            {"facts that are not what was said last"},
        ),
    ],
)
def test_it_names_what_is_broken(trial: Trial, broken: set[str]) -> None:
    assert trial.list_broken() == broken


@pytest.mark.parametrize(
    ("spoil", "broken"),
    [
        (lambda blows: replace(blows, kills_asked=2), "kills"),
        (lambda blows: replace(blows, wipes_asked=2), "wipes of the broker"),
    ],
)
def test_it_is_broken_when_less_happened_than_was_asked_for(
    spoil: Callable[[Blows], Blows], broken: str
) -> None:
    verdicts = judge(Trial().count(), spoil(BLOWS))

    assert [one.name for one in verdicts if not one.is_kept] == [broken]


def test_it_lets_no_kill_excuse_more_answers_than_it_can_have_lost() -> None:
    blows = replace(BLOWS, kills=0, kills_asked=0)
    counts = replace(Trial().count(), served=3)

    (broken,) = (one for one in judge(counts, blows) if not one.is_kept)

    assert (broken.name, broken.found, broken.expected) == ("answers served", 3, "≤ 2")
