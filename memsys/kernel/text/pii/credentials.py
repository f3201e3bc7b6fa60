"""Passwords, one-time codes and keys.

Owns the words that announce a secret and the forms of well-known keys. A secret is
taken up to the next space, Chinese character or Chinese mark; the words stay.
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.detector import every
from memsys.kernel.text.pii.view import Span, View

_ANNOUNCES = r"(?:就是|还是|是|为|改成了?|改为|换成了?|设成了?|设为|设置为|:|=| is | = |: ?| ?:? ?\")"
_PASSWORD_NAME = (
    r"(?:密码|口令|验证码|动态码|(?<![a-z])(?:password|passwd|passcode|pwd)|pin码)"
)
_PASSWORD = re.compile(
    rf"{_PASSWORD_NAME}(?:{_ANNOUNCES}[ :\"'“「]{{0,3}}(?P<value>[!-~]{{4,64}})"
    r"|[ (]{0,2}(?P<bare>(?=[!-~]{0,30}\d)[a-z0-9][!-~]{3,63}))"
)
_COUNTED = re.compile(r" ?(?:位|次|个|天|分钟|块|元)")
_TRAILING_MARKS = " .,;:!?)(]}>\"'`"

_KEY = re.compile(
    r"(?<![a-z0-9])(?P<value>sk-[a-z0-9_-]{16,}|gh[pousr]_[a-z0-9]{30,}"
    r"|github_pat_[a-z0-9_]{20,}|akia[a-z0-9]{16}|aiza[a-z0-9_-]{30,}"
    r"|xox[abprs]-[a-z0-9-]{10,}|eyj[a-z0-9_-]{10,}\.[a-z0-9_-]{10,}\.[a-z0-9_-]{6,}"
    r"|-----begin [a-z ]{0,30}private key-----[a-z0-9+/=\s]*"
    r"(?:-----end [a-z ]{0,30}private key-----)?)"
)
_NAMED_KEY = re.compile(
    rf"(?:api[ _-]?key|secret(?:[ _-]?key)?|access[ _-]?key|token|私钥|密钥|秘钥)"
    rf"(?:{_ANNOUNCES})[ \"'“]{{0,3}}(?P<value>[a-z0-9_+/=.~-]{{8,512}})"
)
_SEED_PHRASE = re.compile(
    r"助记词(?:是|为|:|=|[ \"]){0,3}(?P<value>[a-z]{3,8}(?: [a-z]{3,8}){11,23})(?![a-z])"
)


def find_passwords(view: View) -> Iterator[Span]:
    """Propose what follows the word, spoken digits included."""
    for text in dict.fromkeys((view.text, view.spoken)):
        for match in _PASSWORD.finditer(text):
            start, end = match.span("value" if match["value"] else "bare")
            length = len(text[start:end].rstrip(_TRAILING_MARKS))
            if length >= 4 and not (match["bare"] and _COUNTED.match(text, end)):
                yield Span(start, start + length)


def find_keys(view: View) -> Iterator[Span]:
    """Propose keys known by their form, and those named as such."""
    for match in _KEY.finditer(view.text):
        yield Span(*match.span("value"))
    for span in every(_NAMED_KEY, view.text):
        if re.search(r"\d", view.text[span.start : span.end]):
            yield span
    yield from every(_SEED_PHRASE, view.text)
