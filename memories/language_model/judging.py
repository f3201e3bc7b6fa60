"""Judges one stated fact against the session: believed, and in which words, or refused.

Owns the meeting of a claim with the rules' candidates. A candidate that says the same
lends its slot, its sign and its day, so that rules and model fill one slot alike.

>>> judge(stated, session=session, candidates=[]).fact.author  # doctest: +SKIP
'model'
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from memories.extraction.drafts import Draft
from memories.extraction.stance import Reading
from memories.extraction.types import USER, CandidateFact
from memories.language_model.claims import Claim, claim_at
from memories.language_model.evidence import find_places, sentence_of, supporting
from memories.language_model.grounding import choose_text
from memories.language_model.refusals import Refused
from memories.language_model.schema import StatedFact
from memories.language_model.session import Line, Place, Session
from memories.language_model.words import letters
from memories.slots import has_slot, normalise
from memsys.kernel.text.clean import clean_text, truncate_graphemes
from memsys.kernel.text.privacy import mask

MODEL = "model"
MAX_VALUE_CHARS = 200
IMPORTANCE_SWAY = 0.15
_TASTES = frozenset(("preference", "taboo"))


@dataclass(frozen=True)
class Judged:
    """A fact that is believed, and the candidates that say the same."""

    fact: CandidateFact
    twins: tuple[CandidateFact, ...]


def judge(
    stated: StatedFact, *, session: Session, candidates: Sequence[CandidateFact]
) -> Judged:
    """Believe a stated fact in the first place of its quote that bears it.

    Raises:
        Refused: no place bears it; with the reason of the first.
    """
    refusals: list[Refused] = []
    for place in find_places(session, stated):
        try:
            return _judge_at(place, stated, session, candidates)
        except Refused as exc:
            refusals.append(exc)
    raise refusals[0]


def _judge_at(
    place: Place,
    stated: StatedFact,
    session: Session,
    candidates: Sequence[CandidateFact],
) -> Judged:
    claim = claim_at(place, stated, talk=_talk(session, place.line))
    twins = tuple(one for one in candidates if _is_same(claim, one))
    if not twins and _is_taken_back(claim, session):
        raise Refused("taken-back")
    draft = _as_the_rules(claim.draft, twins)
    if any(mask(words).counts for words in (draft.key, draft.value)):
        raise Refused("personal-data")
    lines = _evidence(claim, stated, session)
    fact = CandidateFact(
        kind=draft.kind,
        subject=draft.subject,
        dimension=draft.dimension,
        key=draft.key,
        value=truncate_graphemes(clean_text(draft.value), max_chars=MAX_VALUE_CHARS),
        polarity=draft.polarity,
        text=_text(claim, stated, _sources(claim, stated, session, lines), twins),
        evidence=_united(session, [line.message.id for line in lines], twins),
        importance=_importance(draft, stated),
        occurred_at=draft.occurred_at or place.line.sent_at,
        due_at=draft.due_at,
        due_until=draft.due_until,
        author=MODEL,
    )
    return Judged(fact, twins)


def _talk(session: Session, line: Line) -> str:
    before = session.before(line)
    return f"{before.message.text if before else ''}\n{line.message.text}"


def _is_same(claim: Claim, candidate: CandidateFact) -> bool:
    """Tell whether a candidate was read from the same words and says the same."""
    draft = claim.draft
    is_of_line = claim.place.line.message.id in candidate.evidence
    if not is_of_line or candidate.subject != draft.subject:
        return False
    if draft.kind in _TASTES and candidate.kind in _TASTES:
        return normalise(candidate.value) == normalise(draft.value)
    if candidate.kind != draft.kind:
        return False
    if draft.kind == "fact":
        return _is_same_attribute(draft, candidate)
    if draft.kind == "commitment" and _day(draft) != _day(candidate):
        return False
    return candidate.key == draft.key != "" or _is_of_sentence(claim, candidate)


def _day(one: Draft | CandidateFact) -> date | None:
    return one.due_at.date() if one.due_at else None


def _is_same_attribute(draft: Draft, candidate: CandidateFact) -> bool:
    """Tell whether two values agree; 上海 and 上海浦东 do where both are the city."""
    one, other = normalise(draft.value), normalise(candidate.value)
    is_part = one in other or other in one
    named, known = draft.key.partition(":")[0], candidate.key.partition(":")[0]
    return one == other or (is_part and named == known)


def _is_of_sentence(claim: Claim, candidate: CandidateFact) -> bool:
    """Tell whether a candidate holds a clause of the sentences that are quoted."""
    told = letters(candidate.text)
    clauses = (letters(one.clause.text) for one in sentence_of(claim.place))
    return any(len(words) > 1 and words in told for words in clauses)


def _is_taken_back(claim: Claim, session: Session) -> bool:
    """Tell whether the rules find it in its line alone, but no more in the whole."""
    draft = claim.draft
    if not has_slot(draft.kind):
        return False

    def holds(found: Sequence[CandidateFact]) -> bool:
        return any(
            (one.kind, one.subject) == (draft.kind, draft.subject)
            and normalise(one.value) == normalise(draft.value)
            and (draft.kind != "commitment" or _day(one) == _day(draft))
            for one in found
        )

    return holds(claim.place.line.alone) and not holds(session.standing)


def _as_the_rules(draft: Draft, twins: Sequence[CandidateFact]) -> Draft:
    """Take slot, sign and day from a candidate; not from one with another value."""
    is_slotted = has_slot(draft.kind)
    alike = (
        twin
        for twin in twins
        if not is_slotted
        or draft.kind == "commitment"
        or normalise(twin.value) == normalise(draft.value)
    )
    twin = next(alike, None)
    if twin is None:
        return draft
    dated = twin if twin.due_at else draft
    return replace(
        draft,
        kind=twin.kind,
        key=twin.key,
        value=twin.value,
        polarity=twin.polarity,
        due_at=dated.due_at,
        due_until=dated.due_until,
        occurred_at=twin.occurred_at if twin.kind == "event" else draft.occurred_at,
    )


def _evidence(claim: Claim, stated: StatedFact, session: Session) -> list[Line]:
    lines = [claim.place.line]
    if claim.draft.subject == USER and has_slot(claim.draft.kind):
        lines += supporting(session, stated, thing=claim.needed)
    return lines


def _sources(
    claim: Claim, stated: StatedFact, session: Session, lines: Sequence[Line]
) -> list[Reading]:
    """Give the user's own clauses whose words a sentence may use.

    An attribute may be told in two lines (我家猫…, 叫年糕); a taste in one, lest two
    of them be told as one.
    """
    told = list(lines)
    if claim.draft.kind == "fact":
        told += session.listed(stated.messages, speaker=USER)
    return [one for line in told for one in line.readings if one.states_own]


def _text(
    claim: Claim,
    stated: StatedFact,
    sources: Sequence[Reading],
    twins: Sequence[CandidateFact],
) -> str:
    text = choose_text(
        stated.text, said=claim.place.readings, sources=sources, needed=claim.needed
    )
    told = [twin.text for twin in twins if letters(text) in letters(twin.text)]
    return told[0] if told else text


def _united(
    session: Session, evidence: Sequence[UUID], twins: Sequence[CandidateFact]
) -> tuple[UUID, ...]:
    """Give the evidence of a fact and of its twins, in the order told."""
    known = {*evidence, *(one for twin in twins for one in twin.evidence)}
    ids = [line.message.id for line in session.lines]
    return tuple(one for one in ids if one in known)


def _importance(draft: Draft, stated: StatedFact) -> float:
    """Let the model sway how much a kind of fact counts, but not decide it."""
    low, high = draft.importance - IMPORTANCE_SWAY, draft.importance + IMPORTANCE_SWAY
    return round(min(max(stated.importance, low, 0.0), high, 1.0), 2)
