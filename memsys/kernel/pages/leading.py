"""Whether a link leads somewhere for whoever looks: one that is refused is no link.

Owns the question while one page is made; the answer comes from whoever makes it. With
nobody to ask, every link leads.

>>> leads("/desk/")
True
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from urllib.parse import urlsplit

Question = Callable[[str], bool]

_asked: ContextVar[Question | None] = ContextVar("leading", default=None)
_KEY = re.compile(r"/[0-9a-f]{8}-[0-9a-f-]{27}(?=/)|/\d+(?=/)")


@contextmanager
def asking(question: Question) -> Iterator[None]:
    """Ask this of the links of one page; pages of one kind are asked about once."""
    answers: dict[str, bool] = {}

    def ask(url: str) -> bool:
        kind = _KEY.sub("/0", urlsplit(url).path)
        if kind not in answers:
            answers[kind] = question(url)
        return answers[kind]

    token = _asked.set(ask)
    try:
        yield
    finally:
        _asked.reset(token)


def leads(url: str) -> bool:
    """Say whether whoever looks may open an address."""
    ask = _asked.get()
    return ask is None or ask(url)
