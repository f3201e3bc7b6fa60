"""The labelled form of recall: memories of one relationship, and what is asked of it.

Owns the format of a line. Does not own how it is stored or asked.

>>> line = RecallLine(dataset="d", memories=(), queries=())
>>> line.queries
()
"""

from collections.abc import Sequence
from pathlib import Path

from pydantic import AwareDatetime, Field, model_validator

from memsys.evaluation.errors import BadFile
from memsys.evaluation.files import CleanText, Record, fault, read_records


class LabelledMemory(Record):
    """What was remembered, and when."""

    id: str
    text: CleanText
    ts: AwareDatetime


class LabelledQuery(Record):
    """What is asked, and which memories answer it; `gold` is empty if none does.

    The tag `implicit` marks a chat line that only hints and asks for nothing.
    """

    id: str = ""
    text: CleanText
    gold: tuple[str, ...]
    ts: AwareDatetime | None = None
    tags: tuple[str, ...] = ()

    @property
    def is_question(self) -> bool:
        return "implicit" not in self.tags


class RecallLine(Record):
    """One relationship of a set."""

    dataset: str = Field(min_length=1)
    memories: tuple[LabelledMemory, ...]
    queries: tuple[LabelledQuery, ...]

    @model_validator(mode="after")
    def _check_ids(self) -> "RecallLine":
        known: set[str] = set()
        for at, memory in enumerate(self.memories):
            if memory.id in known:
                raise fault(f"memories.{at}.id: another memory has it")
            known.add(memory.id)
        for at, query in enumerate(self.queries):
            if not known.issuperset(query.gold):
                raise fault(f"queries.{at}.gold: it names no memory of this line")
        return self

    @property
    def answerable(self) -> list[LabelledQuery]:
        """The queries that have gold."""
        return [query for query in self.queries if query.gold]


def read_relationships(paths: Sequence[Path]) -> list[RecallLine]:
    """Return the relationships of all files.

    Raises:
        BadFile: see `read_records`; or nothing in them has an answer.
    """
    lines = [line for path in paths for line in read_records(path, RecallLine)]
    if not any(line.answerable for line in lines):
        raise BadFile(f"{', '.join(map(str, paths))}: no query has gold.")
    return lines
