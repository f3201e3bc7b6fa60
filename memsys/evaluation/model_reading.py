"""Reads labelled sessions as a worker with a model does: rules first, one call each.

Owns what stands in for the work on a session: nothing is stored and no call is made
twice. An answer that is none leaves the rules' facts, as in a worker that gave up.

>>> ModelReader().unusable
0
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.core.exceptions import ImproperlyConfigured

from memories.errors import ModelAnswerUnusable, ModelUnreachable
from memories.extraction.rules import extract
from memories.extraction.types import CandidateFact, SessionMessage
from memories.language_model.answers import merge, parse_answer
from memories.language_model.client import ask, is_configured
from memories.language_model.transcript import is_worth_asking, write_prompt
from memsys.evaluation.errors import ModelMissing
from memsys.evaluation.extraction import as_stored, list_messages
from memsys.evaluation.sessions import SessionLine
from memsys.running.settings_only import load_settings


def check_model() -> None:
    """Read the settings and check that they name a model.

    Raises:
        ModelMissing: they name none, or one that cannot be used.
    """
    try:
        load_settings()
    except ImproperlyConfigured as exc:
        raise ModelMissing(str(exc)) from exc
    if not is_configured():
        raise ModelMissing(
            "There is no model to ask: set LLM_BASE_URL, LLM_MODEL and LLM_API_KEY, "
            "or leave --with-model out to measure the rules alone."
        )


@dataclass
class ModelReader:
    """Reads one session after the other; counts the answers that were none."""

    unusable: int = 0

    def __call__(self, line: SessionLine) -> list[CandidateFact]:
        """Return what rules and model make of a session. Network; one call at most.

        Raises:
            ModelMissing: the model gives no answer to anything.
        """
        messages = list_messages(line)
        found = extract(messages, time_zone=line.time_zone)
        if is_worth_asking(messages):
            found = self._ask(messages, found, time_zone=line.time_zone)
        return [replace(fact, text=as_stored(fact.text)) for fact in found]

    def _ask(
        self,
        messages: Sequence[SessionMessage],
        found: list[CandidateFact],
        *,
        time_zone: str,
    ) -> list[CandidateFact]:
        question = write_prompt(messages, candidates=found, time_zone=time_zone)
        try:
            findings = parse_answer(ask(question.prompt).text).filtered()
        except ModelAnswerUnusable:
            self.unusable += 1
            return found
        except ModelUnreachable as exc:
            raise ModelMissing(f"The model cannot be reached: {exc.code}.") from exc
        merged = merge(
            findings,
            messages=messages,
            candidates=found,
            time_zone=time_zone,
            messages_cut=question.messages_cut,
        )
        return list(merged.facts)
