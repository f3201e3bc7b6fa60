"""The border at which an answer is believed: its form first, then each fact for itself.

Owns what of an answer becomes candidate facts, and what of the rules' stays. The model
proposes; what is kept stands in the messages of those it is about.

>>> parse_answer('{"facts": [], "rejected": []}').facts
()
>>> parse_answer("Error: rate limit")
Traceback (most recent call last):
memories.errors.ModelAnswerUnusable: The answer of the language model is not usable: not-json.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from pydantic import ValidationError

from memories.errors import ModelAnswerUnusable
from memories.extraction.types import CandidateFact, SessionMessage
from memories.language_model.judging import Judged, judge
from memories.language_model.refusals import Refused
from memories.language_model.schema import Findings
from memories.language_model.session import Session
from memories.language_model.words import letters
from memories.slots import has_slot, normalise

MAX_FACTS = 40
MAX_ANSWER_CHARS = 500_000
_CODE_FENCE = re.compile(r"\s*```(?:json)?\s*\n(?P<body>.*)\n\s*```\s*", re.DOTALL)


@dataclass(frozen=True)
class Merged:
    """The facts of a session, in the order told; refused facts counted by reason."""

    facts: tuple[CandidateFact, ...]
    refused: Mapping[str, int]


def parse_answer(text: str) -> Findings:
    """Read an answer; a code fence around it is forgiven, nothing else is.

    Raises:
        ModelAnswerUnusable: it is no answer of the agreed form.
    """
    fenced = _CODE_FENCE.fullmatch(text) if len(text) <= MAX_ANSWER_CHARS else None
    body = fenced["body"] if fenced else text.strip()
    if not body:
        raise ModelAnswerUnusable("empty")
    if len(body) > MAX_ANSWER_CHARS:
        raise ModelAnswerUnusable("too-big")
    try:
        return Findings.model_validate_json(body)
    except ValidationError as exc:
        # The error quotes the answer: it is not handed on.
        is_json = all(one["type"] != "json_invalid" for one in exc.errors())
        code = "wrong-schema" if is_json else "not-json"
        raise ModelAnswerUnusable(code) from None


def merge(
    findings: Findings,
    *,
    messages: Sequence[SessionMessage],
    candidates: Sequence[CandidateFact],
    time_zone: str,
    messages_cut: int,
) -> Merged:
    """Believe what the messages bear, and keep the candidates it does not replace.

    `messages` and `candidates` are those of the question, in its order; what only
    stands in the first `messages_cut` messages was not shown and cannot be rejected.
    Pure; reads each quoted message once.

    Raises:
        zoneinfo.ZoneInfoNotFoundError: no such time zone.
    """
    session = Session(messages, time_zone=time_zone)
    shown = {message.id for message in messages[messages_cut:]}
    standing = [
        fact
        for number, fact in enumerate(candidates, 1)
        if number not in findings.rejected or not shown.issuperset(fact.evidence)
    ]
    judged, refused = _judge_all(findings, session, standing)
    replaced = [twin for one in judged for twin in one.twins]
    believed = _folded([one.fact for one in judged])
    kept = [
        fact
        for fact in standing
        if fact not in replaced and not any(_covers(one, fact) for one in believed)
    ]
    order = {message.id: number for number, message in enumerate(messages)}
    facts = sorted([*kept, *believed], key=lambda fact: _told_at(fact, order))
    return Merged(tuple(facts), refused)


def _judge_all(
    findings: Findings, session: Session, candidates: Sequence[CandidateFact]
) -> tuple[list[Judged], Mapping[str, int]]:
    judged: list[Judged] = []
    refused: Counter[str] = Counter()
    for stated in findings.facts:
        if len(judged) == MAX_FACTS:
            refused["too-many"] += 1
            continue
        try:
            judged.append(judge(stated, session=session, candidates=candidates))
        except Refused as exc:
            refused[exc.code] += 1
    return judged, dict(refused)


def _folded(facts: Sequence[CandidateFact]) -> list[CandidateFact]:
    """Fold what says the same; of one slot in one message the first counts."""
    folded: list[CandidateFact] = []
    for fact in facts:
        for place, known in enumerate(folded):
            if _is_duplicate(known, fact):
                evidence = tuple(dict.fromkeys(known.evidence + fact.evidence))
                folded[place] = replace(known, evidence=evidence)
                break
            if _is_same_slot(known, fact) and _meet(known.evidence, fact.evidence):
                break
        else:
            folded.append(fact)
    return folded


def _is_duplicate(known: CandidateFact, fact: CandidateFact) -> bool:
    if (known.kind, known.subject) != (fact.kind, fact.subject):
        return False
    if has_slot(fact.kind):
        is_same = _is_same_slot(known, fact) and known.polarity == fact.polarity
        return is_same and normalise(known.value) == normalise(fact.value)
    return letters(known.text) == letters(fact.text) or (
        fact.kind == "emotion"
        and known.polarity == fact.polarity
        and _meet(known.evidence, fact.evidence)
    )


def _covers(fact: CandidateFact, candidate: CandidateFact) -> bool:
    """Tell whether a believed fact says what a candidate says, or says it better."""
    if (fact.kind, fact.subject) != (candidate.kind, candidate.subject):
        return False
    if not has_slot(fact.kind):
        return letters(fact.text) == letters(candidate.text)
    is_alike = normalise(fact.value) == normalise(candidate.value)
    return _is_same_slot(fact, candidate) and (
        is_alike or _meet(fact.evidence, candidate.evidence)
    )


def _is_same_slot(one: CandidateFact, other: CandidateFact) -> bool:
    return has_slot(one.kind) and (one.subject, one.dimension, one.key) == (
        other.subject,
        other.dimension,
        other.key,
    )


def _meet(one: Collection[UUID], other: Collection[UUID]) -> bool:
    return not set(one).isdisjoint(other)


def _told_at(fact: CandidateFact, order: Mapping[UUID, int]) -> int:
    return min((order[one] for one in fact.evidence if one in order), default=0)
