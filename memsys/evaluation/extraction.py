"""Measures extraction: which labelled facts of a session are found, how much is wrong.

Owns when a memory is a labelled fact and when it walked into a trap. Sessions are read
by what processing calls: the privacy filter, then the rules.

>>> from memsys.evaluation.sessions import SessionLine
>>> said = {"id": "m", "author_kind": "user", "text": "我对花生过敏",
...         "sent_at": "2026-03-15T20:00:00+08:00"}
>>> fact = {"kind": "taboo", "about": "user", "polarity": -1, "contains": ["花生"]}
>>> line = SessionLine.model_validate({"id": "s", "time_zone": "Asia/Shanghai",
...     "messages": [said], "facts": [fact], "traps": []}, strict=False)
>>> measure_extraction([line]).right
1
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID
from zoneinfo import ZoneInfo

from memories.extraction.rules import extract
from memories.extraction.types import USER, CandidateFact, SessionMessage
from memories.types import Kind
from memsys.evaluation.sessions import LabelledFact, LabelledTrap, SessionLine
from memsys.kernel.text.clean import clean_text, fold
from memsys.kernel.text.privacy import mask

Reader = Callable[[SessionLine], Sequence[CandidateFact]]


@dataclass(frozen=True, kw_only=True)
class KindShare:
    """How many facts of one kind are labelled, and how many were found."""

    facts: int
    found: int


@dataclass(frozen=True, kw_only=True)
class ExtractionResult:
    """What was to be found, what was made of the sessions, and the traps.

    `found`: a memory finds one fact at most and a fact is found once, in as many pairs
    as there can be. `right`: the memories that say any labelled fact; a second slot
    that the same words fill is not wrong.
    """

    by_kind: Mapping[str, KindShare]
    made: int
    right: int
    traps: int
    traps_hit: int

    @property
    def facts(self) -> int:
        return sum(share.facts for share in self.by_kind.values())

    @property
    def found(self) -> int:
        return sum(share.found for share in self.by_kind.values())


def read_by_rules(line: SessionLine) -> list[CandidateFact]:
    """Return what the rules make of a session, in the words that would be stored."""
    facts = extract(list_messages(line), time_zone=line.time_zone)
    return [replace(fact, text=as_stored(fact.text)) for fact in facts]


def list_messages(line: SessionLine) -> list[SessionMessage]:
    """Return the messages as a worker reads them, behind the privacy filter."""
    return [
        SessionMessage(
            id=UUID(int=number),
            author_kind=message.author_kind,
            text=as_stored(message.text),
            sent_at=message.sent_at,
        )
        for number, message in enumerate(line.messages)
    ]


def measure_extraction(
    lines: Iterable[SessionLine],
    *,
    reader: Reader = read_by_rules,
    advance: Callable[[], None] = lambda: None,
) -> ExtractionResult:
    """Read each session and count what fits its labels."""
    labelled: list[str] = []
    found: list[str] = []
    made = right = traps = hit = 0
    for line in lines:
        memories = reader(line)
        zone = ZoneInfo(line.time_zone)
        labelled += (fact.kind for fact in line.facts)
        found += (fact.kind for fact in pair(line.facts, memories, zone=zone))
        made += len(memories)
        right += count_right(memories, line.facts, zone=zone)
        traps += len(line.traps)
        hit += sum(is_hit(trap, memories) for trap in line.traps)
        advance()
    return ExtractionResult(
        by_kind={
            kind: KindShare(facts=labelled.count(kind), found=found.count(kind))
            for kind in Kind.values
            if kind in labelled
        },
        made=made,
        right=right,
        traps=traps,
        traps_hit=hit,
    )


def pair(
    facts: Sequence[LabelledFact], memories: Sequence[CandidateFact], *, zone: ZoneInfo
) -> list[LabelledFact]:
    """Return the facts that are found, each by a memory of its own.

    Source: augmenting paths for bipartite matching (Kuhn 1955).
    """
    fits = [
        [at for at, memory in enumerate(memories) if is_fact(memory, fact, zone=zone)]
        for fact in facts
    ]
    holder: dict[int, int] = {}

    def take(fact: int, tried: set[int]) -> bool:
        for memory in fits[fact]:
            if memory in tried:
                continue
            tried.add(memory)
            if memory not in holder or take(holder[memory], tried):
                holder[memory] = fact
                return True
        return False

    return [fact for at, fact in enumerate(facts) if take(at, set())]


def count_right(
    memories: Sequence[CandidateFact], facts: Sequence[LabelledFact], *, zone: ZoneInfo
) -> int:
    """Count the memories that say a labelled fact."""
    return sum(
        any(is_fact(memory, fact, zone=zone) for fact in facts) for memory in memories
    )


def is_fact(memory: CandidateFact, fact: LabelledFact, *, zone: ZoneInfo) -> bool:
    """Tell whether a memory says what a fact says: kind, whose, sign, words, day."""
    if (memory.kind, memory.subject, memory.polarity) != (
        fact.kind,
        fact.about,
        fact.polarity,
    ):
        return False
    if fact.on is not None and day_of(memory, zone=zone) != fact.on:
        return False
    text = fold(memory.text)
    return all(fold(words) in text for words in fact.contains)


def day_of(memory: CandidateFact, *, zone: ZoneInfo) -> date | None:
    """Return the user's day: when a commitment is due, else when it happened."""
    is_due = memory.kind == Kind.COMMITMENT
    moment = memory.due_at if is_due else memory.occurred_at
    return moment.astimezone(zone).date() if moment else None


def is_hit(trap: LabelledTrap, memories: Iterable[CandidateFact]) -> bool:
    """Tell whether a memory about the user holds words of the trap."""
    texts = [fold(memory.text) for memory in memories if memory.subject == USER]
    return any(fold(words) in text for words in trap.must_not_contain for text in texts)


def as_stored(text: str) -> str:
    """Return words as they are stored: cleaned, personal data masked."""
    return mask(clean_text(text)).text
