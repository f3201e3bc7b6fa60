"""Identity cards and bank cards.

Owns how their numbers are written and in which blocks. Validation is left to those who
know it: `python-stdnum` for checksums and county codes. A keyword at the number waives
the checksum, since people mistype their own card.

    >>> is_card(View.of("4111 1111 1111 1111"), Span(0, 19))
    True
"""

import re
from collections.abc import Iterator

from stdnum import luhn, numdb
from stdnum.cn import ric
from stdnum.exceptions import ValidationError

from memsys.kernel.text.pii.detector import before, every
from memsys.kernel.text.pii.phones import GAP, LINK, deal_out
from memsys.kernel.text.pii.view import Span, View

_COUNTIES = numdb.get("cn/loc")

_S = r"[ ._·/-]?"  # between any two digits of an identity card
_LAST = r"[\dx×叉]"
_IDENTITY_18 = re.compile(
    rf"(?P<value>(?<!\d)[1-9]\d(?:{_S}\d){{4}}{_S}[12]{_S}[890](?:{_S}\d){{2}}"
    rf"{_S}[01](?:{_S}\d){_S}[0-3](?:{_S}\d){{4}}{_S}{_LAST})(?!\d)"
)
_IDENTITY_15 = re.compile(
    rf"(?P<value>(?<!\d)[1-9]\d{{5}}{_S}\d{{2}}{_S}[01]\d{_S}[0-3]\d{_S}\d{{3}})(?!\d)"
)
_IDENTITY_WORD = r"(?:身[份分]证|sfz|证件|id ?card|社保|居住证|驾驶证|驾照)"
_NAMED_IDENTITY = re.compile(
    rf"{_IDENTITY_WORD}{LINK}"
    rf"(?P<value>\d(?:{GAP}?\d){{13,16}}{GAP}?{_LAST}"
    r"|[a-z]{1,2}\d{6}\(?[\da]\)?|[a-z][12]\d{8})(?![\da-z])"
)
_IDENTITY_NAMED_BEFORE = re.compile(
    rf"(?:{_IDENTITY_WORD}{LINK}|身份证[^\d\n。！？]{{0,10}})$"
)
_COUNTY_PIECE = re.compile(r"(?<!\d)[1-9]\d{5}(?!\d)")

_CARD_FORMS = (
    re.compile(r"(?P<value>(?<!\d)\d{4}(?P<g>[ .·_/-]{1,2})(?:\d{4}(?P=g)){3}\d{1,3})(?!\d)"),
    re.compile(r"(?P<value>(?<!\d)\d{4}(?P<g>[ .·_/-]{1,2})(?:\d{4}(?P=g)){2}\d{4,7})(?!\d)"),
    re.compile(r"(?P<value>(?<!\d)(?:\d{6}[ -]\d{9,13}|\d{4}[ -]\d{6}[ -]\d{5}))(?!\d)"),
    re.compile(r"(?P<value>(?<!\d)\d{5}(?:[ -]\d{5}){2}[ -]\d{1,4})(?!\d)"),
    re.compile(r"(?P<value>(?<!\d)\d(?:[ -]\d){14,18})(?![ -]?\d)"),
    re.compile(r"(?P<value>(?<!\d)(?<!\d\.)\d{15,19})(?!\d)"),
)  # fmt: skip
_CARD_WORD = r"(?:卡|账号|帐号|账户|户头|行|转到|打到|汇到|转入|汇入)"
_NAMED_CARD = re.compile(rf"{_CARD_WORD}{LINK}(?P<value>\d(?:{GAP}?\d){{14,18}})(?!\d)")
_CARD_NAMED_BEFORE = re.compile(rf"{_CARD_WORD}{LINK}$")
_CARD_NAMED_NEARBY = re.compile(
    r"(?:卡号|银行卡|储蓄卡|信用卡|工资卡)[^\d\n。！？]{0,10}$"
)
_CARD_NAMED_AFTER = re.compile(
    r"[^\d\ue000\n。！？；]{0,6}?(?:银行卡|储蓄卡|信用卡|工资卡|借记卡|卡号|张卡|[工农建中交招]行)"
)
# Issuer and length: UnionPay and old domestic cards, Visa, MasterCard, JCB, Amex.
_CARD_SHAPE = re.compile(
    r"(?:62\d{14,17}|60\d{14,17}|9558\d{12,15}|[45]\d{15}(?:\d{3})?|2[2-7]\d{14}"
    r"|35\d{14}|3[47]\d{13})"
)
_PARCEL_OR_ORDER = re.compile(
    r"(?:订单|单号?|编号|流水号?|序列号|条码|发票|凭证|快递|物流|运单|包裹|中通|圆通|申通|韵达"
    r"|顺丰|极兔|邮政|京东|ems|order(?: ?(?:no|id))?)[号码是为:#. ]{0,4}$"
)


def find_identities(view: View) -> Iterator[Span]:
    """Propose identity cards of 15 and 18 places, and named ones."""
    for text in view.readings:
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
    if view.text[span.end - 1] in "x×叉":
        number += "X"
    return _is_identity_number(number)


def find_split_identities(view: View) -> Iterator[Span]:
    """Propose identity cards dealt out in pieces, checksum and all."""
    for text in view.readings:
        for county in _COUNTY_PIECE.finditer(text):
            dealt_out = deal_out(text, county, length=18)
            if dealt_out and _is_identity_number(dealt_out[1].upper()):
                yield dealt_out[0]


def _is_identity_number(number: str) -> bool:
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
    for text in view.readings:
        yield from every(_NAMED_CARD, text)
        for form in _CARD_FORMS:
            yield from every(form, text)


def is_card(view: View, span: Span) -> bool:
    """Check issuer and Luhn sum, unless the number was named a card."""
    ahead = before(view, span, characters=12)
    if _PARCEL_OR_ORDER.search(ahead):
        return False
    if _CARD_NAMED_BEFORE.search(ahead):
        return True
    number = view.digits(span)
    if not _CARD_SHAPE.fullmatch(number):
        return False
    is_named = _CARD_NAMED_NEARBY.search(ahead) or _CARD_NAMED_AFTER.match(
        view.text, span.end
    )
    return luhn.is_valid(number) or is_named is not None
