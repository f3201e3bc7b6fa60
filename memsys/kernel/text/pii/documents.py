"""Vehicle plates and travel documents.

Owns their forms. A plate counts when it is written like one (capital letter, middle
dot) or named; a document number only beside the document's name, for an order number
may look the same.

    >>> view = View.of("护照的话，E12345678")
    >>> [view.text[span.start : span.end] for span in find_travel_documents(view)]
    ['e12345678']
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.detector import before, every
from memsys.kernel.text.pii.phones import LINK
from memsys.kernel.text.pii.view import Span, View

_PROVINCE = "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼"
_PLATE = re.compile(
    rf"(?P<value>[{_PROVINCE}][ ·.-]?[a-hj-z][ ·.-]{{0,2}}"
    r"(?:[dfabceghjk][a-hj-np-z0-9]\d{4}|\d{5}[dfabceghjk]|[a-hj-np-z0-9]{5}"
    r"|[a-hj-np-z0-9]{4}[挂学警港澳领使试超]))(?![a-z0-9])"
)
_PLATE_WORD = re.compile("车牌|牌照|牌号|车号|上牌|我的?车|开的|尾号")

_DOCUMENT_WORD = r"(?:护照|passport|通行证|台胞证|回乡证|签证|旅行证|永居证|居留证)"
_DOCUMENT_NUMBER = r"[a-z]{1,2}(?: ?\d){7,10}"
_TRAVEL_DOCUMENT = re.compile(
    rf"{_DOCUMENT_WORD}{LINK}(?P<value>{_DOCUMENT_NUMBER}|\d{{8,9}})(?![a-z0-9])"
)
# Over other words, only what has the letters of a document.
_NEAR_DOCUMENT = re.compile(
    rf"{_DOCUMENT_WORD}(?: ?(?:no|number)\b\.?)?[^a-z0-9\ue000\n]{{0,12}}"
    rf"(?P<value>{_DOCUMENT_NUMBER})(?![a-z0-9])"
)
_BEFORE_DOCUMENT = re.compile(
    rf"(?P<value>(?<![a-z0-9]){_DOCUMENT_NUMBER})[ ,，:(（]{{0,2}}"
    rf"[^a-z0-9\ue000\n，。,]{{0,6}}{_DOCUMENT_WORD}"
)


def find_plates(view: View) -> Iterator[Span]:
    """Propose plates of cars, new-energy cars and special vehicles."""
    yield from every(_PLATE, view.text)


def is_plate(view: View, span: Span) -> bool:
    """Ask for a digit, few letters, and the look or the name of a plate."""
    value = view.text[span.start + 1 : span.end]
    digits = sum(character.isdigit() for character in value)
    letters = sum("a" <= character <= "z" for character in value)
    named = _PLATE_WORD.search(before(view, span, characters=8))
    if digits < 2 or letters > (4 if named else 3):
        return False
    letter = re.compile("[a-z]").search(view.text, span.start, span.end)
    is_capital = letter is not None and view.original_at(letter.start()).isupper()
    return is_capital or "·" in value or named is not None


def find_travel_documents(view: View) -> Iterator[Span]:
    """Propose the number beside the document's name."""
    for form in (_TRAVEL_DOCUMENT, _NEAR_DOCUMENT, _BEFORE_DOCUMENT):
        yield from every(form, view.text)
