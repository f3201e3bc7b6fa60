"""Passwords, one-time codes and keys.

Owns the words that announce a secret and the forms of well-known keys. A secret is
taken up to the next space, Chinese character or Chinese mark; the words stay.
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.detector import every
from memsys.kernel.text.pii.view import Span, View

_ANNOUNCES = r"(?:就是?|是|还是|为|改成了?|改为|换成了?|设成了?|设为|设置为|:|=| is | = |: ?| ?:? ?\")"
_PASSWORD_NAME = (
    r"(?:密码|口令|锁屏(?= ?[是:])|解锁码|(?:验证|校验|动态|提取|安全|授权)码|(?<![a-z])(?:password|passwd"
    r"|passcode|pwd|pw(?= ?[:=])|pin(?:码|(?![a-z]))))"
)
# What one says between the word and the secret: 密码是我生日0912, 密码还是老的abc123.
_ASIDE = (
    r"(?:(?:我|你|他|她|家|的|生日|名字|姓名|拼音|缩写|学号|加|还是|是|老|新|一直|都|全|统一|默认"
    r"|初始|那个|后|前|[四六八]位| ){1,8}|(?:记一下|给你|发你|告诉你)[,，: ]{0,2})"
)
_OVER_WORDS = r"(?:[\u4e00-\u9fff，,]{1,10}: ?|[\u4e00-\u9fff]{1,6}(?:是|设为|改成) ?)"
_PASSWORD = re.compile(
    rf"{_PASSWORD_NAME}(?:{_ANNOUNCES}[ :\"'“「]{{0,3}}(?P<value>[!-~]{{3,64}})"
    r"|[ (]{0,2}(?P<bare>(?=[!-~]{0,30}\d)[a-z0-9#*][!-~]{3,63})"
    rf"|(?:{_ASIDE}|{_OVER_WORDS})(?P<aside>(?=[!-~]{{0,30}}\d)[a-z0-9][!-~]{{3,63}}))"
)
_CARD_CODE = re.compile(
    r"(?:(?<![a-z])(?:cvv2?|cvc2?)|安全码|背面三位)(?:码|数|是|:| ){0,3}(?P<value>\d{3,4})(?!\d)"
)
# Codes that were sent come in four or six digits; 10086 and its like are no codes.
_SENT_CODE = re.compile(
    r"(?:验证|校验|动态)码[^\d\ue000\n]{0,12}(?P<value>\d{4}(?:\d{2})?)(?![\d版.:/-])"
)
_QUOTED = re.compile(
    rf"{_PASSWORD_NAME}{_ANNOUNCES} ?[\"“「『‘'](?P<value>[^\"”」』’'\ue000\n]{{2,30}})[\"”」』’']"
)
_COUNTED = re.compile(r" ?(?:位|次|个|天|分钟|块|元|年|月|点|遍|种|条|秒|小时)")
_TRAILING_MARKS = " .,;:?)(]}>\"'`"

_KEY = re.compile(
    r"(?<![a-z0-9])(?P<value>sk-[a-z0-9_-]{16,}|gh[pousr]_[a-z0-9]{30,}"
    r"|github_pat_[a-z0-9_]{20,}|glpat-[a-z0-9_-]{16,}|hf_[a-z0-9]{20,}"
    r"|[sprk]{2}_(?:live|test)_[a-z0-9]{10,}|ak(?:ia|id)[a-z0-9]{16,}|ltai[a-z0-9]{12,}"
    r"|aiza[a-z0-9_-]{30,}|\d{8,10}:aa[a-z0-9_-]{30,}"
    r"|xox[abprs]-[a-z0-9-]{10,}|eyj[a-z0-9_-]{10,}\.[a-z0-9_-]{10,}\.[a-z0-9_-]{6,}"
    r"|-----begin [a-z ]{0,30}private key-----[a-z0-9+/=\s]*"
    r"(?:-----end [a-z ]{0,30}private key-----)?)"
)
_NAMED_KEY = re.compile(
    rf"(?:(?<![a-z])(?:app|api|access|secret)?[ _-]?(?:key|secret)(?:[ _-]?(?:key|id))?"
    rf"|token|bearer|私钥|密钥|秘钥|令牌)"
    rf"(?:{_ANNOUNCES}| )[ \"'“]{{0,3}}(?P<value>[a-z0-9_+/=.~-]{{8,512}})"
)
_LETTER_AND_DIGIT = re.compile(r"[a-z][^a-z0-9]*\d|\d[^a-z0-9]*[a-z]")
_SEED_PHRASE = re.compile(
    r"助记词(?:是|为|:|=|[ \"]){0,3}(?P<value>[a-z]{3,8}(?: [a-z]{3,8}){11,23})(?![a-z])"
)


def find_passwords(view: View) -> Iterator[Span]:
    """Propose what follows the word, spoken digits included."""
    for form in (_CARD_CODE, _QUOTED):
        yield from every(form, view.text)
    for text in view.readings:
        for form in (_PASSWORD, _SENT_CODE):
            for match in form.finditer(text):
                start, end = match.span(match.lastgroup or 0)
                length = len(text[start:end].rstrip(_TRAILING_MARKS))
                if length >= 3 and not _COUNTED.match(text, start + length):
                    yield Span(start, start + length)


def find_keys(view: View) -> Iterator[Span]:
    """Propose keys known by their form, and those named as such."""
    for match in _KEY.finditer(view.text):
        yield Span(*match.span("value"))
    for span in every(_NAMED_KEY, view.text):
        if _LETTER_AND_DIGIT.search(view.text, span.start, span.end):
            yield span
    yield from every(_SEED_PHRASE, view.text)
