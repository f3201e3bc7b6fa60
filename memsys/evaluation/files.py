"""Reads labelled files: one JSON object a line, checked before anything runs.

Owns the errors that name file, line and field. What a line holds is told by its
record; fields that the record does not know are passed over.

>>> read_records(Path("time.jsonl"), TimeLine)  # doctest: +SKIP
"""

from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from memsys.evaluation.errors import BadFile
from memsys.kernel.text.clean import clean_text


class Record(BaseModel):
    """What all labelled records share: fixed, strict, blind to unknown fields."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


def _clean(text: str) -> str:
    cleaned = clean_text(text)
    if not cleaned:
        raise fault("needs at least one visible character")
    return cleaned


CleanText = Annotated[str, AfterValidator(_clean)]
AnyRecord = TypeVar("AnyRecord", bound=Record)


def fault(problem: str) -> PydanticCustomError:
    """Return the error with which a record refuses a value, without quoting it."""
    return PydanticCustomError("unusable", "{problem}", {"problem": problem})


def read_records(path: Path, kind: type[AnyRecord]) -> list[AnyRecord]:
    """Return the records of a file; blank lines are passed over.

    Raises:
        BadFile: it cannot be read, holds no line, or a line is not acceptable.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as exc:
        raise BadFile(f"{path} cannot be read: {exc.strerror}.") from exc
    except UnicodeDecodeError as exc:
        raise BadFile(f"{path} is not UTF-8.") from exc
    numbered = [(at, line) for at, line in enumerate(lines, start=1) if line.strip()]
    if not numbered:
        raise BadFile(f"{path} holds no line.")
    return [_read(line, kind, place=f"{path}, line {at}") for at, line in numbered]


def _read(line: str, kind: type[AnyRecord], *, place: str) -> AnyRecord:
    try:
        return kind.model_validate_json(line)
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        problem = f"{field}: {first['msg']}" if field else first["msg"]
        raise BadFile(f"{place}: {problem}.") from exc
