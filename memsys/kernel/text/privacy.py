"""The privacy filter: personal data becomes typed placeholders before storage.

Owns the table of what is looked for, in which order, and what stands in its place. The
rules themselves are in `pii`. The values found are never kept, logged or returned: only
how many of each kind there were.

    >>> mask("打我电话 138-1234-5678").text
    '打我电话 [手机号]'
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memsys.kernel.text.clean import fold
from memsys.kernel.text.pii import (
    accounts,
    credentials,
    digits,
    documents,
    names,
    places,
)
from memsys.kernel.text.pii.detector import Detector, run_of_digits
from memsys.kernel.text.pii.view import Span, View

_ASCII_WORD = re.compile("[a-z0-9]")
_SECRET_WORD = re.compile("码|口令|pass|pwd|pin")
_LONG_NUMBER = run_of_digits(6)
_HANDLE_NUMBER = run_of_digits(5)
_DOOR = re.compile("[0-9一二三四五六七八九十a-z] ?[号栋幢座单楼弄室房层舍]")
_PREFIX = re.compile("[+]|00")
_AT = re.compile("[@#]|艾特|小老鼠|at")

# In order of precedence: what was announced by a word comes before what only has a
# form, and long numbers before the short ones that might be read out of them.
DETECTORS = (
    Detector("key", "[密钥]", _ASCII_WORD, credentials.find_keys),
    Detector("password", "[密码]", _SECRET_WORD, credentials.find_passwords),
    Detector("alipay", "[支付宝账号]", _ASCII_WORD, accounts.find_alipay),
    Detector("email", "[邮箱]", _AT, accounts.find_emails),
    Detector(
        "id_card",
        "[身份证号]",
        _LONG_NUMBER,
        digits.find_identities,
        digits.is_identity,
    ),
    Detector(
        "bank_card", "[银行卡号]", _LONG_NUMBER, digits.find_cards, digits.is_card
    ),
    Detector("wechat", "[微信号]", _ASCII_WORD, accounts.find_wechat),
    Detector("qq", "[QQ号]", _HANDLE_NUMBER, accounts.find_qq),
    Detector("mobile", "[手机号]", _LONG_NUMBER, digits.find_mobiles, digits.is_mobile),
    Detector(
        "mobile",
        "[手机号]",
        _PREFIX,
        digits.find_international,
        digits.is_international_mobile,
    ),
    Detector(
        "landline",
        "[固定电话]",
        _PREFIX,
        digits.find_international,
        digits.is_international_landline,
    ),
    Detector(
        "landline",
        "[固定电话]",
        _LONG_NUMBER,
        digits.find_landlines,
        digits.is_landline,
    ),
    Detector(
        "plate",
        "[车牌号]",
        _ASCII_WORD,
        documents.find_plates,
        documents.is_plate,
    ),
    Detector("passport", "[证件号]", _ASCII_WORD, documents.find_travel_documents),
    Detector("social", "[社交账号]", re.compile("[a-z0-9@]"), accounts.find_social),
    Detector("address", "[地址]", _DOOR, places.find_addresses),
    Detector(
        "real_name", "[姓名]", re.compile("叫|名"), names.find_names, names.is_name
    ),
)

_PLACEHOLDER = re.compile(
    "|".join(sorted({re.escape(fold(row.placeholder)) for row in DETECTORS}))
)
# Taking one datum out can lay bare the edge of another, so the table is applied until
# it finds nothing; twice is the rule, the limit only bounds hostile text.
_MAX_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class Masked:
    """The text with placeholders, and how many data of each kind were taken out."""

    text: str
    counts: Mapping[str, int]


def mask(text: str) -> Masked:
    """Replace personal data by placeholders and count it by kind.

    Cost grows linearly with the text. Placeholders already there are not touched, so
    masking twice gives the same text. Never raises, whatever the characters.

    >>> mask("手机13800138000").counts
    {'mobile': 1}
    """
    view = View.of(text)
    view = view.without(
        Span(*found.span()) for found in _PLACEHOLDER.finditer(view.text)
    )
    found: list[tuple[Span, Detector]] = []
    for _ in range(_MAX_ROUNDS):
        view, fresh = _one_round(view)
        found += fresh
        if not fresh:
            break
    found.sort(key=lambda item: item[0].start)
    counts = Counter(detector.kind for _, detector in found)
    return Masked(_rewritten(view, found), dict(counts))


def _one_round(view: View) -> tuple[View, list[tuple[Span, Detector]]]:
    found = []
    for detector in DETECTORS:
        spans = detector.spans(view)
        if spans:
            view = view.without(spans)
            found += [(span, detector) for span in spans]
    return view, found


def _rewritten(view: View, found: list[tuple[Span, Detector]]) -> str:
    pieces, position = [], 0
    for span, detector in found:
        place = view.original_span(span)
        pieces += [view.original[position : place.start], detector.placeholder]
        position = max(position, place.end)
    return "".join(pieces) + view.original[position:]
