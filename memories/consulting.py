"""The model's part in the work on a session: at most one answer, or the rules alone.

Owns whether the model is asked, when to try again, and what its answer makes of the
rules' facts. An answer is stored before anything is made of it, and what is made of it
always starts from the stored one.

>>> consult(relationship, held, messages, facts, now=now).extraction  # doctest: +SKIP
'model'
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings

from identity.types import RelationshipRef
from memories import attempts, breaker
from memories.claims import RETRY_SECONDS, Claim
from memories.errors import ModelAnswerUnusable, ModelUnreachable
from memories.extraction.types import CandidateFact, SessionMessage
from memories.language_model.answers import merge, parse_answer
from memories.language_model.client import ask, is_configured
from memories.language_model.prompts import Prompt
from memories.language_model.schema import Findings, StatedFact
from memories.language_model.transcript import is_worth_asking, write_prompt
from memories.types import Extraction
from memsys.kernel.text.clean import clean_text
from memsys.kernel.text.privacy import mask

LOST_CALLS = 2  # one that a worker died with may be tried once more
LONGEST_WAIT = timedelta(minutes=10)


@dataclass(frozen=True)
class Consulted:
    """The facts of a session, who found them, and when to ask again, if at all."""

    facts: Sequence[CandidateFact]
    extraction: str
    messages_cut: int = 0
    ask_again_at: datetime | None = None
    error_code: str = ""


def consult(
    relationship: RelationshipRef,
    held: Claim,
    messages: Sequence[SessionMessage],
    found: Sequence[CandidateFact],
    *,
    now: datetime,
) -> Consulted:
    """Return what the rules and the model find; calls the model once at most.

    While the model is away, or after an answer that is none, the rules' facts stand
    for the time being.

    Raises:
        LeaseLost: the session was taken while the model thought.
    """
    if not (is_configured() and is_worth_asking(messages)):
        return Consulted(found, Extraction.RULES)
    question = write_prompt(
        messages, candidates=found, time_zone=relationship.time_zone
    )
    standing = attempts.review(relationship, held, now=now)
    if standing.answer == "":  # erased since
        return Consulted(found, Extraction.RULES, question.messages_cut)
    case = _Case(relationship, held, standing, now)
    try:
        answer = standing.answer or case.ask(question.prompt)
        merged = merge(
            parse_answer(answer),
            messages=messages,
            candidates=found,
            time_zone=relationship.time_zone,
            messages_cut=question.messages_cut,
        )
    except _AskAgain as exc:
        again_at = now + exc.wait
        return Consulted(found, Extraction.PROVISIONAL, 0, again_at, exc.error_code)
    except ModelAnswerUnusable as exc:
        return Consulted(found, Extraction.FALLBACK, error_code=exc.code)
    return Consulted(merged.facts, Extraction.MODEL, question.messages_cut)


class _AskAgain(Exception):
    """There is no answer yet."""

    def __init__(self, wait: timedelta, error_code: str) -> None:
        super().__init__(error_code)
        self.wait = wait
        self.error_code = error_code


@dataclass(frozen=True)
class _Case:
    """One session before the model: what came of it so far, and the next call."""

    relationship: RelationshipRef
    held: Claim
    standing: attempts.Standing
    now: datetime

    def ask(self, prompt: Prompt) -> str:
        """Return a new answer, stored.

        Raises:
            _AskAgain: not now.
            ModelAnswerUnusable: all tries are used up.
        """
        self._check_tries()
        pause = breaker.find_pause(call_seconds=settings.LLM_TIMEOUT_SECONDS)
        if pause is not None:
            raise _AskAgain(pause, "model-paused")
        number = self.standing.number + 1
        attempt_id = attempts.begin(
            self.relationship, self.held, number=number, now=self.now
        )
        return self._call(prompt, attempt_id)

    def _check_tries(self) -> None:
        if self.standing.unusable >= settings.LLM_MAX_UNUSABLE:
            raise ModelAnswerUnusable("answers-unusable")
        if self.standing.lost >= LOST_CALLS:
            raise ModelAnswerUnusable("calls-lost")

    def _call(self, prompt: Prompt, attempt_id: UUID) -> str:
        begun = time.monotonic()
        try:
            reply = ask(prompt)
            answer = _without_personal_data(parse_answer(reply.text))
        except ModelUnreachable as exc:
            attempts.record_outage(attempt_id, exc, now=self._later(begun))
            breaker.note_failure()
            asked = timedelta(seconds=exc.retry_after_seconds or 0)
            raise _AskAgain(max(asked, self._backoff()), exc.code) from exc
        except ModelAnswerUnusable as exc:
            attempts.record_unusable(attempt_id, exc, now=self._later(begun))
            breaker.note_answer()
            if self.standing.unusable + 1 >= settings.LLM_MAX_UNUSABLE:
                raise
            raise _AskAgain(self._backoff(), exc.code) from exc
        breaker.note_answer()
        attempts.record_answer(
            self.relationship,
            self.held,
            attempt_id,
            replace(reply, text=answer),
            now=self._later(begun),
        )
        return answer

    def _later(self, begun: float) -> datetime:
        return self.now + timedelta(seconds=time.monotonic() - begun)

    def _backoff(self) -> timedelta:
        """Return a wait that doubles with each call for this session."""
        doublings = min(self.standing.number, 10)
        return min(timedelta(seconds=RETRY_SECONDS * 2**doublings), LONGEST_WAIT)


def _without_personal_data(findings: Findings) -> str:
    """Return an answer in the form in which it is stored, its words filtered."""
    facts = (fact.model_copy(update=_filtered_words(fact)) for fact in findings.facts)
    return findings.model_copy(update={"facts": tuple(facts)}).model_dump_json()


def _filtered_words(fact: StatedFact) -> dict[str, str]:
    return {
        name: mask(clean_text(getattr(fact, name))).text
        for name in ("about", "value", "quote", "text")
    }
