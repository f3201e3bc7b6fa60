"""A session as evidence: whose line is whose, and what each clause of it is.

Owns the reading of messages by the rules' own machinery, each message once. Owns no
judgement about a fact.

>>> from datetime import datetime
>>> from uuid import UUID
>>> said = SessionMessage(
...     id=UUID(int=1), author_kind="user", text="我朋友阿杰讨厌榴莲",
...     sent_at=datetime.fromisoformat("2026-03-15T12:00:00+00:00"),
... )
>>> [line] = Session([said], time_zone="Asia/Shanghai").lines
>>> line.readings[0].subject
'third'
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from memories.extraction.answers import Question
from memories.extraction.clauses import cut
from memories.extraction.rules import extract
from memories.extraction.stance import FIRST, THIRD, Reading, read
from memories.extraction.types import (
    PERSONA,
    PERSONA_AUTHORS,
    USER,
    CandidateFact,
    SessionMessage,
)
from memories.language_model.words import Said, letters

# What stands for a quotation, and what a person types for a pause.
_GAP = re.compile("…+")


class Line:
    """One message of a session, read when it is needed."""

    def __init__(
        self, message: SessionMessage, *, number: int, asked: Question, time_zone: str
    ) -> None:
        self.message = message
        self.number = number
        self.asked = asked
        self.time_zone = time_zone
        self.sent_at: datetime = message.sent_at.astimezone(ZoneInfo(time_zone))

    @property
    def speaker(self) -> str:
        """Give `user`, `persona`, or "" for what is neither's."""
        if self.message.author_kind == USER:
            return USER
        return PERSONA if self.message.author_kind in PERSONA_AUTHORS else ""

    @cached_property
    def said(self) -> Said:
        return Said.of(self.message.text)

    @cached_property
    def readings(self) -> list[Reading]:
        about = THIRD if self.asked.is_of_others else FIRST
        return read(cut(self.message.text, now=self.sent_at), subject=about)

    @cached_property
    def alone(self) -> list[CandidateFact]:
        """Give what the rules find in this message by itself."""
        return extract([self.message], time_zone=self.time_zone)

    @cached_property
    def _pieces(self) -> list[tuple[int, int, int]]:
        """Give where the letters of each clause stand; quotations are left out."""
        pieces = []
        begin = 0
        for place, reading in enumerate(self.readings):
            for part in _GAP.split(reading.clause.text):
                wanted = letters(part)
                found = self.said.letters.find(wanted, begin) if wanted else -1
                if found >= 0:
                    begin = found + len(wanted)
                    pieces.append((found, begin, place))
        return pieces

    def clauses(self, begin: int, finish: int) -> list[int]:
        """Give the clauses that some letters touch, none if most are a quotation."""
        shares = [
            (min(finish, right) - max(begin, left), place)
            for left, right, place in self._pieces
            if left < finish and right > begin
        ]
        if 2 * sum(share for share, _ in shares) < finish - begin:
            return []
        return sorted({place for _, place in shares})


@dataclass(frozen=True)
class Place:
    """Where a quote stands: its message, its words as written, its clauses."""

    line: Line
    quote: str
    clauses: tuple[int, ...]

    @property
    def readings(self) -> list[Reading]:
        return [self.line.readings[place] for place in self.clauses]


class Session:
    """The lines of a session, numbered from 1 as the model saw them."""

    def __init__(self, messages: Sequence[SessionMessage], *, time_zone: str) -> None:
        self.lines = list(_lines(messages, time_zone))
        self._messages = messages
        self._time_zone = time_zone

    @cached_property
    def standing(self) -> list[CandidateFact]:
        """Give what the rules make of all of it, corrections and cancellations told."""
        return extract(self._messages, time_zone=self._time_zone)

    def listed(self, numbers: Sequence[int], *, speaker: str) -> list[Line]:
        """Give the lines of one speaker among some numbers, in order of the numbers."""
        known = {line.number: line for line in self.lines if line.speaker == speaker}
        return [known[n] for n in dict.fromkeys(numbers) if n in known]

    def before(self, line: Line) -> Line | None:
        """Give the line before one."""
        return self.lines[line.number - 2] if line.number > 1 else None


def _lines(messages: Sequence[SessionMessage], time_zone: str) -> Iterator[Line]:
    asked = Question()
    for number, message in enumerate(messages, 1):
        yield Line(message, number=number, asked=asked, time_zone=time_zone)
        if message.author_kind in PERSONA_AUTHORS:
            asked = Question.of(message.text)
        elif message.author_kind == USER:
            asked = Question()
