"""What is left out of a ranking, and that nothing else is touched."""

from dataclasses import replace

import numpy as np
import pytest

from memsys.evaluation.trials import Ingredient, Legs, Trial
from recall.types import Policy, Question

TEXT = "我的橘猫呢"
QUESTION = Question(words=["橘", "猫"], vector=np.ones(2, np.float32))


def without(*ingredients: Ingredient) -> Trial:
    return Trial(without=frozenset(ingredients))


def test_it_leaves_the_request_path_as_it_is_by_default() -> None:
    trial = Trial()

    assert trial.adapt_policy(Policy()) == Policy()
    assert trial.adapt_question(QUESTION, text=TEXT).words == ("橘", "猫")
    assert trial.keep_words(["橘", "iphone", "a"]) == ("橘", "iphone", "a")


@pytest.mark.parametrize(
    ("ingredient", "changed"),
    [
        (Ingredient.RECENCY, replace(Policy(), weight_recency=0.0)),
        (Ingredient.IMPORTANCE, replace(Policy(), weight_importance=0.0)),
        (Ingredient.DATES, replace(Policy(), date_bonus=0.0)),
        (Ingredient.CHARACTERS, Policy()),
        (Ingredient.STOP_WORDS, Policy()),
    ],
)
def test_it_takes_one_weight_out_of_the_policy(
    ingredient: Ingredient, changed: Policy
) -> None:
    assert without(ingredient).adapt_policy(Policy()) == changed


def test_it_takes_single_characters_out_of_memories_and_questions() -> None:
    trial = without(Ingredient.CHARACTERS)

    assert trial.keep_words(["芒果", "芒", "果", "c", "5"]) == ("芒果", "c", "5")
    assert trial.adapt_question(QUESTION, text=TEXT).words == ()


def test_it_keeps_stop_words_in() -> None:
    asked = without(Ingredient.STOP_WORDS).adapt_question(QUESTION, text=TEXT)

    assert {"我", "的", "呢", "猫"} <= set(asked.words)


def test_it_asks_with_one_leg_alone_at_its_full_weight() -> None:
    words, vector = Trial(legs=Legs.LEXICAL), Trial(legs=Legs.VECTOR)

    assert (words.asks_vector, vector.asks_vector) == (False, True)
    assert words.adapt_question(QUESTION, text=TEXT).words == ("橘", "猫")
    assert vector.adapt_question(QUESTION, text=TEXT).words == ()
    assert vector.adapt_policy(Policy()).weight_vector == 1.0
