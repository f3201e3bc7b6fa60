"""How a fact about the user is read: one table row, one attribute.

Owns the row and its reading, shared by `identity_facts` and `life_facts`. A pattern
begins at the verb; what stands before it must be the user's own voice.

>>> Attribute("city", r"住在(?P<value>[一-龥]{2,4})").pattern.search("我住在上海")["value"]
'上海'
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memories.extraction.drafts import Draft, as_said, statement
from memories.extraction.lexicon import speech
from memories.extraction.stance import Reading, speaks_for_user
from memories.slots import normalise, slot_key

# 我在重庆北碚教地理: where it is done says nothing of who does it.
_PLACED = re.compile(
    r"(?:(?<=我)|^)(?:现在|目前|一直|就|也|还|是)*"
    r"(?:在(?![考想准打计犹纠学找])|来|去|跟着?[^,]{0,3}在)[一-龥a-z0-9]{1,10}$"
)


@dataclass(frozen=True)
class Attribute:
    """What a pattern tells about the user.

    `is_many`: a person has several, so the value is part of the slot. `is_outright`:
    only with 我 said in the clause. `never`: what the value must not hold.
    """

    name: str
    regex: str
    is_many: bool = False
    is_outright: bool = False
    never: str = ""
    pattern: re.Pattern[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", re.compile(self.regex))


def find_attributes(
    reading: Reading, place: int, table: Sequence[Attribute]
) -> Iterator[Draft]:
    """Find what one clause tells by a table; each attribute counts once."""
    if not reading.states_own or reading.is_wished:
        return
    folded = reading.clause.folded.rstrip(" ,")
    if reading.is_laughed and speech.ABSURD.search(folded):
        return
    found: set[str] = set()
    for attribute in table:
        if attribute.name in found:
            continue
        span = find_value(attribute, folded)
        if span:
            found.add(attribute.name)
            yield draft_of(attribute, reading, place, span)


def find_value(attribute: Attribute, folded: str) -> tuple[int, int] | None:
    """Find where a clause tells the value, said by the user of themselves."""
    match = attribute.pattern.search(folded)
    if match is None or speech.ABSURD.search(match["value"]) or "[" in match["value"]:
        return None
    own = speaks_for_user(_PLACED.sub("", folded[: match.start()]))
    if own is False or (attribute.is_outright and not own):
        return None
    if attribute.never and re.search(attribute.never, match["value"]):
        return None
    return match.span("value") if normalise(match["value"]) else None


def draft_of(
    attribute: Attribute, reading: Reading, place: int, span: tuple[int, int]
) -> Draft:
    """Build the draft of an attribute whose value stands at a place of the clause."""
    about = reading.clause.folded[slice(*span)]
    value = about if attribute.is_many else ""
    return Draft(
        kind="fact",
        key=slot_key(kind="fact", about=attribute.name, value=value),
        value=as_said(reading.clause, *span),
        polarity=1,
        text=statement(reading),
        place=place,
        corrects=reading.corrects,
    )
