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

from collections.abc import Hashable, Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from memories.extraction import (
    aims,
    amends,
    answers,
    commitments,
    doings,
    emotions,
    endings,
    events,
    identity_facts,
    leavings,
    life_facts,
    preferences,
    promises,
    taboos,
    topics,
)
from memories.extraction.clauses import Clause, cut
from memories.extraction.drafts import Draft, statement
from memories.extraction.ledger import Ledger
from memories.extraction.reported import as_quoted
from memories.extraction.stance import FIRST, THIRD, Reading, is_joke_told, read
from memories.extraction.types import (
    PERSONA_AUTHORS,
    USER,
    CandidateFact,
    Found,
    SessionMessage,
)
from memories.slots import normalise


def extract(
    messages: Sequence[SessionMessage], *, time_zone: str
) -> list[CandidateFact]:
    """Extract what the user's own plain words say, and what the persona promised.

    The facts of `read_session`.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: no such time zone.
    """
    return read_session(messages, time_zone=time_zone).facts


def read_session(messages: Sequence[SessionMessage], *, time_zone: str) -> Found:
    """Find the facts of a session, and what it takes back of what others have told.

    Pure and linear in the text. Dates are told from each message's time in
    `time_zone`, never from the time of processing. A slot that is filled twice in the
    session with different values gives both, in order; said twice, one fact with both
    as evidence.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: no such time zone.
    """
    zone = ZoneInfo(time_zone)
    hearing = _Hearing()
    for message in messages:
        sent_at = message.sent_at.astimezone(zone)
        if message.author_kind in PERSONA_AUTHORS:
            hearing.hear_persona(message, sent_at)
        elif message.author_kind == USER:
            hearing.hear_user(message, sent_at)
    return hearing.ledger.found()


class _Hearing:
    """What runs through a session while its messages are heard in order."""

    def __init__(self) -> None:
        self.ledger = Ledger()
        self._pet = ""
        self._asked = answers.Question()
        self._before: SessionMessage | None = None
        self._of_others = False

    def hear_persona(self, message: SessionMessage, sent_at: datetime) -> None:
        """Note what the persona asks and promises."""
        self._asked = answers.Question.of(message.text)
        readings = read(cut(message.text, now=sent_at))
        planned = self.ledger.planned()
        promised = promises.find(readings, sent_at=sent_at, planned=planned)
        self.ledger.enter(message, list(promised), sent_at=sent_at)

    def hear_user(self, message: SessionMessage, sent_at: datetime) -> None:
        """Enter what the user tells, or takes back."""
        before = self._before
        clauses = cut(as_quoted(message.text), now=sent_at)
        if before and is_joke_told(clauses):
            self.ledger.unsay([before.id])
        readings = self._read(clauses)
        drafts = self._drafts(readings, sent_at)
        amended = None if drafts else self._amended(readings, sent_at)
        if amended:
            readings, drafts = amended, self._drafts(amended, sent_at)
        self.ledger.correct(
            message,
            readings,
            drafts,
            endings=list(endings.find(readings, sent_at=sent_at)),
            sent_at=sent_at,
        )
        if amended and before:
            self.ledger.also_said_by(before.id, message=message.id)
        self._asked, self._before = answers.Question(), message
        self._of_others = bool(readings) and readings[-1].subject == THIRD

    def _read(self, clauses: Sequence[Clause]) -> list[Reading]:
        about = THIRD if self._asked.is_of_others else FIRST
        readings = read(clauses, subject=about)
        if self._of_others and any(reading.corrects for reading in readings):
            readings = read(clauses, subject=THIRD)
        self._pet = life_facts.mentioned_pet(readings) or self._pet
        return readings

    def _drafts(self, readings: Sequence[Reading], sent_at: datetime) -> list[Draft]:
        return _drafts(readings, sent_at=sent_at, pet=self._pet, asked=self._asked)

    def _amended(
        self, readings: Sequence[Reading], sent_at: datetime
    ) -> list[Reading] | None:
        """Read the message before anew where this one only puts a word of it right."""
        before = self._before
        told = self.ledger.told_by(before.id) if before else []
        values = [fact.value for fact in told]
        if before is None or not told:
            return None
        text = amends.find(readings, before=before.text, values=values)
        if text is None:
            return None
        self.ledger.unsay([before.id])
        return read(cut(text, now=sent_at))


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
    drafts += steps or _happened(readings, drafts, sent_at=sent_at, asked=asked.folded)
    drafts = _with_answer(drafts, readings, asked, sent_at=sent_at)
    told = _places(drafts)
    drafts += topics.find(readings, taken=told)
    taken = _places([draft for draft in drafts if draft.kind != "event"])
    # 好怕坐飞机 is told once, as the taboo that it is, and 挺烦开会 as the dislike.
    told = {
        d.place for d in drafts if d.kind in ("taboo", "preference") and d.polarity < 0
    }
    felt = emotions.find(readings, taken=taken)
    drafts += (d for d in felt if d.polarity > 0 or d.place not in told)
    return sorted(drafts, key=lambda draft: draft.place)


def _with_answer(
    drafts: list[Draft],
    readings: Sequence[Reading],
    asked: answers.Question,
    *,
    sent_at: datetime,
) -> list[Draft]:
    """Add what a short answer means; what only goes on from it is told with it."""
    dated = answers.find_date(readings, question=asked, sent_at=sent_at)
    answered = list(dated) or list(answers.find(readings, question=asked))
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
    drafts = _with_leavings(drafts, list(leavings.find(readings)))
    return [_told_together(draft, drafts, readings) for draft in drafts]


def _with_leavings(drafts: Sequence[Draft], gone: Sequence[Draft]) -> list[Draft]:
    """Add what is no more; a word of it that was read as a taste is none."""
    drafts = _once(drafts)
    told = {(draft.place, draft.key) for draft in drafts}
    ended = {d.place for d in gone if d.kind == "fact" and not d.is_ending}
    kept = [d for d in drafts if d.kind != "preference" or d.place not in ended]
    new = [d for d in gone if d.is_ending or (d.place, d.key) not in told]
    return [*kept, *new]


def _once(drafts: Sequence[Draft]) -> list[Draft]:
    """Keep one of what says the same thing of one clause: 我这人恐高 is the taboo."""
    kept: dict[Hashable, Draft] = {}
    for draft in drafts:
        said = draft.place, normalise(draft.value)
        kept.setdefault(said if draft.kind in ("taboo", "fact") else id(draft), draft)
    return list(kept.values())


def _told_together(
    draft: Draft, drafts: Sequence[Draft], readings: Sequence[Reading]
) -> Draft:
    """Keep what one sentence says of the user in one piece: 我大三，学土木的."""
    if draft.kind != "fact" or draft.corrects or draft.is_ending:
        return draft
    sentence = readings[draft.place].clause.sentence
    own = (d for d in drafts if d.kind == "fact" and not d.corrects)
    places = _places([d for d in own if d.polarity > 0])
    same = [p for p in sorted(places) if readings[p].clause.sentence == sentence]
    texts = [statement(readings[place]) for place in same]
    if len(same) < 2 or draft.text not in texts:
        return draft
    return replace(draft, text=statement(*(readings[place] for place in same)))


def _happened(
    readings: Sequence[Reading],
    lasting: Sequence[Draft],
    *,
    sent_at: datetime,
    asked: str,
) -> list[Draft]:
    """Find what is planned, wished and what has happened."""
    birthdays = {d.place for d in lasting if d.key == "birthday"}
    moves = {d.place for d in lasting if d.key == "city"}
    planned = commitments.find(readings, sent_at=sent_at, asked=asked)
    plans = [d for d in planned if d.place not in birthdays]
    dated = events.find(readings, sent_at=sent_at)
    happened = [d for d in dated if d.place not in moves]
    taken = _places(lasting) | _places(plans) | _places(happened)
    wished = list(aims.find(readings, sent_at=sent_at, taken=_places(plans)))
    undated = doings.find(readings, sent_at=sent_at, taken=taken | _places(wished))
    return [*plans, *happened, *wished, *undated]


def _places(drafts: Sequence[Draft]) -> set[int]:
    return {draft.place for draft in drafts if not draft.is_ending}


__all__ = ["CandidateFact", "Clause", "SessionMessage", "extract", "read_session"]
