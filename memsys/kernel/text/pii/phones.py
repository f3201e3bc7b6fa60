"""Telephone numbers: mobiles, landlines, and those of other countries.

Owns the ways in which a number is written, spoken, or dealt out in pieces. Whether it
could be dialled is asked of `phonenumbers`; amounts and order numbers are refused.

    >>> view = View.of("前三位138，后面00138000")
    >>> span = next(find_split_mobiles(view))
    >>> view.text[span.start : span.end]
    '138，后面00138000'
"""

import re
from collections.abc import Iterator

import phonenumbers

from memsys.kernel.text.pii.detector import before, every
from memsys.kernel.text.pii.view import MASKED, Span, View

# From a keyword to its value: 手机号是：, 电话 =, 卡号"
LINK = r"(?:号码|字号|号|是|系|就是|为|:|=|-|[ \"'“「(]){0,4}"
# What may stand between the blocks of a number: marks, pictures, 一 for a dash. Signs
# of money and arithmetic count something, and colons part hours.
GAP = r"(?:[^\w\s\ue000¥$€£%+=<>:：?？!！]|[ _]){1,3}"
_GAP_OR_WORD = rf"(?:{GAP}|[一杠点]|空格)"
_STARTS_NUMBER = r"(?<![\d])(?<!\d\.)"
_ENDS_NUMBER = r"(?!\d)(?!\.\d)"

_COUNTRY = r"(?:(?:(?:\+|00)? ?86|\(\+?86\))[ -]{0,2})?"
_MOBILE_SHAPES = "|".join(
    (
        r"1[3-9]\d{9}",
        r"1[3-9]\d[ \-.·~]{1,3}\d{4}[ \-.·~]{1,3}\d{4}",
        rf"1[3-9]\d(?P<block>{_GAP_OR_WORD})\d{{4}}(?P=block)\d{{4}}",
        r"1[3-9]\d\(\d{4}\)\d{4}",
        r"1[3-9]\d{2}[ -]{1,2}\d{4}[ -]{1,2}\d{3}",
        r"1[3-9]\d[ -]{1,2}\d{3}[ -]{1,2}\d{5}",
        r"1[3-9]\d[ -]{1,2}\d{8}",
        r"1[3-9]\d{3}[ -]{1,2}\d{6}",
        r"1[3-9]\d{5}[ -]{1,2}\d{4}",
        r"1[3-9]\d[ -]\d{2}[ -]\d{2}[ -]\d{2}[ -]\d{2}",
        rf"1(?P<gap>{GAP})[3-9](?:(?P=gap)\d){{9}}",
        r"1[ -]{1,3}[3-9](?:[ -]{1,3}\d){9}",
    )
)
_MOBILE = re.compile(
    rf"(?P<value>(?<!\+){_STARTS_NUMBER}{_COUNTRY}(?:{_MOBILE_SHAPES})){_ENDS_NUMBER}"
)
_PHONE_WORD = (
    r"(?:手机|电话|号码|联系方式|联系|拨打|拨|打给我|打我|打|呼叫|tel|phone|mobile|call"
    r"|whatsapp)"
)
_NAMED_MOBILE = re.compile(
    rf"{_PHONE_WORD}{LINK}(?P<value>1(?:{_GAP_OR_WORD}?\d){{10}})(?!\d)"
)
_ORDER_NUMBER = re.compile(
    r"(?:订单|单号|运单号?|编号|流水号|序列号|快递号|物流号|条码|货号|工号|学号|期号"
    r"|order(?: ?(?:no|id))?)[号码是为:#. ]{0,4}$"
)
_AMOUNT_BEFORE = re.compile(r"(?:[¥$€£]|rmb) ?$")
_AMOUNT_AFTER = re.compile(
    r" ?(?:元|块|万|亿|美元|日元|积分|经验|金币|票|步|%|次|人次|粉丝|播放|字节|毫秒|公里)"
    r"(?!一)"
)

# A number dealt out in pieces: 前三位138，中间0013，最后8000.
_FIRST_PIECE = re.compile(r"(?<!\d)1[3-9]\d{0,7}(?!\d)")
_NEXT_PIECE = re.compile(
    r"(?P<words>(?:[^\d\ue000\n]|\d(?=[位段半个])){1,12})(?P<piece>\d{1,8}x?)(?![\dx位段半个])"
)
_DEALS_OUT = re.compile("前|后|开头|中间|中段|[末尾剩再接先跟拼续]|最|然|半")
_IS_DEALT_OUT = re.compile(rf"[位段半拼]|{_PHONE_WORD}|开头")

_EXTENSION = r"(?: ?(?:-|转|分机号?|ext\.?) ?\d{1,6})?"
_AREA_CODE = r"0(?:10|2\d|[3-9]\d{2})"
_LANDLINE = re.compile(
    rf"(?P<value>{_STARTS_NUMBER}\(?{_AREA_CODE}\)?[ .·,，-]{{0,2}}"
    rf"\d{{3,4}}[ .·-]?\d{{4}}{_EXTENSION})(?!\d)"
)
_NAMED_AREA = re.compile(
    rf"区号{LINK}(?P<value>{_AREA_CODE}[^\d\ue000]{{1,8}}[2-8]\d{{2,3}}[ -]?\d{{4}}"
    rf"{_EXTENSION})(?!\d)"
)
_NAMED_LANDLINE = re.compile(
    rf"(?:座机|固话|固定电话|宅电|电话|家里|传真|tel|fax){LINK}"
    rf"(?P<value>[2-8]\d{{2,3}}[ -]?\d{{4}}{_EXTENSION})(?![ -]?\d)"
)
_LANDLINE_NEARBY = re.compile(
    r"(?:座机|固话|固定电话|宅电)[^\d\ue000\n。！？]{1,8}(?P<value>[2-8]\d{2,3}[ -]?\d{4})(?![ -]?\d)"
)
_SERVICE_LINE = re.compile(
    rf"(?P<value>{_STARTS_NUMBER}[48]00[ -]\d{{3,4}}[ -]?\d{{3,4}}){_ENDS_NUMBER}"
)
_NAMED_SERVICE_LINE = re.compile(
    rf"(?:热线|客服|{_PHONE_WORD}){LINK}(?P<value>[48]00\d{{7}})(?!\d)"
)

_INTERNATIONAL = re.compile(
    r"(?P<value>(?<!\d)\(?(?:\+|00) ?\(?[1-9](?:[ .()-]{0,2}\d){6,14})"
)
_NAMED_BEFORE = re.compile(rf"{_PHONE_WORD}{LINK}$")
_GROUP = re.compile(r"[0-9]+")
_REGIONS = {
    "香港": "HK", "澳门": "MO", "台湾": "TW", "台北": "TW", "日本": "JP", "东京": "JP",
    "韩国": "KR", "美国": "US", "加拿大": "CA", "英国": "GB", "伦敦": "GB", "法国": "FR",
    "德国": "DE", "澳洲": "AU", "澳大利亚": "AU", "新加坡": "SG", "马来西亚": "MY",
    "大马": "MY", "泰国": "TH", "越南": "VN",
}  # fmt: skip
_FOREIGN = r"\+?(?:\d|\(\d{1,4}\))(?:[ .()-]{0,2}\d){6,13}"
_NAMED_REGION = re.compile(
    rf"(?P<region>{'|'.join(_REGIONS)})(?:那边|这边|本地|当地|的|那个)?"
    rf"{_PHONE_WORD}?{LINK}(?P<value>{_FOREIGN})(?!\d)"
)
_NAMED_FOREIGN = re.compile(rf"{_PHONE_WORD}{LINK}(?P<value>{_FOREIGN})(?!\d)")
# Forms that are written so in one country alone.
_NATIONAL_FORMS = (
    ("TW", re.compile(r"(?P<value>(?<!\d)09\d{2}[ -]\d{3}[ -]\d{3})(?!\d)")),
    ("TW", re.compile(rf"{_PHONE_WORD}{LINK}(?P<value>09\d{{8}})(?!\d)")),
    ("JP", re.compile(r"(?P<value>(?<!\d)0[789]0-\d{4}-\d{4})(?!\d)")),
    ("US", re.compile(r"(?P<value>(?<!\d)\(\d{3}\) ?\d{3}-\d{4})(?!\d)")),
    ("US", re.compile(r"(?P<value>(?<![\d-])\d{3}-\d{3}-\d{4})(?![\d-])")),
)


def find_mobiles(view: View) -> Iterator[Span]:
    """Propose mainland mobiles, written in digits or spoken in Chinese."""
    for text in dict.fromkeys((view.text, view.spoken, _letters_read_as_digits(view))):
        yield from every(_NAMED_MOBILE, text)
        yield from every(_MOBILE, text)


def _letters_read_as_digits(view: View) -> str:
    """Read 138oo138ooo, l38 and I38 as the digits that they stand for."""
    return view.spoken.translate(str.maketrans("oli", "011"))


def is_mobile(view: View, span: Span) -> bool:
    """Refuse amounts, and order numbers that are named as such."""
    if _ORDER_NUMBER.search(before(view, span, characters=12)):
        return False
    if _AMOUNT_BEFORE.search(before(view, span, characters=4)):
        return False
    return not _AMOUNT_AFTER.match(view.text, span.end)


def find_split_mobiles(view: View) -> Iterator[Span]:
    """Propose mobiles dealt out in pieces, the words between them included."""
    for text in view.readings:
        for first in _FIRST_PIECE.finditer(text):
            dealt_out = deal_out(text, first, length=11)
            if not dealt_out:
                continue
            span = dealt_out[0]
            after = text[span.start : span.end + 6].partition(MASKED)[0]
            if _IS_DEALT_OUT.search(before(view, span, characters=8) + after):
                yield span


def deal_out(
    text: str, first: re.Match[str], *, length: int
) -> tuple[Span, str] | None:
    """Follow pieces over words such as 后面 until they make up the length.

    Returns the whole span and the number in it.
    """
    number, end = first[0], first.end()
    while len(number) < length:
        more = _NEXT_PIECE.match(text, end)
        if not more or not _DEALS_OUT.search(more["words"]):
            return None
        number, end = number + more["piece"], more.end()
    return (Span(first.start(), end), number) if len(number) == length else None


def find_landlines(view: View) -> Iterator[Span]:
    """Propose numbers with an area code, and named ones without."""
    for text in view.readings:
        for form in (_LANDLINE, _NAMED_AREA, _NAMED_LANDLINE, _LANDLINE_NEARBY):
            yield from every(form, text)
        for form in (_SERVICE_LINE, _NAMED_SERVICE_LINE):
            yield from every(form, text)


def is_landline(view: View, span: Span) -> bool:
    """Ask the numbering plan; a number without area code was named."""
    if _ORDER_NUMBER.search(before(view, span, characters=12)):
        return False
    written = re.split("转|分|ext", view.text[span.start : span.end])[0]
    number = view.digits(Span(span.start, span.start + len(written)))
    if not number.startswith(("0", "400", "800")):
        return True
    if not number.startswith("0"):
        return len(number) == 10
    return any(_number_type(number[:length]) is not None for length in (12, 11, 10))


def find_international(view: View) -> Iterator[Span]:
    """Propose `+` and `00` numbers, the longest reading of each first."""
    for text in view.readings:
        for span in every(_INTERNATIONAL, text):
            yield from _shorter_readings(text, span, shortest=8)


def is_international_mobile(view: View, span: Span) -> bool:
    """Ask the numbering plan of the country; some do not tell lines apart."""
    number = "+" + view.digits(span).removeprefix("00")
    kind = _number_type(number)
    if kind is None and _NAMED_BEFORE.search(before(view, span, characters=12)):
        return phonenumbers.is_possible_number_string(number, "CN")
    return kind not in (None, phonenumbers.PhoneNumberType.FIXED_LINE)


def is_international_landline(view: View, span: Span) -> bool:
    """Ask the numbering plan of the country."""
    kind = _number_type("+" + view.digits(span).removeprefix("00"))
    return bool(kind == phonenumbers.PhoneNumberType.FIXED_LINE)


def find_foreign(view: View) -> Iterator[Span]:
    """Propose valid numbers of other countries that are written without a plus."""
    text = view.text
    for match in _NAMED_REGION.finditer(text):
        span = Span(*match.span("value"))
        if _is_of(_REGIONS[match["region"]], view.digits(span)):
            yield span
    for span in every(_NAMED_FOREIGN, text):
        is_in_blocks = not text[span.start : span.end].isdigit()
        if is_in_blocks and _number_type("+" + view.digits(span)) is not None:
            yield span
    for region, form in _NATIONAL_FORMS:
        for span in every(form, text):
            if _number_type(view.digits(span), region) is not None:
                yield span


def _is_of(region: str, number: str) -> bool:
    """Say whether it can be dialled there, with or without the country code."""
    return any(_number_type(one, region) is not None for one in (number, f"+{number}"))


def _shorter_readings(text: str, span: Span, *, shortest: int) -> Iterator[Span]:
    """Yield the span, then cut it at each inner gap from the right."""
    groups = list(_GROUP.finditer(text, span.start, span.end))
    for count in range(len(groups), 0, -1):
        end = groups[count - 1].end()
        if sum(len(group[0]) for group in groups[:count]) < shortest:
            return
        if not text[end : end + 1].isdigit():
            yield Span(span.start, end)


def _number_type(number: str, region: str = "CN") -> int | None:
    """Return the type in the numbering plan, None for no such number."""
    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(parsed):
        return None
    return phonenumbers.number_type(parsed)
