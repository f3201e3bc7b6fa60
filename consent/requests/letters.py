"""The letter of a refusal: the reason, the words, and the way to object.

Owns the texts, in numbered versions for each language; a letter stays as it was written,
whatever version came later. What is said in it about one person comes from the request.

>>> read_text(LATEST, "en").title
'Answer to your request'
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from consent.models import SubjectRequest

LOCALES = ("zh-hans", "en")
FALLBACK = "zh-hans"
LATEST = 1

_FOLDER = Path(__file__).parent / "letter_texts"


@dataclass(frozen=True)
class LetterText:
    """The standing words of a letter in one language."""

    title: str
    opening: str
    labels: Mapping[str, str]
    kinds: Mapping[str, str]
    reasons: Mapping[str, str]
    remedy_title: str
    remedy: tuple[str, ...]
    closing: str


@dataclass(frozen=True)
class Letter:
    """A letter about one refused request; `words` are given by whoever read them."""

    text: LetterText
    locale: str
    request: SubjectRequest

    @property
    def kind(self) -> str:
        return self.text.kinds[self.request.kind]

    @property
    def reason(self) -> str:
        return self.text.reasons[self.request.outcome_code]


def choose_locale(locale: str) -> str:
    """Return the language of a letter for somebody who reads a language.

    >>> choose_locale("en-GB"), choose_locale("zh-TW"), choose_locale("fr")
    ('en', 'zh-hans', 'zh-hans')
    """
    return "en" if locale.lower().partition("-")[0] == "en" else FALLBACK


@cache
def read_text(version: int, locale: str) -> LetterText:
    """Return the words of a version in a language."""
    path = _FOLDER / f"refusal-{version}.{locale}.toml"
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    return LetterText(**{**told, "remedy": tuple(told["remedy"])})


def find_letter(request: SubjectRequest) -> Letter | None:
    """Return the letter of a refused request, None for any other."""
    if request.letter_version is None:
        return None
    text = read_text(request.letter_version, request.letter_locale)
    return Letter(text, request.letter_locale, request)
