"""What a rule is: a pattern over folded text, and how to read what it matched.

Owns the type and the parts of patterns that several rule modules share.

>>> month_part(2026, 2, "底").start
datetime.date(2026, 2, 21)
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from re import Match

from memsys.kernel.text.timewords.phrases import SEASON, SEASONS
from memsys.kernel.text.timewords.window import (
    ONE_DAY,
    Moment,
    Span,
    add_months,
    month_span,
)

MONTH_PART = r"(?P<part>上旬|中旬|下旬|初|底|末|头|尾|中(?!秋|元|午|文|国))"
YEAR_PART = r"(?:年?(?P<year_part>初|底|末|尾|中(?![秋国学考元午间层])))"


@dataclass(frozen=True)
class Rule:
    """A pattern, and how to read what it matched; no span means no time was meant.

    Texts without any of the characters in `hint` cannot match and are not searched.
    """

    pattern: re.Pattern[str]
    build: Callable[[Match[str], Moment], Span | None]
    hint: frozenset[str]


def month_part(year: int, month: int, part: str) -> Span:
    """Give a third of a month: 初 is its first ten days, 底 what follows the 20th."""
    whole = month_span(year, month)
    tenth, twentieth = whole.start + 10 * ONE_DAY, whole.start + 20 * ONE_DAY
    if part in ("初", "头", "上旬"):
        return Span(whole.start, tenth, "span")
    if part in ("中", "中旬"):
        return Span(tenth, twentieth, "span")
    return Span(twentieth, whole.end, "span")


def year_part(year: int, part: str) -> Span:
    """Give January and February for 年初, December for 年底, June and July between."""
    if part == "初":
        return Span(date(year, 1, 1), date(year, 3, 1), "span")
    if part == "中":
        return Span(date(year, 6, 1), date(year, 8, 1), "span")
    return month_span(year, 12)


def season_span(year: int, season: str) -> Span:
    """Give the months of a season; winter runs into the next year."""
    month, length = SEASONS[season]
    start = date(year, month, 1)
    return Span(start, add_months(start, length), "span", "year")


SEASON_TAIL = rf"{SEASON}(?:天|季)?"
