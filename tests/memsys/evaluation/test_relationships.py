"""A labelled relationship, written and asked as the request path would."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from memories.models import ChatSession, Memory, Message
from memories.types import SessionStatus
from memsys.evaluation.labelled import LabelledQuery, RecallLine, read_relationships
from memsys.evaluation.recall import count_steps, measure_recall
from memsys.evaluation.relationships import Remembered, ask, write_relationship
from memsys.evaluation.trials import Ingredient, Legs, Trial
from memsys.kernel.scope import Purpose, access_scope

FILE = Path(__file__).parent / "recall.jsonl"

pytestmark = pytest.mark.django_db


@pytest.fixture
def line() -> RecallLine:
    return read_relationships([FILE])[0]


def write(line: RecallLine, trial: Trial | None = None) -> Remembered:
    return write_relationship(line, number=1, trial=trial or Trial())


def read_rows(remembered: Remembered) -> dict[str, Memory]:
    relationship = remembered.relationship
    with access_scope(Purpose.JOB, relationship=relationship.id):
        rows = list(Memory.objects.of(relationship.id))
    return {remembered.labels[row.lineage]: row for row in rows}


def test_it_writes_each_memory_as_a_dated_note_that_passed_the_filter(
    line: RecallLine,
) -> None:
    rows = read_rows(write(line))

    said_at = {memory.id: memory.ts for memory in line.memories}
    assert {label: row.occurred_at for label, row in rows.items()} == said_at
    assert {label: row.recorded_at for label, row in rows.items()} == said_at
    assert {row.kind for row in rows.values()} == {"note"}
    assert rows["number"].text == "用户的手机是[手机号]"
    assert all(row.embedding_model == "hash-1" for row in rows.values())


def test_its_user_holds_every_grant(line: RecallLine) -> None:
    told = line.memories[0].model_copy(update={"text": "用户确诊了糖尿病"})

    remembered = write(line.model_copy(update={"memories": [told], "queries": []}))

    (row,) = read_rows(remembered).values()
    assert (row.visibility, row.sensitive_category) == ("sensitive", "diagnosis")


def test_it_gives_each_memory_an_ended_session_and_extracts_nothing(
    line: RecallLine,
) -> None:
    remembered = write(line)

    rows = read_rows(remembered)
    sessions = Counter(row.source_session_id for row in rows.values())
    relationship = remembered.relationship
    with access_scope(Purpose.JOB, relationship=relationship.id):
        # Sessions are a queue, which shows those of others too.
        ended = ChatSession.objects.of(relationship.id)
        states = set(ended.values_list("status", flat=True))
        messages = Message.objects.count()
    assert len(sessions) == len(line.memories)
    assert None not in sessions
    assert states == {SessionStatus.PENDING}
    assert messages == 0


def test_it_ranks_all_memories_and_trims_to_the_few_of_the_prompt(
    line: RecallLine,
) -> None:
    answer = ask(write(line), line.queries[0], trial=Trial())

    assert answer.ranking[0] == answer.used[0] == "cat"
    assert set(answer.ranking) == {memory.id for memory in line.memories}
    assert len(answer.used) == 5
    assert not answer.is_dated


def test_it_finds_what_was_said_on_a_day(line: RecallLine) -> None:
    remembered = write(line)

    answer = ask(remembered, line.queries[1], trial=Trial())
    undated = Trial(without=frozenset({Ingredient.DATES}))
    other = ask(remembered, line.queries[1], trial=undated)

    assert answer.is_dated
    assert answer.ranking[0] == "mango"
    assert other.ranking[0] != "mango"


def test_it_calls_a_hint_that_names_a_day_no_dated_question(line: RecallLine) -> None:
    hint = LabelledQuery(text="今天好累", gold=("cat",), tags=("implicit",))

    assert not ask(write(line), hint, trial=Trial()).is_dated


def test_it_asks_at_the_time_of_the_query_or_after_the_last_memory(
    line: RecallLine,
) -> None:
    remembered = write(line)
    last = max(memory.ts for memory in line.memories)
    early = LabelledQuery(
        text="芒果", gold=("mango",), ts=last - timedelta(microseconds=1)
    )

    now = ask(remembered, line.queries[2], trial=Trial())
    before = ask(remembered, early, trial=Trial())

    assert now.ranking[0] == "mango"
    assert "mango" not in before.ranking


def test_it_finds_a_single_character_only_with_characters(line: RecallLine) -> None:
    words = Trial(legs=Legs.LEXICAL)
    bare = Trial(legs=Legs.LEXICAL, without=frozenset({Ingredient.CHARACTERS}))
    query = LabelledQuery(text="橘子猫", gold=("cat",))

    found = ask(write(line, words), query, trial=words)
    missed = ask(write_relationship(line, number=2, trial=bare), query, trial=bare)

    assert found.used == ("cat",)
    assert missed.used == ()


def test_it_measures_all_lines_and_tells_each_step() -> None:
    lines = read_relationships([FILE])
    steps: list[None] = []

    result = measure_recall(lines, trial=Trial(), advance=lambda: steps.append(None))

    assert len(steps) == count_steps(lines) == 12
    assert {name: one.queries for name, one in result.ranked.sets.items()} == {
        "small": 3,
        "other": 1,
    }
    assert result.ranked.macro is not None
    assert result.ranked.macro.recall_10 == 1.0
    assert result.dated.macro is not None
    assert result.dated.macro.queries == 1
