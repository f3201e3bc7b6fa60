"""Measures the privacy filter: what it should mask and does, and what it should not.

Owns the labelled format and when a datum counts as found: only when not one of its
characters is left in its place.

>>> number = PrivacySpan(kind="phone", value="13800138000")
>>> result = measure_privacy([PrivacyLine(text="打13800138000", spans=(number,))])
>>> result.spans, result.found
(1, 1)
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import Field, model_validator

from memsys.evaluation.files import CleanText, Record, fault
from memsys.kernel.text.privacy import DETECTORS, mask

_PLACEHOLDER = re.compile(
    "|".join(sorted({re.escape(row.placeholder) for row in DETECTORS}))
)
_READINGS = ("(.+?)", "(.+)")  # what a placeholder may stand for: the least, the most


class PrivacySpan(Record):
    """One datum that stands in the text."""

    kind: str = Field(min_length=1)
    value: CleanText


class PrivacyLine(Record):
    """One labelled sentence; without spans it is a negative."""

    text: CleanText
    spans: tuple[PrivacySpan, ...]

    @model_validator(mode="after")
    def _check_values(self) -> "PrivacyLine":
        for at, place in enumerate(self.list_places()):
            if place is None:
                raise fault(f"spans.{at}.value: it is not in the text")
        return self

    def list_places(self) -> Iterator[range | None]:
        """Yield where each span stands; a value given twice has two places."""
        ends: dict[str, int] = {}
        for span in self.spans:
            start = self.text.find(span.value, ends.get(span.value, 0))
            end = ends[span.value] = start + len(span.value)
            yield range(start, end) if start >= 0 else None


@dataclass(frozen=True, kw_only=True)
class KindCount:
    """How many data of one kind there were, and how many were found."""

    spans: int
    found: int


@dataclass(frozen=True, kw_only=True)
class PrivacyResult:
    """What the filter found, and how many negatives it hit."""

    by_kind: Mapping[str, KindCount]
    negatives: int
    negatives_hit: int

    @property
    def spans(self) -> int:
        return sum(count.spans for count in self.by_kind.values())

    @property
    def found(self) -> int:
        return sum(count.found for count in self.by_kind.values())


def measure_privacy(lines: Iterable[PrivacyLine]) -> PrivacyResult:
    """Mask each line as a message on its way in, and count."""
    outcomes: list[tuple[str, bool]] = []
    negatives: list[bool] = []
    for line in lines:
        masked = mask(line.text)
        if not line.spans:
            negatives.append(bool(masked.counts))
        hidden = find_hidden(line.text, masked.text)
        for span, place in zip(line.spans, line.list_places(), strict=True):
            assert place is not None
            outcomes.append((span.kind, hidden.issuperset(place)))
    return PrivacyResult(
        by_kind={
            kind: KindCount(
                spans=sum(one == kind for one, _ in outcomes),
                found=sum(one == kind and is_found for one, is_found in outcomes),
            )
            for kind in sorted({kind for kind, _ in outcomes})
        },
        negatives=len(negatives),
        negatives_hit=sum(negatives),
    )


def find_hidden(text: str, masked: str) -> frozenset[int]:
    """Return which places of a text surely stand behind a placeholder.

    Where the masked text can be laid over the original in more than one way, a place
    counts only if it is hidden in the least and in the most that fits.

    >>> sorted(find_hidden("打138给我", "打[手机号]给我"))
    [1, 2, 3]
    """
    kept = [re.escape(piece) for piece in _PLACEHOLDER.split(masked)]
    hidden = [_find_between(text, reading.join(kept)) for reading in _READINGS]
    return frozenset.intersection(*hidden)


def _find_between(text: str, pattern: str) -> frozenset[int]:
    match = re.fullmatch(pattern, text, re.DOTALL)
    if match is None:
        return frozenset()
    places = (range(*match.span(group)) for group in range(1, match.re.groups + 1))
    return frozenset(place for span in places for place in span)
