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
    cards,
    credentials,
    documents,
    mail,
    names,
    phones,
    places,
)
from memsys.kernel.text.pii.detector import Detector, run_of_digits
from memsys.kernel.text.pii.view import Span, View

_LETTER_OR_DIGIT = re.compile("[a-z0-9]")
_SECRET_WORD = re.compile("码|口令|锁屏|pass|pwd|pw|pin|cv")
_LONG_NUMBER = run_of_digits(6)
_HANDLE = re.compile(f"[a-z]|{run_of_digits(5).pattern}")
_HANDLE_NUMBER = run_of_digits(5)
_BLOCK = run_of_digits(3)
_DEALT_OUT = re.compile("[前后位半段]")
_DOOR = re.compile("[路街道巷同弄条村镇乡屯区园苑坊栋幢座楼号舍室住寄送址家]")
_PREFIX = re.compile("[+]|00")
_AT = re.compile("[@#]|[艾爱]特|小老鼠|圈|at")
_NAME_WORD = re.compile("[叫姓名人是户乘证照收\ue000]|在下|name")

# In order of precedence: what was announced by a word comes before what only has a
# form, and long numbers before the short ones that might be read out of them.
DETECTORS = (
    Detector("key", "[密钥]", _LETTER_OR_DIGIT, credentials.find_keys),
    Detector("password", "[密码]", _SECRET_WORD, credentials.find_passwords),
    Detector("alipay", "[支付宝账号]", _LETTER_OR_DIGIT, accounts.find_alipay),
    Detector("email", "[邮箱]", _AT, mail.find_emails),
    Detector(
        "id_card",
        "[身份证号]",
        _LONG_NUMBER,
        cards.find_identities,
        cards.is_identity,
    ),
    Detector("id_card", "[身份证号]", _DEALT_OUT, cards.find_split_identities),
    Detector("bank_card", "[银行卡号]", _LONG_NUMBER, cards.find_cards, cards.is_card),
    Detector("wechat", "[微信号]", _HANDLE, accounts.find_wechat),
    Detector("qq", "[QQ号]", _HANDLE_NUMBER, accounts.find_qq),
    Detector("mobile", "[手机号]", _BLOCK, phones.find_mobiles, phones.is_mobile),
    Detector(
        "mobile", "[手机号]", _DEALT_OUT, phones.find_split_mobiles, phones.is_mobile
    ),
    Detector(
        "mobile",
        "[手机号]",
        _PREFIX,
        phones.find_international,
        phones.is_international_mobile,
    ),
    Detector(
        "landline",
        "[固定电话]",
        _PREFIX,
        phones.find_international,
        phones.is_international_landline,
    ),
    Detector("mobile", "[手机号]", _BLOCK, phones.find_foreign, phones.is_mobile),
    Detector(
        "landline",
        "[固定电话]",
        _LONG_NUMBER,
        phones.find_landlines,
        phones.is_landline,
    ),
    Detector(
        "plate",
        "[车牌号]",
        _LETTER_OR_DIGIT,
        documents.find_plates,
        documents.is_plate,
    ),
    Detector("passport", "[证件号]", _LETTER_OR_DIGIT, documents.find_travel_documents),
    Detector("social", "[社交账号]", re.compile("[a-z0-9@]"), accounts.find_social),
    Detector("address", "[地址]", _DOOR, places.find_addresses),
    Detector("real_name", "[姓名]", _NAME_WORD, names.find_names),
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
