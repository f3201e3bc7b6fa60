"""Years, named or meant: 去年, 2025年, 25年, or the one that the direction gives.

Owns the patterns of years and the choice of one where none is named. Owns no dates;
those are in `calendar_dates` and `seasons`.

>>> from datetime import datetime
>>> from memsys.kernel.text.timewords.window import Direction
>>> now = datetime.fromisoformat("2026-11-30T15:00:00+08:00")
>>> moment = Moment(now, Direction.PAST)
>>> year_of("去年", moment), year_of("98年", moment)
(2025, 1998)
"""

from collections.abc import Callable
from re import Match

from memsys.kernel.text.timewords.numerals import read_number
from memsys.kernel.text.timewords.phrases import YEAR_WORDS
from memsys.kernel.text.timewords.window import (
    FIRST_YEAR,
    LAST_YEAR,
    Moment,
    Span,
)

FULL_YEAR = (
    r"(?:(?<![\d.])(?:19|20)\d\d|(?:一九|二[零〇])[零〇一二三四五六七八九]{2})年"
)
SHORT_YEAR = r"(?<![\d.])\d\d年"
# 2025春节, 2024那年: written without 年.
BARE_YEAR = r"(?<![\d.])20\d\d"
YEAR_WORD = "|".join(sorted(YEAR_WORDS, key=len, reverse=True))
ANY_YEAR = rf"(?:(?P<year>{YEAR_WORD}|{FULL_YEAR}|{SHORT_YEAR})的?)"


def year_of(words: str, moment: Moment) -> int | None:
    """Read a year that one of the patterns matched; None beyond the calendar."""
    if words in YEAR_WORDS:
        return moment.today.year + YEAR_WORDS[words]
    year = read_number(words.removesuffix("年"))
    if year < 100:
        year += 2000 if year <= moment.today.year % 100 + 10 else 1900
    return year if FIRST_YEAR <= year <= LAST_YEAR else None


def yearly(
    match: Match[str], moment: Moment, build: Callable[[int], Span | None]
) -> Span | None:
    """Read a year if one is named, else let the direction choose among those near."""
    if match["year"]:
        year = year_of(match["year"], moment)
        return build(year) if year else None
    this = moment.today.year
    spans = [build(year) for year in range(this - 4, this + 5)]
    near = [span for span in spans if span]
    return moment.choose(near)
