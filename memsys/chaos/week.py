"""The simulated week: who says what when, and in which order it is sent.

Owns the plan, which a seed decides alone, and what must be true after it. Sends
nothing.

>>> week = plan_week(Size(relationships=2, sessions=6), seed=1, now=now)
... # doctest: +SKIP
>>> sum(len(one.sessions) for one in week)  # doctest: +SKIP
6
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from memsys.chaos.sayings import (
    ATTRIBUTES,
    FOODS,
    GREETING,
    PASSING,
    REPLIES,
    TALK,
    TINY,
    Saying,
    say_attribute,
    say_taste,
)

DAYS = 7
# A session begins within the first half of an hour, and takes minutes: no two meet.
HOURS = DAYS * 24 - 1
MAX_SESSIONS_OF_ONE = 100
SHARE_TINY, SHARE_EMPTY = 0.1, 0.04
SHARE_LATE, SHARE_UNENDED, SHARE_AGAIN = 0.15, 0.2, 0.12
PERSONAS = ("yueying", "chen-daxia")


@dataclass(frozen=True)
class Size:
    """How much is to be rehearsed.

    Raises:
        ValueError: a number is out of its range; the text names it.
    """

    relationships: int
    sessions: int

    def __post_init__(self) -> None:
        """Check the numbers."""
        if self.relationships < 1:
            raise ValueError("There must be a relationship.")
        most = self.relationships * MAX_SESSIONS_OF_ONE
        if not self.relationships <= self.sessions <= most:
            raise ValueError(
                f"{self.relationships} relationships take "
                f"{self.relationships} to {most} sessions."
            )


@dataclass(frozen=True)
class PlannedMessage:
    """One message; `id` is the caller's own, `<label>-<number>`."""

    id: str
    author_kind: str
    text: str
    sent_at: datetime


@dataclass(frozen=True)
class PlannedSession:
    """One session under its label, which a message of the persona says."""

    label: str
    messages: tuple[PlannedMessage, ...]
    needs_answer: bool

    @property
    def begun_at(self) -> datetime:
        return self.messages[0].sent_at


@dataclass(frozen=True)
class Post:
    """Messages sent in one call; `is_repeated`: the caller sends them once more."""

    messages: tuple[PlannedMessage, ...]
    is_repeated: bool = False


@dataclass(frozen=True)
class End:
    """The call that ends the open session."""


Step = Post | End


@dataclass(frozen=True)
class PlannedRelationship:
    """The week of one user with one persona.

    `last_said` gives for each key the value and polarity that were said last.
    """

    user: str
    persona: str
    sessions: tuple[PlannedSession, ...]
    steps: tuple[Step, ...]
    last_said: Mapping[str, tuple[str, int]]


def plan_week(
    size: Size, *, seed: int, now: datetime
) -> tuple[PlannedRelationship, ...]:
    """Plan a week that ends an hour before `now`; the same seed gives the same."""
    share, left = divmod(size.sessions, size.relationships)
    counts = [share + (place < left) for place in range(size.relationships)]
    begin = now - timedelta(days=DAYS)
    week, number = [], 0
    for place, count in enumerate(counts):
        random = Random(f"{seed}/{place}")
        labels = [name_session(number + one) for one in range(count)]
        number += count
        week.append(_plan_one(place, labels, random, begin))
    return tuple(week)


def name_session(number: int) -> str:
    """Return the label of a session: letters alone, which no filter takes for a number.

    >>> name_session(0), name_session(27)
    ('waaa', 'wabb')
    """
    letters = ""
    for _ in range(3):
        number, letter = divmod(number, 26)
        letters = chr(ord("a") + letter) + letters
    return "w" + "z" * number + letters


def _plan_one(
    place: int, labels: Sequence[str], random: Random, begin: datetime
) -> PlannedRelationship:
    hours = sorted(random.sample(range(HOURS), len(labels)))
    sessions: list[PlannedSession] = []
    said: dict[str, tuple[str, int]] = {}
    for label, hour in zip(labels, hours, strict=True):
        # So that more than the idle half hour lies between the end of one and the next.
        begun_at = begin + timedelta(hours=hour, seconds=random.randrange(600))
        sayings = _choose_sayings(random)
        sessions.append(_write_session(label, sayings, random, begun_at))
        said |= {one.key: (one.value, one.polarity) for one in sayings if one.key}
    return PlannedRelationship(
        user=f"user-{place // len(PERSONAS)}",
        persona=PERSONAS[place % len(PERSONAS)],
        sessions=tuple(sessions),
        steps=tuple(_order_steps(sessions, random)),
        last_said=said,
    )


def _choose_sayings(random: Random) -> list[Saying]:
    """Choose what the user says in a session; nothing at all in an empty one."""
    kind = random.random()
    if kind < SHARE_EMPTY:
        return []
    if kind < SHARE_EMPTY + SHARE_TINY:
        return [Saying(text) for text in random.sample(TINY, random.randint(1, 2))]
    keys = random.sample(sorted(ATTRIBUTES), random.randint(0, 2))
    chosen = [say_attribute(key, random.choice(ATTRIBUTES[key][2])) for key in keys]
    foods = random.sample(FOODS, random.randint(0, 2))
    chosen += [say_taste(food, random.choice((1, 1, -1))) for food in foods]
    chosen += [Saying(text) for text in random.sample(PASSING, random.randint(0, 2))]
    chosen += [Saying(text) for text in random.sample(TALK, random.randint(1, 2))]
    random.shuffle(chosen)
    return chosen


def _write_session(
    label: str, sayings: Sequence[Saying], random: Random, begun_at: datetime
) -> PlannedSession:
    lines = [("ai", GREETING.format(label))]
    replies = random.sample(REPLIES, len(REPLIES))
    for saying in sayings:
        lines.append(("user", saying.text))
        if replies and random.random() < 0.7:
            lines.append(("ai", replies.pop()))
    at, messages = begun_at, []
    for number, (author_kind, text) in enumerate(lines):
        messages.append(PlannedMessage(f"{label}-{number}", author_kind, text, at))
        at += timedelta(seconds=random.randint(5, 60))
    return PlannedSession(
        label=label,
        messages=tuple(messages),
        needs_answer=any(one.text in TALK for one in sayings),
    )


def _order_steps(sessions: Sequence[PlannedSession], random: Random) -> Iterator[Step]:
    """Yield the calls: late sessions come in the midst of a later one, or after it."""
    waiting: list[PlannedSession] = []
    for session in sessions[:-1]:
        if random.random() < SHARE_LATE:
            waiting.append(session)
            continue
        posts = _cut(session, random)
        middle = random.randint(1, len(posts))
        yield from posts[:middle]
        # What comes late is a session by itself, and over at once: one call for all.
        yield from (Post(one.messages, _is_repeated(random)) for one in waiting)
        yield from posts[middle:]
        waiting.clear()
        if random.random() >= SHARE_UNENDED:
            yield End()
    yield from _cut(sessions[-1], random)
    yield from (Post(one.messages, _is_repeated(random)) for one in waiting)
    yield End()


def _cut(session: PlannedSession, random: Random) -> list[Post]:
    posts, left = [], list(session.messages)
    while left:
        size = random.randint(1, 5)
        posts.append(Post(tuple(left[:size]), _is_repeated(random)))
        left = left[size:]
    return posts


def _is_repeated(random: Random) -> bool:
    return random.random() < SHARE_AGAIN
