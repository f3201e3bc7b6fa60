"""E-mail addresses, however the at sign and the dots are written.

An address is found by its form alone; no word needs to announce it.

    >>> view = View.of("写给wang艾特gmail点com")
    >>> [view.text[span.start : span.end] for span in find_emails(view)]
    ['wang艾特gmail点com']
"""

import re
from collections.abc import Iterator

from memsys.kernel.text.pii.view import Span, View

_OPEN, _CLOSE = r"[(\[{<【「]", r"[)\]}>】」]"
_AT = re.compile(
    rf" {{0,2}}@ {{0,2}}| ?{_OPEN} ?(?:at|@|艾特) ?{_CLOSE} ?| ?(?:艾特|爱特|小老鼠|圈a|a圈) ?"
    r"| at (?=[a-z0-9-]{1,63} ?(?:dot|点|\.))|#(?=[a-z0-9-]{1,63}\.(?:com|cn|net))"
)
_DOT = rf"(?: ?[.点]|。| ?dot | ?{_OPEN} ?(?:dot|点|\.) ?{_CLOSE}) ?"
_TOP_DOMAIN = r"(?:com|cn|net|org|edu|gov|io|me|cc|top|xyz|vip|hk|tw|jp|info|co)"
_HOST = re.compile(
    r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,24}"
    rf"|[a-z0-9-]{{1,63}}(?:{_DOT}[a-z0-9-]{{1,63}}){{0,3}}{_DOT}{_TOP_DOMAIN}(?![a-z])"
    # Everyone knows how the hosts of free mail go on.
    r"|(?:qq|163|126|gmail|foxmail|hotmail|outlook|sina|yeah)(?![a-z0-9.])"
)
_NAME = re.compile(
    r"(?:[a-z][a-z0-9_-]{0,20}(?:点|下划线|下横线|减号|杠)){0,3}[a-z0-9._%+-]{1,64}$"
)
_MAX_NAME = 64


def find_emails(view: View) -> Iterator[Span]:
    """Propose the text around each at sign."""
    for text in view.readings:
        for at in _AT.finditer(text):
            host = _HOST.match(text, at.end())
            window = text[max(at.start() - _MAX_NAME, 0) : at.start()]
            name = _NAME.search(window) if host else None
            if host and name and (value := name[0].lstrip(".%+-")):
                yield Span(at.start() - len(value), host.end())
