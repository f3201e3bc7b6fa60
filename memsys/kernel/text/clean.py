"""Clean text: what may be stored, how it is cut, and how it is compared.

Owns the characters that are dropped before storage, cutting between user-perceived
characters, folding for comparison, and the form of outside identifiers. It does not
judge content: personal data is the business of `privacy`.

    >>> clean_text("我\\x00爱你 ")
    '我爱你'
"""

import re
import unicodedata

from wcwidth import iter_graphemes

from memsys.kernel.text.script import simplified_table

# A base character with more marks than this is an attack on the reader, not a script
# (the limit of Unicode's stream-safe format).
_MAX_MARKS = 30

_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LINE_BREAK = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_DROPPED = re.compile(
    "["
    "\x00-\x08\x0e-\x1f\x7f-\x9f"  # controls, without tab and the line breaks
    "\ud800-\udfff"  # lone surrogates
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction: can disguise text
    "\u00ad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff"  # invisible
    "\u3164\uffa0"  # Hangul fillers, used for names that look empty
    "\ufff0-\ufffb"  # reserved and annotation marks
    "\ufdd0-\ufdef\ufffe\uffff"  # not characters
    + "".join(
        f"{chr(p + 0xFFFE)}{chr(p + 0xFFFF)}" for p in range(65536, 1114112, 65536)
    )
    + "]"
)
# Tags may only spell the region of a black flag; anywhere else they smuggle text.
_TAGS = re.compile(
    "(\U0001f3f4[\U000e0030-\U000e007a]{2,8}\U000e007f)|[\U000e0000-\U000e007f]"
)
_SELECTOR = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SELECTORS_AND_JOINERS = re.compile(
    "[\u200c\u200d\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0"
    "\ufe20-\ufe2f]{31,}"
)
_IGNORED_IN_MATCHING = re.compile(
    "["
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]"
)
_UNFIT_IN_IDENTIFIER = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


class InvalidIdentifier(ValueError):
    """An identifier that came from outside is empty, too long or unprintable.

    The message names the field and what was expected, never the value.
    """

    code = "invalid-identifier"

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field}: expected {expected}")
        self.field = field
        self.expected = expected


def clean_text(text: str) -> str:
    """Return the text as it may be stored: NFC, trimmed, printable.

    Line breaks become `\\n`. Dropped: NUL and other controls but tab, lone surrogates
    (a pair of halves is joined), direction controls, invisible characters, tags outside
    a flag. Joiners stay where they join (emoji families, Indic and Arabic letters);
    marks beyond 30 on one character go. Cleaning clean text changes nothing.

    >>> clean_text("\\ud83d猫\\u202e")
    '猫'
    """
    text = _SURROGATE_PAIR.sub(_join_pair, text)
    text = _DROPPED.sub("", _LINE_BREAK.sub("\n", text))
    text = _TAGS.sub(_kept_tags, text)
    text = unicodedata.normalize("NFC", text.strip())
    text = _SELECTORS_AND_JOINERS.sub(_kept_selector_and_joiner, text)
    text = _MARKS.sub(lambda run: run[0][:_MAX_MARKS], text)
    return unicodedata.normalize("NFC", text).strip()


def truncate_graphemes(text: str, *, max_chars: int) -> str:
    """Return the longest start of whole user-perceived characters.

    Never longer than `max_chars` code points; a family emoji, a flag or a letter with
    its marks is kept whole or left out, so the result may be shorter, even empty.

    >>> truncate_graphemes("去🇨🇳", max_chars=2)
    '去'
    """
    if len(text) <= max_chars:
        return text
    length = 0
    # One character more than the limit is enough to see whether the last one goes on.
    for grapheme in iter_graphemes(text[: max(max_chars, 0) + 1]):
        if length + len(grapheme) > max_chars:
            break
        length += len(grapheme)
    return text[:length]


def fold(text: str) -> str:
    """Return the form in which two spellings of one thing are equal.

    NFKC, lower case, simplified characters; controls and what cannot be seen (joiners,
    selectors, lone surrogates) are gone. For matching only: never stored as the text,
    and its length may differ. Folding twice changes nothing.

    >>> fold("ＩＰＨＯＮＥ 螢幕")
    'iphone 萤幕'
    """
    if text.isascii() and text.isprintable():
        return text.lower()
    visible = _IGNORED_IN_MATCHING.sub("", text)
    lowered = unicodedata.normalize("NFKC", visible).lower()
    normal = unicodedata.normalize("NFKC", lowered).translate(simplified_table())
    return _IGNORED_IN_MATCHING.sub("", normal)


def check_identifier(value: str, *, field: str, max_length: int = 200) -> str:
    """Return the identifier unchanged, or refuse it.

    Nothing is repaired: two callers who disagree about an invisible character would
    otherwise meet in one relationship.

    Raises:
        InvalidIdentifier: not text, empty, blank, longer than `max_length`, with a
            space at an end, or with a character that cannot be printed.
    """
    if not isinstance(value, str):
        raise InvalidIdentifier(field, "a text")
    if not value.strip():
        raise InvalidIdentifier(field, "at least one visible character")
    if len(value) > max_length:
        raise InvalidIdentifier(field, f"at most {max_length} characters")
    if _UNFIT_IN_IDENTIFIER.search(value):
        raise InvalidIdentifier(field, "no control or invisible characters")
    if value != value.strip():
        raise InvalidIdentifier(field, "no space at either end")
    return value


def _join_pair(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _kept_tags(match: re.Match[str]) -> str:
    return match[1] or ""


def _kept_selector_and_joiner(run: re.Match[str]) -> str:
    """Keep one selector of a visible base, and one joiner that joins."""
    before = run.string[max(run.start() - 1, 0) : run.start()]
    after = run.string[run.end() : run.end() + 1]
    kept = ""
    if _SELECTOR.match(run[0]) and before.strip():
        kept = run[0][0]
    joiner = next((mark for mark in run[0] if mark in "\u200c\u200d"), "")
    if joiner and _is_joinable(before) and _is_joinable(after):
        kept += joiner
    return kept


def _is_joinable(character: str) -> bool:
    if not character or character.isascii():
        return False
    category = unicodedata.category(character)
    if category in ("Mn", "Mc", "Me"):  # accents (class 200 and up) belong to letters
        return unicodedata.combining(character) < 200
    if category == "Lo":  # Chinese, Japanese and Korean letters never join
        is_hangul = "\u1100" <= character <= "\u11ff"
        return not is_hangul and unicodedata.east_asian_width(character) == "N"
    return category in ("So", "Sk")
