"""Chats of the tests, and what a model states of them.

All are sent on Wednesday 2026-04-15 at 20:00 in Shanghai, a minute between lines.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from memories.extraction.rules import extract
from memories.extraction.types import CandidateFact, SessionMessage
from memories.language_model.answers import Merged, merge, parse_answer
from memories.language_model.schema import Findings

WEDNESDAY = datetime.fromisoformat("2026-04-15T20:00:00+08:00")
ZONE = "Asia/Shanghai"


def chat(*lines: str) -> list[SessionMessage]:
    """Make messages; `ai:` or another author opens a line that is not the user's."""
    return [
        SessionMessage(
            id=UUID(int=number),
            author_kind=line.partition(":")[0] if ":" in line[:10] else "user",
            text=line.partition(":")[2] if ":" in line[:10] else line,
            sent_at=WEDNESDAY + timedelta(minutes=number),
        )
        for number, line in enumerate(lines, 1)
    ]


def stated(kind: str, value: str, quote: str, **fields: Any) -> dict[str, Any]:
    """State one fact as a model does; what is not given follows from the rest."""
    return {
        "kind": kind,
        "subject": "user",
        "about": value,
        "value": value,
        "polarity": 1,
        "quote": quote,
        "text": quote,
        "messages": [1],
        "happened_on": None,
        "due_on": None,
        "importance": 0.5,
    } | fields


def found(*facts: Mapping[str, Any], rejected: tuple[int, ...] = ()) -> Findings:
    """Make an answer that has passed the schema."""
    answer = {"facts": facts, "rejected": rejected}
    return Findings.model_validate(answer, strict=False)


def rules_of(messages: list[SessionMessage]) -> list[CandidateFact]:
    return extract(messages, time_zone=ZONE)


def merged(
    messages: list[SessionMessage],
    *facts: Mapping[str, Any],
    rejected: tuple[int, ...] = (),
    messages_cut: int = 0,
) -> Merged:
    """Merge an answer with what the rules make of the messages."""
    return merge(
        found(*facts, rejected=rejected),
        messages=messages,
        candidates=rules_of(messages),
        time_zone=ZONE,
        messages_cut=messages_cut,
    )


def merged_text(messages: list[SessionMessage], text: str) -> Merged:
    """Merge the answer that a server gave, with no candidates."""
    return merge(
        parse_answer(text),
        messages=messages,
        candidates=[],
        time_zone=ZONE,
        messages_cut=0,
    )
