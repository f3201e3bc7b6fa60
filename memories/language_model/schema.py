"""The form of an answer: what the model may say of a session.

Owns the form alone. That an answer has it says nothing about its truth; that is judged
in `answers`.

>>> Findings.model_validate_json('{"facts": [], "rejected": [2]}').rejected
(2,)
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from memsys.kernel.text.clean import clean_text, truncate_graphemes
from memsys.kernel.text.privacy import mask

MAX_WORDS = 600
MAX_DAY_CHARS = 40
MAX_FACTS_ANSWERED = 200
MAX_REJECTED = 1000

Kind = Literal["preference", "taboo", "emotion", "commitment", "event", "topic", "fact"]
Words = Annotated[str, Field(max_length=MAX_WORDS)]
Day = Annotated[str, Field(max_length=MAX_DAY_CHARS)] | None
# What some endpoints refuse in a schema; it is checked here when the answer comes.
_KEPT = frozenset(
    (
        "$defs", "$ref", "additionalProperties", "anyOf", "const", "enum", "items",
        "properties", "required", "type",
    )
)  # fmt: skip


class _Strict(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False
    )


class StatedFact(_Strict):
    """One fact as the model states it; days are ISO dates, numbers those of lines."""

    kind: Kind
    subject: Literal["user", "persona"]
    about: Words
    value: Words
    polarity: Literal[-1, 0, 1]
    quote: Words
    text: Words
    messages: Annotated[tuple[int, ...], Field(max_length=100)]
    happened_on: Day = None
    due_on: Day = None
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5

    def filtered(self) -> Self:
        """Return it with each text cleaned and behind the privacy filter."""
        words = ("about", "value", "quote", "text")
        days = ("happened_on", "due_on")
        kept = {name: _filtered(getattr(self, name), MAX_WORDS) for name in words}
        kept |= {name: _filtered(getattr(self, name), MAX_DAY_CHARS) for name in days}
        return self.model_copy(update=kept)


class Findings(_Strict):
    """A whole answer: facts, and the numbers of candidates that are none."""

    facts: Annotated[tuple[StatedFact, ...], Field(max_length=MAX_FACTS_ANSWERED)]
    rejected: Annotated[tuple[int, ...], Field(max_length=MAX_REJECTED)] = ()

    def filtered(self) -> Self:
        """Return what may be stored of it: no personal data in any text."""
        facts = tuple(fact.filtered() for fact in self.facts)
        return self.model_copy(update={"facts": facts})


def _filtered(text: str | None, max_chars: int) -> str | None:
    if text is None:
        return None
    kept = mask(clean_text(text)).text
    return truncate_graphemes(kept, max_chars=max_chars)


@cache
def json_schema() -> Mapping[str, Any]:
    """Return the schema that is sent: every field required, nothing else allowed."""
    schema: dict[str, Any] = _plain(Findings.model_json_schema())
    return schema


def _plain(node: Any, *, is_names: bool = False) -> Any:
    """Drop what is no part of the form; the keys of `properties` are names, not words."""
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _plain(value, is_names=key in ("properties", "$defs"))
        for key, value in node.items()
        if is_names or key in _KEPT
    }
    if "properties" in kept and not is_names:
        kept["required"] = list(kept["properties"])
    return kept
