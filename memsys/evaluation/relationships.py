"""Makes a labelled relationship real, and asks it as the request path would.

Owns how a labelled memory is written: one note without a slot, through the services
that write all memories, in an ended session of its own, so that no session's cap
touches it; recorded when it happened. Nothing is extracted.

>>> relationship = write_relationship(line, number=1, trial=trial)  # doctest: +SKIP
>>> ask(relationship, line.queries[0], trial=trial).ranking[:3]  # doctest: +SKIP
('m12', 'm3', 'm40')
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

from identity.resolution import Address, get_relationship, resolve
from identity.scopes import job_scope, service_scope
from identity.services import PersonaForm, mark_synthetic, put_persona
from identity.types import RelationshipRef
from memories.sessions import end_sessions, join
from memories.statements import PreparedStatement, prepare_statement
from memories.types import Dimension, EndReason, Kind, MemoryAuthor
from memories.versions import NewMemory
from memories.writing import write_memories
from memsys.evaluation.errors import VectorMissing
from memsys.evaluation.labelled import LabelledMemory, LabelledQuery, RecallLine
from memsys.evaluation.trials import Trial
from recall.assemble import assemble
from recall.candidates import rank, recall
from recall.context_types import Material, Persona
from recall.loading import load_pack
from recall.policies import find_policy
from recall.queries import embed_query, make_question
from recall.services import ContextRequest, make_view
from recall.types import Question, Recalled, View

NAME = "evaluation"  # of the user, the creator and each persona
BY = f"system:{NAME}"


@dataclass(frozen=True)
class Remembered:
    """A relationship whose memories are written; `labels` gives a memory's own id."""

    relationship: RelationshipRef
    labels: Mapping[UUID, str]
    last_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """All eligible memories, best first, and those that a prompt would hold.

    The first is before Top-K, the session's cap, duplicates and pins; the second is
    after all of them and within the budget, in the order of the ranking. A question
    that names a time is dated; a chat line with 今天 in it is not.
    """

    ranking: tuple[str, ...]
    used: tuple[str, ...]
    is_dated: bool


def write_relationship(
    line: RecallLine,
    *,
    number: int,
    trial: Trial,
    advance: Callable[[], None] = lambda: None,
) -> Remembered:
    """Write the memories of a line, oldest first; `number` tells lines apart.

    Raises:
        VectorMissing: the embedder gave no usable vector.
    """
    persona = str(number)
    put_persona(PersonaForm(NAME, persona, NAME), by=BY)
    mark_synthetic(NAME, by=BY)
    relationship = resolve(Address(NAME, "default", NAME, persona))
    in_order = sorted(line.memories, key=lambda memory: memory.ts)
    prepared = []
    for memory in in_order:
        prepared.append(_prepare(memory, trial))
        advance()
    with job_scope(relationship):
        labels = {
            _write(relationship, memory, statement): memory.id
            for memory, statement in zip(in_order, prepared, strict=True)
        }
    # Read again for the version that the writing has raised.
    return Remembered(
        relationship=get_relationship(relationship.id),
        labels=labels,
        last_at=in_order[-1].ts if in_order else None,
    )


def _prepare(memory: LabelledMemory, trial: Trial) -> PreparedStatement:
    statement = prepare_statement(memory.text)
    if statement.embedding is None:
        raise VectorMissing("The embedder gave no vector of a memory.")
    return replace(statement, tokens=trial.keep_words(statement.tokens))


def _write(
    relationship: RelationshipRef, memory: LabelledMemory, statement: PreparedStatement
) -> UUID:
    note = NewMemory(
        kind=Kind.NOTE,
        subject="user",
        dimension=Dimension.OTHER,
        key="",
        value="",
        polarity=0,
        statement=statement,
        evidence=(),
        source_session=_make_session(relationship, at=memory.ts),
        importance=0.5,
        said_at=memory.ts,
        occurred_at=memory.ts,
        due_at=None,
        author=MemoryAuthor.SERVICE,
    )
    (lineage,) = write_memories(relationship, [note], now=memory.ts).made
    return lineage


def _make_session(relationship: RelationshipRef, *, at: datetime) -> UUID:
    (joined,) = join(relationship, [(uuid4(), at)], now=at)
    end_sessions(relationship.id, now=at, reason=EndReason.CALLER)
    return joined.session_id


def ask(remembered: Remembered, query: LabelledQuery, *, trial: Trial) -> Answer:
    """Rank the memories for a query at its time, else right after the last memory.

    Raises:
        VectorMissing: the embedder failed or was late.
    """
    relationship = remembered.relationship
    now = query.ts or remembered.last_at
    assert now is not None
    vector = embed_query(query.text) if trial.asks_vector else None
    if trial.asks_vector and vector is None:
        raise VectorMissing("The embedder gave no vector of a query.")
    view = make_view(relationship, now, None, None)
    plain = make_question(
        query.text, vector, names=relationship.names, now=view.true_at
    )
    question = trial.adapt_question(plain, text=query.text)
    ranking, recalled = _recall(relationship, question, view=view, trial=trial)
    return Answer(
        ranking=tuple(remembered.labels[memory] for memory in ranking),
        used=tuple(remembered.labels[memory] for memory in _trim(recalled, view)),
        is_dated=query.is_question and bool(plain.windows),
    )


def _recall(
    relationship: RelationshipRef, question: Question, *, view: View, trial: Trial
) -> tuple[list[UUID], Recalled]:
    with service_scope(relationship):
        pack = load_pack(relationship, view)
        found = find_policy(relationship.persona_id, scenario="")
    policy = trial.adapt_policy(found)
    ranked = rank(pack, question, view=view, policy=policy)
    recalled = recall(pack, question, view=view, policy=policy)
    return [pack.id(row) for row in ranked.rows.tolist()], recalled


def _trim(recalled: Recalled, view: View) -> list[UUID]:
    """Return the memories that a prompt of the usual budget holds, best first."""
    assembled = assemble(
        Material(persona=Persona(name=NAME), pins=recalled.pins, hits=recalled.hits),
        budget=ContextRequest.token_budget,
        now=view.now,
    )
    used = set(assembled.used)
    hits = (*recalled.hits, *recalled.pins.hits)
    return [hit.id for hit in hits if hit.id in used]
