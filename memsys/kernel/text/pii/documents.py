"""Vehicle plates and travel documents.

Owns their forms. A plate counts when it is written like one (capital letter, middle
dot) or named; a document number only after the document's name, for an order number
may look the same.
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.detector import before, every
from memsys.kernel.text.pii.digits import LINK
from memsys.kernel.text.pii.view import Span, View

_PROVINCE = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_PLATE = re.compile(
    rf"(?P<value>[{_PROVINCE}][a-hj-z][ ·.-]?"
    r"(?:[dfabceghjk][a-hj-np-z0-9]\d{4}|\d{5}[dfabceghjk]|[a-hj-np-z0-9]{5}"
    r"|[a-hj-np-z0-9]{4}[挂学警港澳]))(?![a-z0-9])"
)
_TRAVEL_DOCUMENT = re.compile(
    rf"(?:护照|passport|通行证|台胞证|回乡证){LINK}"
    r"(?P<value>[a-z]{1,2}\d{7,10}|\d{8,9})(?![a-z0-9])"
)


def find_plates(view: View) -> Iterator[Span]:
    """Propose plates of cars, new-energy cars and special vehicles."""
    yield from every(_PLATE, view.text)


def is_plate(view: View, span: Span) -> bool:
    """Ask for a digit, few letters, and the look or the name of a plate."""
    value = view.text[span.start + 2 : span.end]
    digits = sum(character.isdigit() for character in value)
    letters = sum("a" <= character <= "z" for character in value)
    if digits < 2 or letters > 2:
        return False
    is_capital = view.original_at(span.start + 1).isupper()
    named = "车牌" in before(view, span, characters=8)
    return is_capital or "·" in value or named


def find_travel_documents(view: View) -> Iterator[Span]:
    """Propose the number after the document's name."""
    yield from every(_TRAVEL_DOCUMENT, view.text)
