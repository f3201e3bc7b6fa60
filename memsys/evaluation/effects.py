"""What other weights of recall would change, on labelled questions of our own.

Owns the comparison of two policies over one small set, in memory: nothing is written,
and no relationship of anybody is read. `manage.py evaluate recall` measures whole
files through the request path; this is for the person who weighs a change.

>>> measure_effect(Policy(), Policy(weight_vector=0.0)).before.queries  # doctest: +SKIP
44
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from memories.statements import prepare_statements
from memories.types import Dimension, Kind
from memsys.evaluation.labelled import LabelledMemory, RecallLine, read_relationships
from memsys.evaluation.metrics import Scores, mean, score_ranking
from recall.candidates import rank
from recall.pack import Pack, build_pack
from recall.queries import make_question
from recall.types import PackRow, Policy, Question, View

SET = Path(__file__).parent / "sets" / "recall_zh.jsonl"


@dataclass(frozen=True)
class Moved:
    """A question whose first right memory has another place; 0 says that it has none."""

    question: str
    before: int
    after: int

    @property
    def is_better(self) -> bool:
        return bool(self.after) and (not self.before or self.after < self.before)


@dataclass(frozen=True)
class Effect:
    """The means of the measures under both policies, and what moved."""

    before: Scores
    after: Scores
    moved: tuple[Moved, ...]
    has_vectors: bool


@dataclass(frozen=True)
class Labelled:
    """A question made ready, over the pack that it is asked of."""

    text: str
    question: Question
    view: View
    pack: Pack
    gold: frozenset[UUID]


def measure_effect(before: Policy, after: Policy) -> Effect:
    """Rank all questions under both policies.

    The first call of a process embeds the set, some two seconds; later ones take
    milliseconds.

    Raises:
        EmbeddingFailed: the embedder gives no vectors of questions.
    """
    questions = _prepare()
    scores: tuple[list[Scores], list[Scores]] = ([], [])
    moved = []
    for one in questions:
        rankings = [_rank(one, policy) for policy in (before, after)]
        for kept, ranking in zip(scores, rankings, strict=True):
            gold = {str(key) for key in one.gold}
            kept.append(score_ranking([str(key) for key in ranking], gold=gold))
        places = [_first(ranking, one.gold) for ranking in rankings]
        if places[0] != places[1]:
            moved.append(Moved(one.text, *places))
    means = [mean(some) for some in scores]
    assert means[0] is not None
    assert means[1] is not None
    has_vectors = all(one.pack.has_vector.all() for one in questions)
    return Effect(means[0], means[1], tuple(moved), has_vectors)


def _rank(one: Labelled, policy: Policy) -> list[UUID]:
    ranked = rank(one.pack, one.question, view=one.view, policy=policy)
    return [one.pack.id(row) for row in ranked.rows.tolist()]


def _first(ranking: list[UUID], gold: frozenset[UUID]) -> int:
    places = (place for place, one in enumerate(ranking, start=1) if one in gold)
    return next(places, 0)


@cache
def _prepare() -> tuple[Labelled, ...]:
    return tuple(one for line in read_relationships([SET]) for one in _questions(line))


def _questions(line: RecallLine) -> Iterator[Labelled]:
    from memories.embedding import get_embedder

    keys = {memory.id: UUID(int=at) for at, memory in enumerate(line.memories, start=1)}
    pack = _build(line, keys)
    for query in line.answerable:
        assert query.ts is not None
        yield Labelled(
            text=query.text,
            question=make_question(
                query.text,
                get_embedder().embed_query(query.text),
                names=(),
                now=query.ts,
            ),
            view=View(now=query.ts),
            pack=pack,
            gold=frozenset(keys[one] for one in query.gold),
        )


def _build(line: RecallLine, keys: dict[str, UUID]) -> Pack:
    statements = prepare_statements([memory.text for memory in line.memories])
    rows = [
        PackRow(
            **_facts(memory, key=keys[memory.id], text=statement.text),
            tokens=statement.tokens,
            embedding=statement.embedding,
        )
        for memory, statement in zip(line.memories, statements, strict=True)
    ]
    return build_pack(
        rows,
        relationship=UUID(int=0),
        version=1,
        embedding_model=statements[0].embedding_model,
    )


def _facts(memory: LabelledMemory, *, key: UUID, text: str) -> dict[str, Any]:
    """Return a note as the path of writing would keep it, each of its own session."""
    at: datetime = memory.ts
    return {
        "id": key,
        "text": text,
        "kind": Kind.NOTE,
        "tier": "episodic",
        "dimension": Dimension.OTHER,
        "subject": "user",
        "key": "",
        "value": "",
        "polarity": 0,
        "importance": 0.5,
        "stability_days": 365.0,
        "occurred_at": at,
        "valid_from": at,
        "valid_to": None,
        "recorded_at": at,
        "session": key,
        "visibility": "normal",
        "status": "active",
        "due_at": None,
        "evidence": (),
    }
