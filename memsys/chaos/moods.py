"""A model that is in a mood: most answers are good, some are not, by a seed.

Owns which question fails and how, what a good answer says, and the counting by
session. The same session meets the same moods again, whatever comes between.

>>> choose_mood("waaa", 1, seed=1, failing=0.0) is None
True
"""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from memsys.chaos.model_server import ModelServer
from memsys.chaos.questions import Asked
from memsys.chaos.sayings import state
from memsys.chaos.troubles import Trouble

# Answers that are none, and services that give none. One that is late costs all of a
# timeout, so it is rarer.
UNUSABLE: Mapping[Trouble, int] = {
    Trouble.HALF_JSON: 3,
    Trouble.HALF_ENVELOPE: 2,
    Trouble.HTML: 3,
    Trouble.EMPTY: 3,
    Trouble.WRONG_SCHEMA: 2,
    Trouble.ERROR_TEXT: 2,
}
UNREACHABLE: Mapping[Trouble, int] = {
    Trouble.DOWN: 5,
    Trouble.BUSY: 4,
    Trouble.CLOSED: 3,
    Trouble.CLOSED_HALFWAY: 2,
    Trouble.LATE: 1,
}
_ALL = {**UNUSABLE, **UNREACHABLE}
THINKING_SECONDS = (0.02, 0.12)


def choose_mood(
    label: str, number: int, *, seed: int, failing: float
) -> Trouble | None:
    """Say how the question of this number about a session fails, None for not."""
    random = Random(f"{seed}/{label}/{number}")
    if random.random() >= failing:
        return None
    return random.choices(list(_ALL), weights=list(_ALL.values()))[0]


def chance_of_fallback(failing: float, *, most_unusable: int) -> float:
    """Return how likely it is that a session gets only unusable answers to the end.

    >>> chance_of_fallback(0.0, most_unusable=3)
    0.0
    """
    unusable = failing * sum(UNUSABLE.values()) / sum(_ALL.values())
    unreachable = failing - unusable
    # What does not reach the model counts for nothing, and is asked again.
    return float((unusable / (1 - unreachable)) ** most_unusable)


class MoodyModel(ModelServer):
    """A model server in a mood, which counts what each session got from it."""

    def __init__(self, *, seed: int, failing: float, late_seconds: float) -> None:
        super().__init__(
            answer=self.answer_well, delay_seconds=late_seconds, retry_after_seconds=1
        )
        self.asked_by_label: Counter[str] = Counter()
        self.unusable_by_label: Counter[str] = Counter()
        self.troubles: Counter[Trouble] = Counter()
        self._seed = seed
        self._failing = failing

    def choose_trouble(self, asked: Asked) -> Trouble | None:
        """Say how a question fails, and count it under its session."""
        label = self.label_of(asked)
        self.asked_by_label[label] += 1
        trouble = choose_mood(
            label, self.asked_by_label[label], seed=self._seed, failing=self._failing
        )
        if trouble is not None:
            self.troubles[trouble] += 1
            self.unusable_by_label[label] += trouble in UNUSABLE
        return trouble

    def answer_well(self, asked: Asked) -> Mapping[str, Any]:
        """Think a little, then state each fact that the user stated."""
        random = Random(f"{self._seed}/{self.label_of(asked)}")
        self.stopping.wait(random.uniform(*THINKING_SECONDS))
        stated = (
            state(line["text"], number=line["n"])
            for line in asked.lines
            if line["who"] == "用户"
        )
        return {"facts": [one for one in stated if one], "rejected": []}
