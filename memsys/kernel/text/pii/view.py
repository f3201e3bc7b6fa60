"""A folded view of a text that knows where each of its characters came from.

Owns the folding that undoes disguises (full width, circled digits, traditional script,
invisible characters, odd dashes, hearts of any colour) and the way back to positions in
the original. What is already masked is overwritten by `MASKED`, so no later rule can
read or touch it.

    >>> View.of("１3\\u200b8").text
    '138'
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memsys.kernel.text.clean import fold

# A private-use character that no rule matches.
MASKED = "\ue000"

_KEPT = frozenset(
    "！，？；"
)  # marks that end a value, where ASCII ones may be part of it
_DASHES = frozenset("‐‑‒–—―−－﹣﹘﹣⁃ー")
_DOTS = frozenset("·•・‧∙⋅●")
_CIRCLES = frozenset("○◯⭕")  # drawn where a zero is meant
_HEARTS = frozenset("♥♡❥💓💕💖💗💘💙💚💛💜💞🖤🤍🧡🩵🩷")
_MARKS = ("Mn", "Me")  # accents, strokes through a digit, the frame of a keycap
_REPLACED = (
    dict.fromkeys(_DASHES, "-")
    | dict.fromkeys(_DOTS, "·")
    | dict.fromkeys(_CIRCLES, "〇")
    | dict.fromkeys(_HEARTS, "❤")
    | dict.fromkeys("➕✚", "+")
)
_DIGITS = re.compile("[0-9]+")
_SPOKEN = str.maketrans(
    "零〇一壹幺二贰两三叁四肆五伍六陆七柒拐八捌九玖勾洞", "0011122233445566777889990"
)


@dataclass(frozen=True, slots=True)
class Span:
    """Part of a view: `start` to `end`, end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class View:
    """The folded text, and for each of its characters the index in the original."""

    original: str
    text: str
    origins: Sequence[int]

    @classmethod
    def of(cls, original: str) -> "View":
        """Fold the text character by character; linear in its length."""
        if original.isascii() and original.isprintable():
            return cls(original, original.lower(), range(len(original)))
        pieces = [_folded(character) for character in original]
        text = "".join(pieces)
        if len(text) == len(original) and "" not in pieces:
            return cls(original, text, range(len(text)))
        origins = [
            index for index, piece in enumerate(pieces) for _ in range(len(piece))
        ]
        return cls(original, text, origins)

    @property
    def spoken(self) -> str:
        """The text with Chinese numerals as digits; the positions are the same."""
        return self.text.translate(_SPOKEN)

    @property
    def readings(self) -> tuple[str, ...]:
        """The text as written, then as spoken where that differs."""
        return tuple(dict.fromkeys((self.text, self.spoken)))

    def digits(self, span: Span) -> str:
        """Return the digits in the span, spoken ones included, in ASCII."""
        written = self.text[span.start : span.end].translate(_SPOKEN)
        return "".join(_DIGITS.findall(written))

    def original_at(self, position: int) -> str:
        return self.original[self.origins[position]]

    def original_span(self, span: Span) -> Span:
        """Widen the span over invisible characters that follow it."""
        start = self.origins[span.start]
        last = self.origins[span.end - 1]
        after = len(self.original)
        if span.end < len(self.text):
            after = self.origins[span.end]
        return Span(start, max(last + 1, after))

    def without(self, spans: Iterable[Span]) -> "View":
        """Overwrite the spans, which must be sorted and apart."""
        pieces, position = [], 0
        for span in spans:
            pieces += [
                self.text[position : span.start],
                MASKED * (span.end - span.start),
            ]
            position = span.end
        return replace(self, text="".join(pieces) + self.text[position:])


@lru_cache(maxsize=65536)
def _folded(character: str) -> str:
    """Fold one character to none, one or (⑬, ㏂) several."""
    if character in _KEPT or character in "\n\t":
        return character
    if unicodedata.category(character) in _MARKS:
        return ""
    if (digit := unicodedata.digit(character, None)) is not None:
        return str(digit)
    if replacement := _REPLACED.get(character):
        return replacement
    folded = fold(character)
    if len(folded) == 1:
        return folded
    return "".join(" " if piece.isspace() else piece for piece in folded)
