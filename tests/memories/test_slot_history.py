"""The history of a slot in the database, against an oracle that paints days."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from identity.types import RelationshipRef
from memories.models import Memory, Message
from memories.reading import Slice, list_memories
from memories.services import correct_memory, erase_memory
from memories.statements import PreparedStatement
from memories.versions import NewMemory
from memories.writing import write_memories
from memsys.kernel.scope import Purpose, access_scope
from tests.factories.identity import make_relationship
from tests.factories.memories import make_message
from tests.memories.slot_oracle import Slot

CITIES = ("成都", "西安", "广州")
DAYS = 7
D0 = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
in_the_database: Callable[..., Callable[..., None]] = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def unembedded(text: str) -> PreparedStatement:
    return PreparedStatement(text, (), None, "")


class History:
    """One slot in the database and in the oracle, told the same."""

    def __init__(self) -> None:
        self.slot = Slot(days=DAYS)
        self.ann: RelationshipRef = make_relationship()
        self.statements: list[NewMemory] = []
        self.moments: list[datetime] = []

    def say(self, city: str, day: int, today: int) -> None:
        message = make_message(self.ann, f"我住在{city}", sent_at=D0 + day * DAY)
        new = statement(city, D0 + day * DAY, message.pk)
        self.statements.append(new)
        self.write(new, now=self.begin(today))
        self.slot.say(city, day, str(message.pk))

    def write(self, new: NewMemory, *, now: datetime) -> None:
        with access_scope(Purpose.JOB, relationship=self.ann.id):
            write_memories(self.ann, [new], now=now)

    def correct(self, city: str, day: int, today: int) -> None:
        told = self.slot.days[day]
        if told is None:
            return
        now, memory_id = self.begin(today), self.find(day)
        with access_scope(Purpose.SERVICE, relationship=self.ann.id):
            correct_memory(
                self.ann,
                memory_id,
                unembedded(f"我住在{city}"),
                by="job:t",
                author="user",
                now=now,
            )
        self.slot.correct(told, city, today)

    def erase(self, day: int, today: int) -> None:
        told = self.slot.days[day]
        if told is None:
            return
        now, memory_id = self.begin(today), self.find(day)
        with access_scope(Purpose.SERVICE, relationship=self.ann.id):
            erase_memory(self.ann, memory_id, by="job:t", reason_code="test", now=now)
        self.slot.erase(told, today)

    def begin(self, today: int) -> datetime:
        self.moments.append(D0 + today * DAY + len(self.moments) * SECOND)
        return self.moments[-1]

    def look(self) -> None:
        if self.moments:
            self.slot.look(len(self.moments) - 1)

    def find(self, day: int) -> UUID:
        with access_scope(Purpose.SERVICE, relationship=self.ann.id):
            (view,) = list_memories(self.ann.id, Slice(valid_at=D0 + day * DAY), now=D0)
        return view.id

    def answers(self, known_at: datetime | None = None) -> list[str | None]:
        with access_scope(Purpose.SERVICE, relationship=self.ann.id):
            found = [
                list_memories(
                    self.ann.id,
                    Slice(valid_at=D0 + day * DAY, known_at=known_at),
                    now=D0,
                )
                for day in range(DAYS)
            ]
        assert all(len(views) <= 1 for views in found)
        return [views[0].value if views else None for views in found]

    def rows(self) -> list[tuple[object, ...]]:
        with access_scope(Purpose.SERVICE, relationship=self.ann.id):
            rows = Memory.objects.of(self.ann.id).order_by("id")
            return list(
                rows.values_list(
                    "id", "lineage", "value", "valid_from", "valid_to", "recorded_to",
                    "superseded_by", "evidence",
                )
            )  # fmt: skip

    def replay(self) -> None:
        """Run the jobs again on all messages that may still be read."""
        with access_scope(Purpose.SERVICE, relationship=self.ann.id):
            kept = Message.objects.filter(relationship_id=self.ann.id, no_extract=False)
            readable = set(kept.values_list("id", flat=True))
        for new in self.statements:
            if new.evidence[0][1] in readable:
                self.write(new, now=self.moments[-1] + SECOND)


def statement(city: str, at: datetime, message: UUID) -> NewMemory:
    return NewMemory(
        kind="fact",
        subject="user",
        dimension="identity",
        key="city",
        value=city,
        polarity=1,
        statement=unembedded(f"我住在{city}"),
        evidence=((at, message),),
        source_session=None,
        importance=0.5,
        said_at=at,
        occurred_at=at,
        due_at=None,
        author="rules",
    )


def check_line(history: History) -> None:
    with access_scope(Purpose.SERVICE, relationship=history.ann.id):
        current = Memory.objects.of(history.ann.id).current()
        periods = sorted(
            (row.valid_from, row.valid_to)
            for row in current
            if row.valid_to != row.valid_from
        )
    assert sum(end is None for _, end in periods) <= 1
    assert all(
        end is not None and end <= begin for (_, end), (begin, _) in pairwise(periods)
    )


cities = st.sampled_from(CITIES)
unsaid = st.sampled_from(("杭州", "苏州"))
days = st.integers(0, DAYS - 2)
said = st.tuples(st.just("say"), cities, days)
corrected = st.tuples(st.just("correct"), cities, st.integers(0, DAYS - 1))
put_right = st.tuples(st.just("correct"), unsaid, st.integers(0, DAYS - 1))
erased = st.tuples(st.just("erase"), st.integers(0, DAYS - 1))
Step = tuple[tuple[object, ...], int]


def in_time(pairs: Sequence[Step]) -> list[Step]:
    """Let the clock run forwards, whatever the order of what is said."""
    todays = sorted(today for _, today in pairs)
    return [(deed, today) for (deed, _), today in zip(pairs, todays, strict=True)]


def steps_of(*deeds: Any) -> Any:
    """Draw deeds, each with the day of the clock on which it is done."""
    pairs = st.tuples(st.one_of(*deeds), st.integers(0, DAYS))
    return st.lists(pairs, min_size=5, max_size=9).map(in_time)


steps = steps_of(said, said, said, corrected, erased)


def live(steps: Sequence[Step]) -> History:
    history = History()
    for (deed, *details), today in steps:
        getattr(history, str(deed))(*details, today)
        history.look()
    return history


@pytest.mark.django_db
@in_the_database
@given(steps)
def test_it_answers_as_the_oracle_does(steps: list[Step]) -> None:
    """Acceptance rows 19, 33 and 34: with corrections and erasures in between."""
    history = live(steps)

    assert history.answers() == history.slot.values()
    check_line(history)


@pytest.mark.django_db
@in_the_database
@given(steps)
def test_it_answers_what_was_known(steps: list[Step]) -> None:
    history = live(steps)

    for step, picture in history.slot.pictures.items():
        known = [one and one[1] for one in picture]
        assert history.answers(history.moments[step]) == known


@pytest.mark.django_db
@in_the_database
@given(steps_of(said, said, erased))
def test_it_changes_nothing_when_all_jobs_run_again(steps: list[Step]) -> None:
    """Acceptance rows 19 and 60."""
    history = live(steps)
    before = history.rows()

    history.replay()

    assert history.rows() == before


@pytest.mark.django_db
@in_the_database
@given(steps_of(said, said, put_right))
def test_it_keeps_corrections_when_all_jobs_run_again(steps: list[Step]) -> None:
    """Acceptance row 60: what was mistaken stays so."""
    history = live(steps)
    before = history.rows()

    history.replay()

    assert history.rows() == before


@pytest.mark.django_db
@in_the_database
@given(steps)
def test_it_takes_a_job_that_comes_twice_at_once(steps: list[Step]) -> None:
    """Acceptance row 60: made, said again, blocked or overruled."""
    history = live(steps)
    history.say("西安", 3, DAYS)
    before = history.rows()

    history.write(history.statements[-1], now=history.moments[-1])

    assert history.rows() == before


@pytest.mark.django_db
@in_the_database
@given(
    st.lists(st.tuples(cities, days), min_size=2, max_size=6, unique_by=lambda p: p[1]),
    st.randoms(use_true_random=False),
)
def test_it_does_not_depend_on_the_order_of_arrival(
    told: list[tuple[str, int]], chance: Random
) -> None:
    """Acceptance row 33."""
    mixed, in_order = History(), History()
    shuffled = list(told)
    chance.shuffle(shuffled)

    for city, day in shuffled:
        mixed.say(city, day, DAYS)
    for city, day in sorted(told, key=lambda one: one[1]):
        in_order.say(city, day, DAYS)

    assert mixed.answers() == in_order.answers()
    newest, _ = max(told, key=lambda one: one[1])
    assert mixed.answers()[-1] == newest
