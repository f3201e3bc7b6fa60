"""The simulated week: a plan that holds what it says, whatever the seed."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.conf import settings

from memories.extraction.rules import extract
from memories.extraction.types import SessionMessage
from memories.language_model.transcript import is_worth_asking
from memories.sessions import idle_time
from memsys.chaos.sayings import state
from memsys.chaos.week import (
    DAYS,
    End,
    PlannedRelationship,
    PlannedSession,
    Post,
    Size,
    name_session,
    plan_week,
)
from memsys.kernel.text.clean import clean_text
from memsys.kernel.text.privacy import mask

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


@pytest.fixture(params=[1, 2])
def week(request: pytest.FixtureRequest) -> tuple[PlannedRelationship, ...]:
    return plan_week(Size(relationships=10, sessions=204), seed=request.param, now=NOW)


def list_sessions(week: tuple[PlannedRelationship, ...]) -> list[PlannedSession]:
    return [session for one in week for session in one.sessions]


def as_read(session: PlannedSession) -> list[SessionMessage]:
    return [
        SessionMessage(
            id=uuid4(),
            author_kind=one.author_kind,
            text=one.text,
            sent_at=one.sent_at,
        )
        for one in session.messages
    ]


def test_it_plans_the_same_week_for_the_same_seed() -> None:
    size = Size(relationships=3, sessions=20)

    one, again = (plan_week(size, seed=7, now=NOW) for _ in range(2))

    assert one == again
    assert one != plan_week(size, seed=8, now=NOW)


def test_it_plans_as_many_sessions_as_were_asked_for(
    week: tuple[PlannedRelationship, ...],
) -> None:
    counts = Counter(len(one.sessions) for one in week)

    assert counts == {20: 6, 21: 4}
    assert len({(one.user, one.persona) for one in week}) == 10
    assert len({one.user for one in week}) == 5
    assert len({one.label for one in list_sessions(week)}) == 204


def test_it_sends_each_message_in_one_post(
    week: tuple[PlannedRelationship, ...],
) -> None:
    for one in week:
        posted = [
            message.id
            for step in one.steps
            if isinstance(step, Post)
            for message in step.messages
        ]
        planned = [message.id for s in one.sessions for message in s.messages]

        assert sorted(posted) == sorted(planned)
        assert isinstance(one.steps[-1], End)


def test_it_sends_some_sessions_late_and_some_messages_again(
    week: tuple[PlannedRelationship, ...],
) -> None:
    late = again = 0
    for one in week:
        posts = [step for step in one.steps if isinstance(step, Post)]
        sent_at = [post.messages[0].sent_at for post in posts]
        late += sent_at != sorted(sent_at)
        again += sum(post.is_repeated for post in posts)

    assert late >= 5
    assert again >= 20


def test_it_leaves_an_idle_time_between_sessions_and_none_within() -> None:
    whole = plan_week(Size(relationships=200, sessions=3000), seed=1, now=NOW)

    for one in whole:
        for session, following in zip(one.sessions, one.sessions[1:], strict=False):
            pause = following.begun_at - session.messages[-1].sent_at
            assert pause > idle_time()
            assert session.messages[-1].sent_at - session.begun_at < idle_time()


def test_it_says_nothing_twice_within_a_session(
    week: tuple[PlannedRelationship, ...],
) -> None:
    # Within five minutes it would count as sent twice.
    for session in list_sessions(week):
        said = [(one.author_kind, one.text) for one in session.messages]

        assert len(said) == len(set(said))


def test_it_stays_within_the_week(week: tuple[PlannedRelationship, ...]) -> None:
    times = [m.sent_at for s in list_sessions(week) for m in s.messages]

    assert min(times) >= NOW - timedelta(days=DAYS)
    assert max(times) < NOW


def test_it_needs_an_answer_where_a_model_would_be_asked(
    week: tuple[PlannedRelationship, ...],
) -> None:
    sessions = list_sessions(week)

    planned = [one.needs_answer for one in sessions]

    assert planned == [is_worth_asking(as_read(one)) for one in sessions]
    assert 0.7 < sum(planned) / len(planned) < 0.95


def test_it_says_nothing_that_the_privacy_filter_changes(
    week: tuple[PlannedRelationship, ...],
) -> None:
    texts = {m.text for s in list_sessions(week) for m in s.messages}

    assert [text for text in texts if mask(clean_text(text)).text != text] == []


def test_it_says_facts_that_the_rules_read_by_themselves(
    week: tuple[PlannedRelationship, ...],
) -> None:
    for session in list_sessions(week)[:60]:
        messages = as_read(session)
        stated = [
            fact
            for one in messages
            if one.author_kind == "user" and (fact := state(one.text, number=1))
        ]

        found = extract(messages, time_zone=settings.TIME_ZONE)

        read = {(one.value, one.polarity) for one in found}
        assert {(one["value"], one["polarity"]) for one in stated} <= read


@pytest.mark.parametrize(("relationships", "sessions"), [(0, 0), (2, 1), (1, 101)])
def test_it_refuses_a_size_that_no_week_holds(
    relationships: int, sessions: int
) -> None:
    with pytest.raises(ValueError, match="relationship"):
        Size(relationships=relationships, sessions=sessions)


def test_it_names_many_sessions_apart() -> None:
    names = [name_session(number) for number in range(0, 40_000, 7)]

    assert len(set(names)) == len(names)
    assert all(name.isalpha() for name in names)
