"""Telephone numbers, identity cards and bank cards.

Owns every rule about runs of digits. Validation is left to those who know it:
`phonenumbers` for numbering plans, `python-stdnum` for checksums and county codes. A
keyword right before a number waives the checksum, since people mistype their own card.
"""

import re
from collections.abc import Iterator

import phonenumbers
from stdnum import luhn, numdb
from stdnum.cn import ric
from stdnum.exceptions import ValidationError

from memsys.kernel.text.pii.detector import before, every
from memsys.kernel.text.pii.view import Span, View

_COUNTIES = numdb.get("cn/loc")

# From a keyword to its value: 手机号是：, 电话 =, 卡号"
LINK = r"(?:号码|号|是|就是|为|:|=|-|[ \"'“「(]){0,4}"
_STARTS_NUMBER = r"(?<![\d])(?<!\d\.)"
_ENDS_NUMBER = r"(?!\d)(?!\.\d)"

_SEPARATOR = r"[ \-.·_/~*、，,|一]{1,3}"
_COUNTRY = r"(?:(?:(?:\+|00)? ?86|\(\+?86\))[ -]{0,2})?"
_MOBILE_SHAPES = "|".join(
    (
        r"1[3-9]\d{9}",
        rf"1[3-9]\d{_SEPARATOR}\d{{4}}{_SEPARATOR}\d{{4}}",
        r"1[3-9]\d{2}[ -]{1,2}\d{4}[ -]{1,2}\d{3}",
        r"1[3-9]\d[ -]{1,2}\d{3}[ -]{1,2}\d{5}",
        r"1[3-9]\d[ -]{1,2}\d{8}",
        r"1[3-9]\d{3}[ -]{1,2}\d{6}",
        r"1[3-9]\d{5}[ -]{1,2}\d{4}",
        r"1[3-9]\d[ -]\d{2}[ -]\d{2}[ -]\d{2}[ -]\d{2}",
        r"1(?P<gap>[ \-.,/~*、])[3-9](?:(?P=gap)\d){9}",
    )
)
_MOBILE = re.compile(
    rf"(?P<value>(?<!\+){_STARTS_NUMBER}{_COUNTRY}(?:{_MOBILE_SHAPES})){_ENDS_NUMBER}"
)
_NAMED_MOBILE = re.compile(
    rf"(?:手机|电话|号码|联系方式|联系|拨打|打给我|打我|tel|phone|call){LINK}"
    r"(?P<value>1(?:[ \-.·_/~*,，、|]{0,3}\d){10})(?!\d)"
)
_ORDER_NUMBER = re.compile(
    r"(?:订单|单号|运单号|编号|流水号|序列号|order(?: ?(?:no|id))?)[号码是为:#. ]{0,4}$"
)
_AMOUNT_BEFORE = re.compile(r"(?:[¥$€£]|rmb) ?$")
_AMOUNT_AFTER = re.compile(r" ?(?:元|块|万|亿|美元|日元|积分|经验|金币|票|步|%)(?!一)")

_LANDLINE = re.compile(
    rf"(?P<value>{_STARTS_NUMBER}\(?0(?:10|2\d|[3-9]\d{{2}})\)?[ -]{{0,2}}"
    r"(?:\d{3,4}[ -]?\d{4}))(?!\d)"
)
_NAMED_LANDLINE = re.compile(
    rf"(?:座机|固话|固定电话|电话|传真|tel|fax){LINK}"
    r"(?P<value>[2-8]\d{2,3}[ -]?\d{4})(?![ -]?\d)"
)
_INTERNATIONAL = re.compile(
    r"(?P<value>(?<!\d)(?:\+|00) ?[1-9](?:[ .()-]{0,2}\d){6,14})"
)

_IDENTITY_18 = re.compile(
    r"(?P<value>(?<!\d)[1-9]\d(?:[ -]?\d){4}[ -]?[12][ -]?[890](?:[ -]?\d){2}"
    r"[ -]?[01](?:[ -]?\d)[ -]?[0-3](?:[ -]?\d){4}[ -]?[\dx])(?!\d)"
)
_IDENTITY_15 = re.compile(r"(?P<value>(?<!\d)[1-9]\d{7}[01]\d[0-3]\d{4})(?!\d)")
_NAMED_IDENTITY = re.compile(
    rf"(?:身份证|证件|idcard|id card){LINK}"
    r"(?P<value>\d(?:[ -]?\d){13,16}[ -]?[\dx]"
    r"|[a-z]{1,2}\d{6}\(?[\da]\)?|[a-z][12]\d{8})(?![\da-z])"
)
_IDENTITY_NAMED_BEFORE = re.compile(rf"(?:身份证|证件|idcard|id card){LINK}$")

_CARD_FORMS = (
    re.compile(r"(?P<value>(?<!\d)(?:\d{4}[ -]{1,2}){4}\d{1,3})(?!\d)"),
    re.compile(r"(?P<value>(?<!\d)(?:\d{4}[ -]{1,2}){3}\d{4,7})(?!\d)"),
    re.compile(
        r"(?P<value>(?<!\d)(?:\d{6}[ -]\d{9,13}|\d{4}[ -]\d{6}[ -]\d{5}))(?!\d)"
    ),
    re.compile(r"(?P<value>(?<!\d)(?<!\d\.)\d{15,19})(?!\d)"),
)
_GROUP = re.compile(r"[0-9]+")
_NAMED_CARD = re.compile(
    rf"(?:卡|账号|帐号|账户|户头|行){LINK}(?P<value>\d(?:[ -]{{0,2}}\d){{14,18}})(?!\d)"
)
# Issuer and length: UnionPay and old domestic cards, Visa, MasterCard, JCB, Amex.
_CARD_SHAPE = re.compile(
    r"(?:62\d{14,17}|60\d{14,17}|9558\d{12,15}|[45]\d{15}(?:\d{3})?|2[2-7]\d{14}"
    r"|35\d{14}|3[47]\d{13})"
)
_CARD_NAMED_BEFORE = re.compile(rf"(?:卡|账号|帐号|账户|户头|行){LINK}$")


def find_mobiles(view: View) -> Iterator[Span]:
    """Propose mainland mobiles, written in digits or spoken in Chinese."""
    for text in dict.fromkeys((view.text, view.spoken, _letters_read_as_digits(view))):
        yield from every(_NAMED_MOBILE, text)
        yield from every(_MOBILE, text)


def _letters_read_as_digits(view: View) -> str:
    """Read 138oo138ooo and l38 as the digits that they stand for."""
    return view.spoken.replace("o", "0").replace("l", "1")


def is_mobile(view: View, span: Span) -> bool:
    """Refuse amounts, and order numbers that are named as such."""
    if _ORDER_NUMBER.search(before(view, span, characters=12)):
        return False
    if _AMOUNT_BEFORE.search(before(view, span, characters=4)):
        return False
    return not _AMOUNT_AFTER.match(view.text, span.end)


def find_landlines(view: View) -> Iterator[Span]:
    """Propose numbers with an area code, and named ones without."""
    for text in _readings(view):
        yield from every(_LANDLINE, text)
        yield from every(_NAMED_LANDLINE, text)


def is_landline(view: View, span: Span) -> bool:
    """Ask the numbering plan; a number without area code was named."""
    number = view.digits(span)
    return not number.startswith("0") or _number_type(number) is not None


def find_international(view: View) -> Iterator[Span]:
    """Propose `+` and `00` numbers, the longest reading of each first."""
    for span in every(_INTERNATIONAL, view.text):
        yield from _shorter_readings(view.text, span, shortest=8)


def is_international_mobile(view: View, span: Span) -> bool:
    """Ask the numbering plan of the country; some do not tell lines apart."""
    kind = _number_type("+" + view.digits(span).removeprefix("00"))
    return kind not in (None, phonenumbers.PhoneNumberType.FIXED_LINE)


def is_international_landline(view: View, span: Span) -> bool:
    """Ask the numbering plan of the country."""
    kind = _number_type("+" + view.digits(span).removeprefix("00"))
    return bool(kind == phonenumbers.PhoneNumberType.FIXED_LINE)


def find_identities(view: View) -> Iterator[Span]:
    """Propose identity cards of 15 and 18 places, and named ones."""
    for text in _readings(view):
        yield from every(_NAMED_IDENTITY, text)
        yield from every(_IDENTITY_18, text)
        yield from every(_IDENTITY_15, text)


def is_identity(view: View, span: Span) -> bool:
    """Check county, birth date and checksum, unless the number was named."""
    if _IDENTITY_NAMED_BEFORE.search(before(view, span, characters=16)):
        return True
    number = view.digits(span)
    if len(number) == 15:
        return _is_person(f"{number[:6]}19{number[6:]}0")
    if view.text[span.end - 1] == "x":
        number += "X"
    return number[-1] == ric.calc_check_digit(number) and _is_person(number)


def _is_person(number: str) -> bool:
    """Check birth date and county of an 18-place number.

    `ric.validate` is too strict here: it wants the county to have existed at birth, but
    the code on a card is that of its first issue, often decades later.
    """
    try:
        ric.get_birth_date(number)
    except ValidationError:
        return False
    return any("county" in names for _, names in _COUNTIES.info(number[:6]))


def find_cards(view: View) -> Iterator[Span]:
    """Propose 15 to 19 digits in the usual blocks, or named, in any."""
    for text in _readings(view):
        yield from every(_NAMED_CARD, text)
        for form in _CARD_FORMS:
            yield from every(form, text)


def is_card(view: View, span: Span) -> bool:
    """Check issuer and Luhn sum, unless the number was named a card."""
    ahead = before(view, span, characters=12)
    if _ORDER_NUMBER.search(ahead):
        return False
    if _CARD_NAMED_BEFORE.search(ahead):
        return True
    number = view.digits(span)
    return bool(_CARD_SHAPE.fullmatch(number)) and luhn.is_valid(number)


def _readings(view: View) -> Iterator[str]:
    """Yield the text as written, then as spoken where that differs."""
    yield view.text
    if (spoken := view.spoken) != view.text:
        yield spoken


def _shorter_readings(text: str, span: Span, *, shortest: int) -> Iterator[Span]:
    """Yield the span, then cut it at each inner gap from the right."""
    groups = list(_GROUP.finditer(text, span.start, span.end))
    for count in range(len(groups), 0, -1):
        end = groups[count - 1].end()
        if sum(len(group[0]) for group in groups[:count]) < shortest:
            return
        if not text[end : end + 1].isdigit():
            yield Span(span.start, end)


def _number_type(number: str) -> int | None:
    """Return the type in the numbering plan, None for no such number."""
    try:
        parsed = phonenumbers.parse(number, "CN")
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(parsed):
        return None
    return phonenumbers.number_type(parsed)
