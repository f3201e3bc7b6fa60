"""The table of sensitive categories, read and checked.

Owns the form of `table.toml` and what a good one is. A table that is not good refuses
to load, so that nothing is written by a broken policy.

>>> [category.code for category in load_table().categories][:2]
['child', 'mental_health']
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from memories.errors import InvalidTable
from memories.extraction.dialect import read_as_mandarin

PATH = Path(__file__).with_name("table.toml")
MAX_CODE_CHARS = 40

_CODE = re.compile(r"[a-z]+(?:_[a-z]+)*")
_PART = re.compile(r"<([a-z_]+)>")
# An unbounded repetition could make a hostile text cost more than its length.
_UNBOUNDED = re.compile(r"(?<!\\)[*+]|\{[0-9]*,\}")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True)
class Category:
    """A kind of statement that needs a grant of its own.

    `not_meant` says the border in words; `denial_counts` whether saying no tells as
    much as saying yes.
    """

    code: str
    label: str
    not_meant: str
    denial_counts: bool
    terms: re.Pattern[str]
    patterns: re.Pattern[str]
    certain: re.Pattern[str]
    false_friends: re.Pattern[str]


@dataclass(frozen=True)
class Asides:
    """What makes a clause no statement of the user about somebody near."""

    topics: re.Pattern[str]
    unreal: re.Pattern[str]
    asked: re.Pattern[str]
    self_again: re.Pattern[str]
    mentioned: re.Pattern[str]
    denied: re.Pattern[str]


@dataclass(frozen=True)
class Table:
    """The categories in the order of protection; `owner` answers for them."""

    owner: str
    reviewed_date: date
    asides: Asides
    categories: tuple[Category, ...]

    @property
    def codes(self) -> tuple[str, ...]:
        """Return the codes of the categories."""
        return tuple(category.code for category in self.categories)


@cache
def load_table(path: Path = PATH) -> Table:
    """Read a table and check it.

    Raises:
        InvalidTable: something is missing, doubled, misspelt or could be slow.
    """
    try:
        return _to_table(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, re.error) as exc:
        raise InvalidTable(
            "The table of sensitive categories is not readable."
        ) from exc


def _to_table(data: Mapping[str, Any]) -> Table:
    parts = data.get("parts", {})
    owner, reviewed_date = data["owner"], data["reviewed_date"]
    _check(isinstance(owner, str) and owner.strip() != "", "owner")
    _check(isinstance(reviewed_date, date), "reviewed_date")
    categories = tuple(_to_category(entry, parts) for entry in data["category"])
    codes = [category.code for category in categories]
    _check(len(codes) > 0 and len(set(codes)) == len(codes), "code")
    asides = {name: _compile([text], parts) for name, text in data["asides"].items()}
    return Table(owner, reviewed_date, Asides(**asides), categories)


def _to_category(entry: Mapping[str, Any], parts: Mapping[str, str]) -> Category:
    code, terms = entry["code"], entry["terms"]
    _check(len(code) <= MAX_CODE_CHARS and _CODE.fullmatch(code) is not None, "code")
    for name in ("label", "not_meant"):
        _check(entry[name].strip() != "", name)
    _check(len(terms) > 0 and len(set(terms)) == len(terms), "terms")
    _check(all(term == read_as_mandarin(term) for term in terms), "terms")
    return Category(
        code=code,
        label=entry["label"],
        not_meant=entry["not_meant"],
        denial_counts=bool(entry["denial_counts"]),
        terms=re.compile("|".join(map(_to_word, sorted(terms, key=len, reverse=True)))),
        patterns=_compile(entry["patterns"], parts),
        certain=_compile(entry.get("certain", []), parts),
        false_friends=_compile(entry["false_friends"], parts),
    )


def _to_word(term: str) -> str:
    """Return the pattern of a term; one in letters must not be part of a word."""
    word = re.escape(term)
    return rf"(?<![a-z]){word}(?![a-z])" if term.isascii() else word


def _compile(patterns: Sequence[str], parts: Mapping[str, str]) -> re.Pattern[str]:
    if not patterns:
        return _NEVER
    whole = "|".join(f"(?:{_fill(pattern, parts)})" for pattern in patterns)
    _check(_UNBOUNDED.search(whole) is None, "patterns")
    return re.compile(whole)


def _fill(pattern: str, parts: Mapping[str, str]) -> str:
    return _PART.sub(lambda match: parts[match[1]], pattern)


def _check(is_good: bool, name: str) -> None:
    if not is_good:
        raise InvalidTable(f"The table of sensitive categories has a bad {name}.")
