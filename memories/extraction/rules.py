"""Facts by rule: the candidates that the messages of one session give.

Owns the order of the rules and what runs through a session: the animal spoken of, the
question asked, corrections and plans called off. Owns no rule of its own.

>>> from datetime import datetime
>>> from uuid import UUID
>>> said = SessionMessage(
...     id=UUID(int=1), author_kind="user", text="我对花生过敏",
...     sent_at=datetime.fromisoformat("2026-03-15T20:00:00+08:00"),
... )
>>> [fact] = extract([said], time_zone="Asia/Shanghai")
>>> fact.kind, fact.value, fact.polarity
('taboo', '花生', -1)
"""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from memories.extraction import (
    aims,
    answers,
    commitments,
    doings,
    emotions,
    events,
    identity_facts,
    life_facts,
    preferences,
    taboos,
    topics,
)
from memories.extraction.clauses import Clause, cut
from memories.extraction.drafts import Draft
from memories.extraction.ledger import Ledger
from memories.extraction.stance import FIRST, THIRD, Reading, read
from memories.extraction.types import (
    PERSONA_AUTHORS,
    USER,
    CandidateFact,
    SessionMessage,
)


def extract(
    messages: Sequence[SessionMessage], *, time_zone: str
) -> list[CandidateFact]:
    """Extract what the user's own plain words say, and what the persona promised.

    Pure and linear in the text. Dates are told from each message's time in
    `time_zone`, never from the time of processing. A slot that is filled twice in the
    session with different values gives both, in order; said twice, one fact with both
    as evidence.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: no such time zone.
    """
    zone = ZoneInfo(time_zone)
    ledger = Ledger()
    pet, asked = "", answers.Question()
    for message in messages:
        sent_at = message.sent_at.astimezone(zone)
        if message.author_kind in PERSONA_AUTHORS:
            asked = answers.Question.of(message.text)
            readings = read(cut(message.text, now=sent_at))
            promises = commitments.find_of_persona(readings, sent_at=sent_at)
            ledger.enter(message, list(promises), sent_at=sent_at)
        elif message.author_kind == USER:
            clauses = cut(message.text, now=sent_at)
            about = THIRD if asked.is_of_others else FIRST
            readings = read(clauses, subject=about)
            pet = life_facts.mentioned_pet(readings) or pet
            drafts = _drafts(readings, sent_at=sent_at, pet=pet, asked=asked)
            ledger.correct(message, readings, drafts, sent_at=sent_at)
            asked = answers.Question()
    return ledger.facts()


def _drafts(
    readings: Sequence[Reading],
    *,
    sent_at: datetime,
    pet: str,
    asked: answers.Question,
) -> list[Draft]:
    """Run the rules of each kind over one message of the user."""
    drafts = _lasting(readings, pet=pet, asked=asked)
    steps = list(topics.find_steps(readings, asked=asked.folded))
    drafts += steps or _happened(readings, drafts, sent_at=sent_at)
    drafts = _with_answer(drafts, readings, asked)
    told = _places(drafts)
    drafts += topics.find(readings, taken=told)
    taken = {draft.place for draft in drafts if draft.kind != "event"}
    # 好怕坐飞机 is told once, as the taboo that it is.
    told = {draft.place for draft in drafts if draft.kind == "taboo"}
    felt = emotions.find(readings, taken=taken)
    drafts += (draft for draft in felt if draft.place not in told)
    return sorted(drafts, key=lambda draft: draft.place)


def _with_answer(
    drafts: list[Draft], readings: Sequence[Reading], asked: answers.Question
) -> list[Draft]:
    """Add what a short answer means; what only goes on from it is told with it."""
    answered = list(answers.find(readings, question=asked))
    sentences = {readings[draft.place].clause.sentence for draft in answered}
    same = [d for d in drafts if readings[d.place].clause.sentence in sentences]
    if not answered or any(d.kind != "event" for d in same):
        return drafts
    return [d for d in drafts if d not in same] + answered


def _lasting(
    readings: Sequence[Reading], *, pet: str, asked: answers.Question
) -> list[Draft]:
    """Find what is true until further notice: taboos, tastes, facts."""
    drafts: list[Draft] = []
    drafts += taboos.find(readings)
    taken = _places(drafts)
    drafts += (d for d in preferences.find(readings) if d.place not in taken)
    drafts += identity_facts.find(readings, asked=asked.folded)
    drafts += life_facts.find(readings, pet=pet, asked=asked.folded)
    return drafts


def _happened(
    readings: Sequence[Reading], lasting: Sequence[Draft], *, sent_at: datetime
) -> list[Draft]:
    """Find what is planned, wished and what has happened."""
    birthdays = {d.place for d in lasting if d.key == "birthday"}
    moves = {d.place for d in lasting if d.key == "city"}
    planned = commitments.find(readings, sent_at=sent_at)
    plans = [d for d in planned if d.place not in birthdays]
    dated = events.find(readings, sent_at=sent_at)
    happened = [d for d in dated if d.place not in moves]
    taken = _places(lasting) | _places(plans) | _places(happened)
    wished = list(aims.find(readings, sent_at=sent_at, taken=_places(plans)))
    undated = doings.find(readings, sent_at=sent_at, taken=taken | _places(wished))
    return [*plans, *happened, *wished, *undated]


def _places(drafts: Sequence[Draft]) -> set[int]:
    return {draft.place for draft in drafts}


__all__ = ["CandidateFact", "Clause", "SessionMessage", "extract"]
