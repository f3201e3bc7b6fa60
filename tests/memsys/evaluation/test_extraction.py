"""What counts as found, as right and as a trap in a labelled session."""

from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from memories.extraction.types import CandidateFact
from memsys.evaluation.extraction import (
    ExtractionResult,
    KindShare,
    count_right,
    is_fact,
    is_hit,
    measure_extraction,
    pair,
)
from memsys.evaluation.files import read_records
from memsys.evaluation.sessions import LabelledFact, LabelledTrap, SessionLine

HERE = Path(__file__).parent
SETS = HERE.parents[2] / "memsys" / "evaluation" / "sets"
HONG_KONG = ZoneInfo("Asia/Hong_Kong")
NOON = datetime.fromisoformat("2026-03-18T12:00:00+08:00")


def memory(text: str, **fields: Any) -> CandidateFact:
    plain: dict[str, Any] = {
        "kind": "preference",
        "subject": "user",
        "dimension": "taste",
        "key": text,
        "value": text,
        "polarity": 1,
        "evidence": (UUID(int=1),),
        "importance": 0.5,
        "occurred_at": NOON,
    }
    return CandidateFact(text=text, **plain | fields)


def fact(*words: str, **fields: Any) -> LabelledFact:
    plain = {"kind": "preference", "about": "user", "polarity": 1}
    return LabelledFact(contains=words, **plain | fields)


LATE = datetime.fromisoformat("2026-03-18T16:30:00+00:00")
FITTING = [
    (memory("我喜欢猫"), fact("猫"), True),
    (memory("我喜欢猫和狗"), fact("猫", "狗"), True),
    (memory("我喜欢猫"), fact("猫", "狗"), False),
    (memory("我喜欢猫"), fact("猫", polarity=-1), False),
    (memory("我喜欢猫"), fact("猫", kind="taboo"), False),
    (memory("我喜欢猫", subject="persona"), fact("猫"), False),
    (memory("我鍾意貓"), fact("钟意猫"), True),
    (memory("我喜歡貓"), fact("喜欢猫"), True),
    (memory("我喜欢MAC"), fact("mac"), True),
    # The day is the user's own, of what happened, or of when it is due.
    (memory("看展", occurred_at=LATE), fact("看展", on=date(2026, 3, 19)), True),
    (memory("看展", occurred_at=LATE), fact("看展", on=date(2026, 3, 18)), False),
    (
        memory("看展", kind="commitment", due_at=LATE),
        fact("看展", kind="commitment", on=date(2026, 3, 19)),
        True,
    ),
    (
        memory("看展", kind="commitment"),
        fact("看展", kind="commitment", on=date(2026, 3, 18)),
        False,
    ),
]


@pytest.mark.parametrize(("made", "labelled", "fits"), FITTING)
def test_it_compares_kind_whose_sign_words_and_day(
    made: CandidateFact, labelled: LabelledFact, fits: bool
) -> None:
    assert is_fact(made, labelled, zone=HONG_KONG) is fits


def test_it_pairs_each_fact_with_a_memory_of_its_own() -> None:
    facts = [fact("猫"), fact("狗"), fact("鸟")]
    memories = [memory("我喜欢猫和狗"), memory("我喜欢猫")]

    found = pair(facts, memories, zone=HONG_KONG)

    assert found == facts[:2]


def test_it_holds_every_memory_right_that_says_a_fact() -> None:
    memories = [memory("我在成都当护士"), memory("我在成都"), memory("我爱吃面")]

    right = count_right(memories, [fact("成都")], zone=HONG_KONG)

    assert right == 2


TRAPS = [
    (memory("我喜欢榴莲"), True),
    (memory("我喜歡榴蓮"), True),
    (memory("我喜欢猫"), False),
    (memory("我喜欢榴莲", subject="persona"), False),
]


@pytest.mark.parametrize(("made", "is_caught"), TRAPS)
def test_a_trap_catches_memories_about_the_user_alone(
    made: CandidateFact, is_caught: bool
) -> None:
    trap = LabelledTrap(type="third_person", must_not_contain=("山竹", "榴莲"))

    assert is_hit(trap, [made]) is is_caught


def test_it_reads_sessions_by_the_rules_and_counts() -> None:
    lines = read_records(HERE / "sessions.jsonl", SessionLine)

    result = measure_extraction(lines)

    assert result == ExtractionResult(
        by_kind={
            "preference": KindShare(facts=1, found=1),
            "taboo": KindShare(facts=1, found=1),
            "commitment": KindShare(facts=1, found=1),
            "event": KindShare(facts=1, found=1),
            "fact": KindShare(facts=1, found=0),
        },
        made=4,
        right=4,
        traps=2,
        traps_hit=0,
    )
    assert (result.facts, result.found) == (5, 4)


def test_it_reads_what_is_stored_not_what_was_posted() -> None:
    said = {
        "author_kind": "user",
        "text": "我最喜欢的号码是13800138000",
        "sent_at": "2026-03-18T12:00:00+08:00",
    }
    trap = {"type": "personal_data", "must_not_contain": ["13800138000"]}
    line = SessionLine.model_validate(
        {
            "id": "s",
            "time_zone": "Asia/Shanghai",
            "messages": [said],
            "facts": [],
            "traps": [trap],
        },
        strict=False,
    )

    result = measure_extraction([line])

    assert result.traps_hit == 0


def test_its_own_sets_hold_what_they_should() -> None:
    lines = read_records(SETS / "extraction_zh.jsonl", SessionLine)

    types = {trap.type for line in lines for trap in line.traps}
    kinds = {fact.kind for line in lines for fact in line.facts}

    assert len(lines) >= 40
    assert sum(len(line.messages) for line in lines) >= 300
    assert len({line.time_zone for line in lines}) >= 5
    assert kinds == {
        *("preference", "taboo", "emotion", "commitment", "event", "topic", "fact")
    }
    assert types == {
        *("persona_said", "third_person", "hypothetical", "quoted", "negated_plan"),
        *("question", "joke", "corrected", "system", "recalled"),
    }


@pytest.mark.parametrize("name", ["extraction_zh", "extraction_more_zh"])
def test_the_rules_alone_reach_the_bars_of_its_own_sets(name: str) -> None:
    result = measure_extraction(read_records(SETS / f"{name}.jsonl", SessionLine))

    assert result.right / result.made >= 0.85
    assert result.found / result.facts >= 0.60
    assert result.traps_hit / result.traps <= 0.03
