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
    commitments,
    emotions,
    events,
    identity_facts,
    life_facts,
    preferences,
    taboos,
)
from memories.extraction.clauses import Clause, cut
from memories.extraction.dialect import read_as_mandarin
from memories.extraction.drafts import Draft
from memories.extraction.ledger import Ledger
from memories.extraction.stance import Reading, read
from memories.extraction.types import (
    PERSONA_AUTHORS,
    USER,
    CandidateFact,
    SessionMessage,
)

# What was asked is answered in the next lines or not at all.
MAX_QUESTION_CHARS = 200


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
    pet, asked = "", ""
    for message in messages:
        sent_at = message.sent_at.astimezone(zone)
        if message.author_kind in PERSONA_AUTHORS:
            asked = read_as_mandarin(message.text[:MAX_QUESTION_CHARS])
            readings = read(cut(message.text, now=sent_at))
            promises = commitments.find_of_persona(readings, sent_at=sent_at)
            ledger.enter(message, list(promises), sent_at=sent_at)
        elif message.author_kind == USER:
            clauses = cut(message.text, now=sent_at)
            readings = read(clauses)
            pet = life_facts.mentioned_pet(readings) or pet
            drafts = _drafts(readings, sent_at=sent_at, pet=pet, asked=asked)
            ledger.correct(message, readings, drafts, sent_at=sent_at)
            asked = ""
    return ledger.facts()


def _drafts(
    readings: Sequence[Reading], *, sent_at: datetime, pet: str, asked: str
) -> list[Draft]:
    """Run the rules of each kind over one message of the user."""
    drafts: list[Draft] = []
    drafts += taboos.find(readings)
    taken = {draft.place for draft in drafts}
    drafts += (d for d in preferences.find(readings) if d.place not in taken)
    drafts += identity_facts.find(readings, asked=asked)
    drafts += life_facts.find(readings, pet=pet, asked=asked)
    birthdays = {d.place for d in drafts if d.key == "birthday"}
    moves = {d.place for d in drafts if d.key == "city"}
    planned = commitments.find(readings, sent_at=sent_at)
    drafts += (d for d in planned if d.place not in birthdays)
    happened = events.find(readings, sent_at=sent_at)
    drafts += (d for d in happened if d.place not in moves)
    taken = {draft.place for draft in drafts if draft.kind != "event"}
    # 好怕坐飞机 is told once, as the taboo that it is.
    told = {draft.place for draft in drafts if draft.kind == "taboo"}
    felt = emotions.find(readings, taken=taken)
    drafts += (draft for draft in felt if draft.place not in told)
    return sorted(drafts, key=lambda draft: draft.place)


__all__ = ["CandidateFact", "Clause", "SessionMessage", "extract"]
