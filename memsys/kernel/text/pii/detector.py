"""The form of a rule that finds one kind of personal datum.

A detector is a finder, which proposes spans in the order in which they should be
tried, and a validator, which has the last word. Both are pure.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memsys.kernel.text.pii.view import MASKED, Span, View

Finder = Callable[[View], Iterator[Span]]
Validator = Callable[[View, Span], bool]

_DIGIT = "0-9零〇一壹幺二贰两三叁四肆五伍六陆七柒拐八捌九玖勾洞"


def run_of_digits(length: int) -> re.Pattern[str]:
    """Return a cheap test for so many digits, written, spoken or spaced."""
    return re.compile(rf"(?:[oil{_DIGIT}][\W_]{{0,3}}){{{length}}}")


@dataclass(frozen=True, slots=True)
class Detector:
    """One row of the table.

    `kind` is the stable code under which finds are counted, `placeholder` what the
    reader sees instead, `needs` a cheap test without which nothing can be found.
    """

    kind: str
    placeholder: str
    needs: re.Pattern[str]
    find: Finder
    is_valid: Validator = lambda _view, _span: True

    def spans(self, view: View) -> list[Span]:
        """Return valid spans, apart from each other, in text order."""
        if not self.needs.search(view.text):
            return []
        taken: list[Span] = []
        covered = bytearray(len(view.text))
        for span in self.find(view):
            is_free = covered.find(1, span.start, span.end) < 0
            if is_free and self.is_valid(view, span):
                covered[span.start : span.end] = b"\1" * (span.end - span.start)
                taken.append(span)
        return sorted(taken, key=lambda span: span.start)


def every(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    """Yield the pattern's group `value` at each place where it begins.

    Matches may overlap: one that the validator refuses must not hide the next. Cost is
    one match per place, so patterns must be of bounded length.
    """
    position = 0
    while match := pattern.search(text, position):
        start, end = match.span("value")
        if start < end:
            yield Span(start, end)
        position = match.start() + 1


def before(view: View, span: Span, *, characters: int) -> str:
    """Return the folded text just before the span, as far as it is not masked.

    What was masked has another length when the text is masked a second time.
    """
    ahead = view.text[max(span.start - characters, 0) : span.start]
    return ahead.rpartition(MASKED)[2]
