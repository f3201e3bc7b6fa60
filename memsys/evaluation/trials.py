"""What is left out of a ranking, to see what it was worth.

Owns the legs and the ingredients that can be taken out of the ranking of the request
path, and nothing of that ranking itself.

>>> Trial(without=frozenset({Ingredient.RECENCY})).adapt_policy(Policy()).weight_recency
0.0
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from memsys.kernel.text.tokens import tokenize
from recall.queries import MAX_QUERY_CHARS
from recall.types import Policy, Question


class Legs(StrEnum):
    """Which legs of the score a question is given."""

    LEXICAL = "lexical"
    VECTOR = "vector"
    BOTH = "both"


class Ingredient(StrEnum):
    """One thing that the ranking lives on, beside its legs."""

    CHARACTERS = "characters"
    STOP_WORDS = "stop-words"
    RECENCY = "recency"
    IMPORTANCE = "importance"
    DATES = "dates"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One way to rank: the request path's, less what is left out."""

    legs: Legs = Legs.BOTH
    without: frozenset[Ingredient] = frozenset()

    @property
    def name(self) -> str:
        """What it is called above a result, such as `both legs, no dates`."""
        legs = "both legs" if self.legs is Legs.BOTH else f"{self.legs} leg"
        return ", ".join([legs, *(f"no {one}" for one in sorted(self.without))])

    @property
    def asks_vector(self) -> bool:
        return self.legs is not Legs.LEXICAL

    def keep_words(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words that take part, of a memory or of a question."""
        if Ingredient.CHARACTERS not in self.without:
            return tuple(words)
        return tuple(word for word in words if len(word) > 1 or word.isascii())

    def adapt_question(self, question: Question, *, text: str) -> Question:
        """Return a question with the words that this trial asks with."""
        words = question.words
        if Ingredient.STOP_WORDS in self.without:
            words = tokenize(text[-MAX_QUERY_CHARS:])
        if self.legs is Legs.VECTOR:
            words = ()
        return replace(question, words=self.keep_words(words))

    def adapt_policy(self, policy: Policy) -> Policy:
        """Return a policy without the weights of what is left out."""
        if self.legs is Legs.VECTOR:
            policy = replace(policy, weight_vector=1.0)
        if Ingredient.RECENCY in self.without:
            policy = replace(policy, weight_recency=0.0)
        if Ingredient.IMPORTANCE in self.without:
            policy = replace(policy, weight_importance=0.0)
        if Ingredient.DATES in self.without:
            policy = replace(policy, date_bonus=0.0)
        return policy
