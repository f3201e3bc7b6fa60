"""The labelled form of extraction: a chat session, what to remember of it, what not.

Owns the format of a line. Does not own what reads the session or what counts as found.

>>> LabelledFact(kind="event", about="user", polarity=0, contains=("体检",)).on is None
True
"""

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, AwareDatetime, Field

from memories.types import AuthorKind, Kind
from memsys.evaluation.files import CleanText, Record, fault


def _check_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as exc:
        raise fault("there is no such time zone") from exc
    return name


def _check_code(code: str, known: Iterable[str]) -> str:
    if code not in known:
        raise fault(f"needs one of {', '.join(known)}")
    return code


def _check_author(code: str) -> str:
    return _check_code(code, AuthorKind.values)


def _check_kind(code: str) -> str:
    return _check_code(code, Kind.values)


Words = Annotated[tuple[CleanText, ...], Field(min_length=1)]


class LabelledMessage(Record):
    """One message, as a chat service posts it."""

    author_kind: Annotated[str, AfterValidator(_check_author)]
    text: CleanText
    sent_at: AwareDatetime


class LabelledFact(Record):
    """What a careful reader would remember; `on` is its day where one was named."""

    kind: Annotated[str, AfterValidator(_check_kind)]
    about: Literal["user", "persona"]
    polarity: Literal[-1, 0, 1]
    contains: Words
    on: date | None = None


class LabelledTrap(Record):
    """What looks like a fact about the user and is none."""

    type: str = Field(min_length=1)
    must_not_contain: Words


class SessionLine(Record):
    """One session with its facts and traps."""

    id: str = Field(min_length=1)
    time_zone: Annotated[str, AfterValidator(_check_zone)]
    messages: Annotated[tuple[LabelledMessage, ...], Field(min_length=1)]
    facts: tuple[LabelledFact, ...]
    traps: tuple[LabelledTrap, ...]
